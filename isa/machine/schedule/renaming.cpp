#include "isa/machine/schedule/renaming.hpp"

#include <algorithm>
#include <span>

#include "isa/machine/schedule/names.hpp"

namespace lockstep::machine {

namespace {

/// Whether what it writes to `reg` is a new value, of which nothing older is left.
bool begins_value(const Instruction& i, std::uint16_t reg) {
  return i.writes_all_lanes() && std::find(i.sources, i.sources + i.source_count, reg) == i.sources + i.source_count;
}

void rename(std::span<Instruction> code, Names& names) {
  const bool loops =
      std::any_of(code.begin(), code.end(), [](const Instruction& i) { return i.closes_lock_loop || i.cas_loop; });
  if (loops) return;
  std::map<std::uint16_t, std::size_t> last;  // Of each register: the instruction that begins its last value.
  for (std::size_t n = 0; n < code.size(); ++n)
    for (unsigned d = 0; d < code[n].destination_count; ++d)
      if (begins_value(code[n], code[n].destinations[d])) last[code[n].destinations[d]] = n;
  names.begin();
  std::map<std::uint16_t, std::uint16_t> called;  // The values that have another name, by register.
  const auto name_of = [&](std::uint16_t reg) {
    const auto at = called.find(reg);
    return at == called.end() ? reg : at->second;
  };
  for (std::size_t n = 0; n < code.size(); ++n) {
    Instruction& i = code[n];
    const Instruction before = i;
    for (unsigned s = 0; s < i.source_count; ++s) i.sources[s] = name_of(before.sources[s]);
    if (i.guard != Instruction::no_guard) i.guard = name_of(before.guard);
    for (unsigned d = 0; d < i.destination_count; ++d) {
      const std::uint16_t reg = before.destinations[d];
      if (begins_value(before, reg)) {
        called.erase(reg);
        if (last[reg] != n)
          if (const auto name = names.like(reg)) called[reg] = *name;
      }
      i.destinations[d] = name_of(reg);
    }
  }
}

}  // namespace

void rename(Program& program) {
  Names names(program);
  for (const Code& block : program.blocks)
    rename(std::span(program.instructions).subspan(block.first, block.end - block.first), names);
  for (const auto& [code, hammocks] : program.predicated)
    rename(std::span(program.instructions).subspan(code.first, code.end - code.first), names);
}

}  // namespace lockstep::machine
