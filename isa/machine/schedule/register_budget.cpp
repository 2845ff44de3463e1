#include "isa/machine/schedule/register_budget.hpp"

#include <algorithm>

namespace lockstep::machine {

std::uint32_t words_of(const Program& program, std::uint16_t entry) {
  return (program.register_bits[entry] + 16u) / 32;  // Halves take a register, predicates none.
}

std::uint32_t LiveSet::words(const Program& program, const std::vector<bool>& without) const {
  std::uint32_t all = 0;
  for (std::size_t entry = 0; entry < bits_.size(); ++entry)
    if (bits_[entry] && (without.empty() || !without[entry]))
      all += words_of(program, static_cast<std::uint16_t>(entry));
  return all;
}

void LiveSet::pass(const Instruction& i, bool kills) {
  if (kills)
    for (unsigned d = 0; d < i.destination_count; ++d) remove(i.destinations[d]);
  for (unsigned s = 0; s < i.source_count; ++s) add(i.sources[s]);
}

LiveSet live_behind(const Program& program, const Liveness& liveness, std::uint32_t block) {
  LiveSet live(program.register_bits.size());
  for (const std::uint32_t next : program.kernel->blocks[block].successors)
    for (std::size_t entry = 0; entry < program.register_bits.size(); ++entry)
      if (liveness.at_begin(next, static_cast<std::uint16_t>(entry))) live.add(static_cast<std::uint16_t>(entry));
  return live;
}

std::uint32_t room_for(std::uint32_t words) {
  // Of an SM with 65,536 registers, given to threads in eights, and at most 64 warps, the same number on each of four schedulers.
  constexpr std::uint32_t all = 65536, lanes = 32, most_warps = 64, schedulers = 4, unit = 8, most = 255;
  for (std::uint32_t warps = most_warps; warps > 2 * schedulers; warps -= schedulers) {
    const std::uint32_t registers = all / lanes / warps / unit * unit;
    if (words + spared_registers <= registers) return registers - spared_registers;
  }
  return std::max(words, most - spared_registers);
}

}  // namespace lockstep::machine
