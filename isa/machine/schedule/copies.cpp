#include "isa/machine/schedule/copies.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/liveness.hpp"

namespace lockstep::machine {

namespace {

/// Accesses, control flow and reads of special registers.
bool keeps_place(const Instruction& i) {
  return i.takes_access || unit_of(i.operation) == Unit::control || i.operation == Operation::special_register;
}

/// What has to come before what among some instructions of a block: results and what takes their place, accesses, control flow and
/// reads of special registers.
class Order {
 public:
  explicit Order(std::span<const Instruction> code) : behind_(code.size()), before_(code.size()) {
    std::map<std::uint16_t, std::size_t> writer;
    std::map<std::uint16_t, std::vector<std::size_t>> readers;
    std::optional<std::size_t> in_order;
    for (std::size_t n = 0; n < code.size(); ++n) {
      const Instruction& i = code[n];
      for (unsigned s = 0; s < i.source_count; ++s) {
        if (const auto at = writer.find(i.sources[s]); at != writer.end()) add(at->second, n);
        readers[i.sources[s]].push_back(n);
      }
      for (unsigned d = 0; d < i.destination_count; ++d) {
        const std::uint16_t entry = i.destinations[d];
        if (const auto at = writer.find(entry); at != writer.end()) add(at->second, n);
        for (const std::size_t reader : readers[entry])
          if (reader != n) add(reader, n);
        readers[entry].clear();
        writer[entry] = n;
      }
      if (!keeps_place(i)) continue;
      if (in_order) add(*in_order, n);
      in_order = n;
    }
  }

  void add(std::size_t first, std::size_t then) {
    behind_[first].push_back(then);
    ++before_[then];
  }

  /// Whether one of `which` has to come behind the first instruction.
  bool follow_first(const std::vector<bool>& which) const {
    std::vector<bool> seen(behind_.size());
    std::vector<std::size_t> open = {0};
    while (!open.empty()) {
      const std::size_t n = open.back();
      open.pop_back();
      if (which[n]) return true;
      if (seen[n]) continue;
      seen[n] = true;
      open.insert(open.end(), behind_[n].begin(), behind_[n].end());
    }
    return false;
  }

  /// All of them, each as early as it may be; fewer where there is no such order.
  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> left = before_, order;
    std::set<std::size_t> ready;
    for (std::size_t n = 0; n < left.size(); ++n)
      if (left[n] == 0) ready.insert(n);
    while (!ready.empty()) {
      order.push_back(ready.extract(ready.begin()).value());
      for (const std::size_t next : behind_[order.back()])
        if (--left[next] == 0) ready.insert(next);
    }
    return order;
  }

 private:
  std::vector<std::vector<std::size_t>> behind_;
  std::vector<std::size_t> before_;  ///< How many.
};

/// Two registers that a copy joins can be one: wherever one of them is written, nothing reads afterwards what the other held.
class Copies {
 public:
  explicit Copies(const Program& program)
      : kernel_(*program.kernel),
        bits_(program.register_bits),
        liveness_(program),
        named_in_(program.register_bits.size()) {
    for (std::uint32_t b = 0; b < program.blocks.size(); ++b) {
      const Code& code = program.blocks[b];
      blocks_.emplace_back(program.instructions.begin() + code.first, program.instructions.begin() + code.end);
      for (const Instruction& i : blocks_[b]) {
        std::for_each(i.sources, i.sources + i.source_count, [&](std::uint16_t entry) { names(b, entry); });
        std::for_each(i.destinations, i.destinations + i.destination_count,
                      [&](std::uint16_t entry) { names(b, entry); });
      }
    }
  }

  /// The instructions of each block that are left.
  std::vector<std::vector<Instruction>> run() && {
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      if (loops(b)) continue;
      for (std::size_t end = 1; end <= blocks_[b].size(); ++end) {
        const std::size_t first = group_of(b, end - 1);
        if (!is_copy(b, first, end)) continue;
        const std::uint16_t to = blocks_[b][end - 1].destinations[0], from = blocks_[b][first].sources[0];
        if (is_of_loop_exit(b, end, to)) {
          erase(b, first, end);
          end = first;
        } else if (unite(to, from)) {
          end = 0;  // What is left begins elsewhere now.
        }
      }
    }
    return std::move(blocks_);
  }

 private:
  /// The instructions of a block from `first` on in another order.
  struct Reordered {
    std::uint32_t block;
    std::size_t first;
    std::vector<Instruction> code;
  };

