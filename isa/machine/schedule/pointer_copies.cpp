#include "isa/machine/schedule/pointer_copies.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/names.hpp"

namespace lockstep::machine {

namespace {

/// Instructions of a round, with which every pointer is copied, and with which one that is stored through is.
constexpr std::size_t most_for_all = 15, most_for_stores = 23;

/// A pointer and its copy, by their scoreboard entries.
struct Pointer {
  std::uint16_t entry = 0, copy = 0;
  bool stores = false;
};

class Round {
 public:
  Round(const Program& program, const Code& code)
      : program_(program),
        kernel_(*program.kernel),
        code_(program.instructions.begin() + code.first, program.instructions.begin() + code.end) {}

  std::vector<Pointer> copied() const {
    std::vector<Pointer> all;
    if (code_.size() > most_for_stores) return all;
    for (std::size_t n = 0; n < code_.size(); ++n)
      for (unsigned d = 0; d < code_[n].destination_count; ++d)
        if (const auto pointer = stepped(n, code_[n].destinations[d])) all.push_back(*pointer);
    if (code_.size() <= most_for_all) return all;
    all.erase(std::remove_if(all.begin(), all.end(), [](const Pointer& p) { return !p.stores; }), all.end());
    all.resize(std::min<std::size_t>(all.size(), 1));
    return all;
  }

  /// The code with these copies.
  std::vector<Instruction> with_copies(const std::vector<Pointer>& pointers) const {
    std::vector<Instruction> all;
    std::vector<bool> there(pointers.size());
    for (Instruction i : code_) {
      for (std::size_t p = 0; accesses_memory(i) && p < pointers.size(); ++p) {
        if (!i.reads(pointers[p].entry)) continue;
        const std::uint16_t copy = pointers[p].copy;
        if (!there[p]) {
          all.push_back(move(i, pointers[p].entry));
          all.push_back(move(i, pointers[p].entry));
          all.back().destinations[all.back().destination_count++] = copy;
        }
        there[p] = true;
        std::replace(i.sources, i.sources + i.source_count, pointers[p].entry, copy);
      }
      all.push_back(i);
    }
    return all;
  }

 private:
  static bool stores(const Instruction& i) {
    return i.operation == Operation::global_store || i.operation == Operation::global_reduction;
  }
  static bool accesses_memory(const Instruction& i) {
    return stores(i) || i.operation == Operation::global_load || i.operation == Operation::global_atomic;
  }

  /// Of a 64-bit sum in place that instruction `n` ends, behind all accesses through it.
  std::optional<Pointer> stepped(std::size_t n, std::uint16_t entry) const {
    if (program_.register_bits[entry] != 64 || code_[n].guard != Instruction::no_guard) return {};
    const program::StaticInstruction& s = kernel_.instructions[code_[n].static_index];
    if (!is_plain(Mnemonic(kernel_.strings[s.mnemonic]), ptx::Opcode::add, 64)) return {};
    std::size_t first = n;
    while (first > 0 && code_[first - 1].static_index == code_[n].static_index) --first;
    if (!code_[first].reads(entry)) return {};
    Pointer pointer{.entry = entry};
    bool used = false;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (i != n && code_[i].writes(entry)) return {};
      if (!accesses_memory(code_[i]) || !code_[i].reads(entry)) continue;
      if (i > n) return {};
      used = true;
      pointer.stores = pointer.stores || stores(code_[i]);
    }
    return used ? std::optional(pointer) : std::nullopt;
  }

  /// Half a pair for the access; IMAD.MOV as well as MOV.
  static Instruction move(const Instruction& access, std::uint16_t from) {
    Instruction i;
    i.operation = Operation::integer;
    i.alternative = Operation::integer_multiply;
    i.static_index = access.static_index;
    i.sources[i.source_count++] = from;
    return i;
  }

  const Program& program_;
  const program::Kernel& kernel_;
  std::vector<Instruction> code_;
};

/// Whether `block` may come right behind basic block `last`, or behind a jump that is all that stands between.
bool goes_back(const program::Kernel& kernel, std::uint32_t last, std::uint32_t block) {
  const auto& ways = kernel.blocks[last].successors;
  return std::any_of(ways.begin(), ways.end(), [&](std::uint32_t way) {
    return way == block ||
           (kernel.blocks[way].count == 1 && kernel.blocks[way].successors == std::vector<std::uint32_t>{block});
  });
}

}  // namespace

void copy_pointers(Program& program) {
  const program::Kernel& kernel = *program.kernel;
  const auto is_unrolled = [&](std::size_t b) { return b < program.unrolled.size() && !program.unrolled[b].empty(); };
  std::vector<Instruction> all;
  all.reserve(program.instructions.size());
  Names names(program);
  const auto rewrite = [&](Code& code, bool loop) {
    const auto first = static_cast<std::uint32_t>(all.size());
    names.begin();
    std::vector<Pointer> pointers;
    const Round round(program, code);
    if (loop) pointers = round.copied();
    for (std::size_t n = 0; n < pointers.size(); ++n) {
      const auto name = names.like(pointers[n].entry);
      if (name) {
        pointers[n].copy = *name;
      } else {
        pointers.resize(n);
      }
    }
    for (Instruction& i : round.with_copies(pointers)) {
      if (i.closes_lock_loop || i.cas_loop) i.loop_start += first - code.first;
      all.push_back(i);
    }
    code.first = first, code.end = static_cast<std::uint32_t>(all.size());
  };
  const auto is_loop = [&](std::uint32_t b, std::uint32_t last, const Code& code) {
    if (is_unrolled(b) || !goes_back(kernel, last, b)) return false;
    return std::none_of(program.instructions.begin() + code.first, program.instructions.begin() + code.end,
                        [](const Instruction& i) { return i.closes_lock_loop || i.cas_loop; });
  };
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b)
    rewrite(program.blocks[b], is_loop(b, b, program.blocks[b]));
  for (std::uint32_t b = 0; b < program.predicated.size(); ++b) {
    Path& path = program.predicated[b];
    if (path.code.executions != 0) rewrite(path.code, is_loop(b, path.hammocks.back().join, path.code));
  }
  for (std::vector<Path>& paths : program.unrolled)
    for (Path& path : paths) rewrite(path.code, false);
  program.instructions = std::move(all);
}

}  // namespace lockstep::machine
