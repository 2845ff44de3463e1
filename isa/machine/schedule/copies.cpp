#include "isa/machine/schedule/copies.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/liveness.hpp"

namespace lockstep::machine {

namespace {

bool reads(const Instruction& i, std::uint16_t entry) {
  return std::find(i.sources, i.sources + i.source_count, entry) != i.sources + i.source_count;
}
bool writes(const Instruction& i, std::uint16_t entry) {
  return std::find(i.destinations, i.destinations + i.destination_count, entry) != i.destinations + i.destination_count;
}

/// The copies of one basic block.
class BlockCopies {
 public:
  BlockCopies(const Program& program, const Liveness& liveness, std::uint32_t block)
      : kernel_(*program.kernel), liveness_(liveness), block_(block) {
    const Code& code = program.blocks[block];
    code_.assign(program.instructions.begin() + code.first, program.instructions.begin() + code.end);
  }

  /// The instructions of the block that are left.
  std::vector<Instruction> run() && {
    const auto loops = [](const Instruction& i) { return i.closes_lock_loop || i.cas_loop; };
    if (std::any_of(code_.begin(), code_.end(), loops)) return std::move(code_);
    for (std::size_t end = 1; end <= code_.size(); ++end) {
      const std::size_t first = group_of(end - 1);
      if (!is_copy(first, end)) continue;
      const std::uint16_t to = code_[end - 1].destinations[0], from = code_[first].sources[0];
      if (!is_of_loop_exit(end, to) && !computes_in_place(first, end, from, to)) continue;
      code_.erase(code_.begin() + static_cast<std::ptrdiff_t>(first), code_.begin() + static_cast<std::ptrdiff_t>(end));
      end = first;
    }
    return std::move(code_);
  }

 private:
  /// The first of the operations of one static instruction that end with `last`.
  std::size_t group_of(std::size_t last) const {
    std::size_t first = last;
    while (first > 0 && code_[first - 1].static_index == code_[last].static_index) --first;
    return first;
  }

  bool is_copy(std::size_t first, std::size_t end) const {
    const program::StaticInstruction& s = kernel_.instructions[code_[first].static_index];
    if (s.operands.size() != 1 || s.operands[0].kind != program::SourceOperand::Kind::reg) return false;
    if (Mnemonic(kernel_.strings[s.mnemonic]).opcode != ptx::Opcode::mov) return false;
    for (std::size_t n = first; n < end; ++n)
      if (code_[n].guard != Instruction::no_guard || code_[n].source_count != 1) return false;
    return code_[end - 1].destination_count == 1 && code_[first].sources[0] != code_[end - 1].destinations[0];
  }

  /// The block is in a loop, and only what follows the loop reads `to`.
  bool is_of_loop_exit(std::size_t end, std::uint16_t to) const {
    for (std::size_t n = end; n < code_.size(); ++n)
      if (reads(code_[n], to) || writes(code_[n], to)) return false;
    const auto& ways = kernel_.blocks[block_].successors;
    const auto stays = [&](std::uint32_t way) { return leads_to_block(way); };
    return std::any_of(ways.begin(), ways.end(), stays) &&
           std::none_of(ways.begin(), ways.end(),
                        [&](std::uint32_t way) { return stays(way) && liveness_.at_begin(way, to); });
  }

  bool leads_to_block(std::uint32_t from) const {
    std::vector<bool> seen(kernel_.blocks.size());
    std::vector<std::uint32_t> open = {from};
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      if (b == block_) return true;
      if (seen[b]) continue;
      seen[b] = true;
      open.insert(open.end(), kernel_.blocks[b].successors.begin(), kernel_.blocks[b].successors.end());
    }
    return false;
  }

  bool is_live_behind(std::uint16_t entry) const {
    const auto& ways = kernel_.blocks[block_].successors;
    return std::any_of(ways.begin(), ways.end(), [&](std::uint32_t way) { return liveness_.at_begin(way, entry); });
  }

  /// Lets what computes `from` write `to` as well, behind whatever in between reads what `to` held before.
  bool computes_in_place(std::size_t first, std::size_t end, std::uint16_t from, std::uint16_t to) {
    std::size_t k = first;
    while (k > 0 && !writes(code_[k - 1], from)) --k;
    if (k-- == 0 || code_[k].guard != Instruction::no_guard || code_[k].destination_count == max_destinations)
      return false;
    if (is_live_behind(from)) return false;
    for (std::size_t n = k; n < code_.size(); ++n)
      if ((n < first || n >= end) && writes(code_[n], to)) return false;

    // What depends on the value goes behind the rest, if something of the rest reads the old one.
    std::vector<bool> depends(first - k);
    bool old_is_read = false;
    for (std::size_t n = k; n < first; ++n) {
      depends[n - k] = n == k || needs(n, k, depends);
      if (!reads(code_[n], to)) continue;
      if (n == k) continue;  // Reads the old value as it writes the new one.
      if (depends[n - k]) return false;
      old_is_read = true;
    }
    if (old_is_read && !can_move(k, first, depends)) return false;
    Instruction& writer = code_[k];
    writer.destinations[writer.destination_count++] = to;
    if (old_is_read) move(k, first, depends);
    return true;
  }

  bool needs(std::size_t n, std::size_t k, const std::vector<bool>& depends) const {
    for (std::size_t e = k; e < n; ++e) {
      if (!depends[e - k]) continue;
      for (unsigned d = 0; d < code_[e].destination_count; ++d)
        if (reads(code_[n], code_[e].destinations[d])) return true;
    }
    return false;
  }

  bool can_move(std::size_t k, std::size_t first, const std::vector<bool>& depends) const {
    for (std::size_t n = k; n < first; ++n) {
      if (!depends[n - k]) continue;
      const Instruction& moved = code_[n];
      if (moved.takes_access || unit_of(moved.operation) == Unit::control ||
          moved.operation == Operation::special_register)
        return false;
      for (std::size_t p = n + 1; p < first; ++p) {
        if (depends[p - k]) continue;
        for (unsigned d = 0; d < code_[p].destination_count; ++d)
          if (reads(moved, code_[p].destinations[d]) || writes(moved, code_[p].destinations[d])) return false;
      }
    }
    return true;
  }

  void move(std::size_t k, std::size_t first, const std::vector<bool>& depends) {
    std::vector<Instruction> rest, behind;
    for (std::size_t n = k; n < first; ++n) (depends[n - k] ? behind : rest).push_back(code_[n]);
    rest.insert(rest.end(), behind.begin(), behind.end());
    std::copy(rest.begin(), rest.end(), code_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  const program::Kernel& kernel_;
  const Liveness& liveness_;
  const std::uint32_t block_;
  std::vector<Instruction> code_;
};

}  // namespace

void remove_copies(Program& program) {
  const auto& blocks = program.kernel->blocks;
  // Older traces do not tell where blocks lead.
  if (std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.successors.empty(); })) return;
  const Liveness liveness(program);
  std::vector<Instruction> left;
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b) {
    Code& code = program.blocks[b];
    const std::uint32_t before = code.first;
    const std::vector<Instruction> block = BlockCopies(program, liveness, b).run();
    code.first = static_cast<std::uint32_t>(left.size());
    left.insert(left.end(), block.begin(), block.end());
    code.end = static_cast<std::uint32_t>(left.size());
    for (std::uint32_t n = code.first; n < code.end; ++n)
      if (left[n].operation == Operation::branch && (left[n].closes_lock_loop || left[n].cas_loop))
        left[n].loop_start += code.first - before;
  }
  program.instructions = std::move(left);
}

}  // namespace lockstep::machine