  void names(std::uint32_t block, std::uint16_t entry) {
    if (named_in_[entry].empty() || named_in_[entry].back() != block) named_in_[entry].push_back(block);
  }
  bool loops(std::uint32_t b) const {
    return std::any_of(blocks_[b].begin(), blocks_[b].end(),
                       [](const Instruction& i) { return i.closes_lock_loop || i.cas_loop; });
  }
  void erase(std::uint32_t b, std::size_t first, std::size_t end) {
    blocks_[b].erase(blocks_[b].begin() + static_cast<std::ptrdiff_t>(first),
                     blocks_[b].begin() + static_cast<std::ptrdiff_t>(end));
  }

  /// The first of the operations of one static instruction that end with `last`.
  std::size_t group_of(std::uint32_t b, std::size_t last) const {
    std::size_t first = last;
    while (first > 0 && blocks_[b][first - 1].static_index == blocks_[b][last].static_index) --first;
    return first;
  }

  bool is_copy(std::uint32_t b, std::size_t first, std::size_t end) const {
    const std::vector<Instruction>& code = blocks_[b];
    const program::StaticInstruction& s = kernel_.instructions[code[first].static_index];
    if (s.operands.size() != 1 || s.operands[0].kind != program::SourceOperand::Kind::reg) return false;
    if (Mnemonic(kernel_.strings[s.mnemonic]).opcode != ptx::Opcode::mov) return false;
    for (std::size_t n = first; n < end; ++n)
      if (code[n].guard != Instruction::no_guard || code[n].source_count != 1) return false;
    return code[end - 1].destination_count == 1 && code[first].sources[0] != code[end - 1].destinations[0];
  }
  bool is_copy_of(std::uint32_t b, std::size_t first, std::size_t end, std::uint16_t to, std::uint16_t from) const {
    return blocks_[b][first].source_count == 1 && blocks_[b][first].sources[0] == from &&
           blocks_[b][end - 1].destination_count == 1 && blocks_[b][end - 1].destinations[0] == to &&
           is_copy(b, first, end);
  }

  /// The block is in a loop, and only what follows the loop reads `to`.
  bool is_of_loop_exit(std::uint32_t b, std::size_t end, std::uint16_t to) const {
    for (std::size_t n = end; n < blocks_[b].size(); ++n)
      if (blocks_[b][n].reads(to) || blocks_[b][n].writes(to)) return false;
    const auto& ways = kernel_.blocks[b].successors;
    const auto stays = [&](std::uint32_t way) { return leads(way, b); };
    return std::any_of(ways.begin(), ways.end(), stays) &&
           std::none_of(ways.begin(), ways.end(),
                        [&](std::uint32_t way) { return stays(way) && liveness_.at_begin(way, to); });
  }

  bool leads(std::uint32_t from, std::uint32_t block) const {
    std::vector<bool> seen(kernel_.blocks.size());
    std::vector<std::uint32_t> open = {from};
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      if (b == block) return true;
      if (seen[b]) continue;
      seen[b] = true;
      open.insert(open.end(), kernel_.blocks[b].successors.begin(), kernel_.blocks[b].successors.end());
    }
    return false;
  }

  bool is_live_behind(std::uint32_t b, std::uint16_t entry) const {
    const auto& ways = kernel_.blocks[b].successors;
    return std::any_of(ways.begin(), ways.end(), [&](std::uint32_t way) { return liveness_.at_begin(way, entry); });
  }

  /// Lets what computes `from` write `to` as well, in all blocks, and removes the copies between them. False, and nothing, where
  /// values of both are needed at once.
  bool unite(std::uint16_t to, std::uint16_t from) {
    if (bits_[to] != bits_[from]) return false;
    std::vector<std::uint32_t> blocks;
    std::set_union(named_in_[to].begin(), named_in_[to].end(), named_in_[from].begin(), named_in_[from].end(),
                   std::back_inserter(blocks));
    std::vector<Reordered> reordered;
    for (const std::uint32_t b : blocks)
      if (!are_apart(b, to, from, reordered)) return false;
    for (const Reordered& one : reordered)
      std::copy(one.code.begin(), one.code.end(), blocks_[one.block].begin() + static_cast<std::ptrdiff_t>(one.first));
    for (const std::uint32_t b : blocks) write_both(b, to, from);
    liveness_.unite(to, from);
    named_in_[to] = std::move(blocks);
    return true;
  }

  /// In one block, perhaps in another order, which is added.
  bool are_apart(std::uint32_t b, std::uint16_t to, std::uint16_t from, std::vector<Reordered>& reordered) const {
    const std::vector<Instruction>& code = blocks_[b];
    bool to_lives = is_live_behind(b, to), from_lives = is_live_behind(b, from);
    for (std::size_t end = code.size(); end > 0;) {
      const std::size_t first = group_of(b, end - 1);
      if (const bool there = is_copy_of(b, first, end, to, from); there || is_copy_of(b, first, end, from, to)) {
        if (loops(b)) return false;
        to_lives = !there, from_lives = there;
        end = first;
        continue;
      }
      const Instruction& i = code[--end];
      const bool writes_to = i.writes(to), writes_from = i.writes(from);
      if (writes_to && (from_lives || writes_from)) return false;
      if (writes_from) {
        if (i.destination_count == max_destinations) return false;
        if (to_lives && !read_before(b, end, to, from, reordered)) return false;
      }
      if (i.writes_all_lanes()) to_lives = to_lives && !writes_to, from_lives = from_lives && !writes_from;
      to_lives = to_lives || i.reads(to), from_lives = from_lives || i.reads(from);
    }
    return true;
  }

  /// `writer` computes `from` while `to` is still read, up to the copy: finds an order in which the readers come first. A compiler
  /// does not delay accesses for that, and copies it has none to delay.
  bool read_before(std::uint32_t b, std::size_t writer, std::uint16_t to, std::uint16_t from,
                   std::vector<Reordered>& reordered) const {
    const std::vector<Instruction>& code = blocks_[b];
    if (loops(b) || code[writer].guard != Instruction::no_guard) return false;
    if (!reordered.empty() && reordered.back().block == b) return false;
    std::size_t first = writer + 1;
    for (; first < code.size(); ++first) {
      if (code[first].writes(from)) return false;
      std::size_t end = first + 1;
      while (end < code.size() && group_of(b, end) == first) ++end;
      if (is_copy_of(b, first, end, to, from)) break;
      if (code[first].writes(to)) return false;
    }
    if (first == code.size()) return false;
    const std::span<const Instruction> between(&code[writer], first - writer);
    if (is_copy(b, group_of(b, writer), writer + 1)) return false;
    Order order(between);
    std::vector<bool> fixed(between.size());
    std::transform(between.begin(), between.end(), fixed.begin(), keeps_place);
    if (order.follow_first(fixed)) return false;
    for (std::size_t n = 1; n < between.size(); ++n)
      if (between[n].reads(to)) order.add(n, 0);
    const std::vector<std::size_t> found = order.sorted();
    if (found.size() != between.size()) return false;
    Reordered& one = reordered.emplace_back(Reordered{b, writer, {}});
    for (const std::size_t n : found) one.code.push_back(between[n]);
    return true;
  }

  /// `from` keeps its name from where a block computes it to the end of that block.
  void write_both(std::uint32_t b, std::uint16_t to, std::uint16_t from) {
    std::vector<Instruction>& code = blocks_[b];
    for (std::size_t end = code.size(); end > 0;) {
      const std::size_t first = group_of(b, end - 1);
      if (is_copy_of(b, first, end, to, from) || is_copy_of(b, first, end, from, to)) erase(b, first, end);
      end = first;
    }
    bool own = false;
    for (Instruction& i : code) {
      if (!own) {
        std::replace(i.sources, i.sources + i.source_count, from, to);
        if (i.guard == from) i.guard = to;
      }
      if (!i.writes(from)) continue;
      own = own || i.writes_all_lanes();
      i.destinations[i.destination_count++] = to;
    }
  }

  const program::Kernel& kernel_;
  const std::vector<std::uint8_t>& bits_;
  Liveness liveness_;
  std::vector<std::vector<Instruction>> blocks_;
  std::vector<std::vector<std::uint32_t>> named_in_;  ///< By scoreboard entry: the blocks that name it, in order.
};

}  // namespace

void remove_copies(Program& program) {
  const auto& blocks = program.kernel->blocks;
  // Older traces do not tell where blocks lead.
  if (std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.successors.empty(); })) return;
  const std::vector<std::vector<Instruction>> left = Copies(program).run();
  program.instructions.clear();
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b) {
    Code& code = program.blocks[b];
    const std::uint32_t before = code.first;
    code.first = static_cast<std::uint32_t>(program.instructions.size());
    program.instructions.insert(program.instructions.end(), left[b].begin(), left[b].end());
    code.end = static_cast<std::uint32_t>(program.instructions.size());
    for (std::uint32_t n = code.first; n < code.end; ++n) {
      Instruction& i = program.instructions[n];
      if (i.operation == Operation::branch && (i.closes_lock_loop || i.cas_loop)) i.loop_start += code.first - before;
    }
  }
}

}  // namespace lockstep::machine
