#include "isa/machine/schedule/liveness.hpp"

namespace lockstep::machine {

Liveness::Liveness(const Program& program) {
  const std::size_t words = (program.register_bits.size() + 63) / 64, count = program.blocks.size();
  in_.assign(count, std::vector<std::uint64_t>(words));
  std::vector<std::vector<std::uint64_t>> written(count, std::vector<std::uint64_t>(words));
  for (std::size_t b = 0; b < count; ++b) {
    const auto has = [](const std::vector<std::uint64_t>& set, std::uint16_t r) { return (set[r / 64] >> r % 64) & 1; };
    for (std::uint32_t n = program.blocks[b].first; n < program.blocks[b].end; ++n) {
      const Instruction& i = program.instructions[n];
      for (unsigned s = 0; s < i.source_count; ++s)
        if (!has(written[b], i.sources[s])) in_[b][i.sources[s] / 64] |= std::uint64_t{1} << i.sources[s] % 64;
      if (!i.writes_all_lanes()) continue;
      for (unsigned d = 0; d < i.destination_count; ++d)
        written[b][i.destinations[d] / 64] |= std::uint64_t{1} << i.destinations[d] % 64;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;) {
      for (const std::uint32_t next : program.kernel->blocks[b].successors) {
        for (std::size_t w = 0; w < words; ++w) {
          const std::uint64_t more = in_[next][w] & ~written[b][w] & ~in_[b][w];
          in_[b][w] |= more;
          changed = changed || more != 0;
        }
      }
    }
  }
}

void Liveness::unite(std::uint32_t entry, std::uint32_t other) {
  for (std::vector<std::uint64_t>& in : in_) {
    in[entry / 64] |= (in[other / 64] >> other % 64 & 1) << entry % 64;
    in[other / 64] &= ~(std::uint64_t{1} << other % 64);
  }
}

}  // namespace lockstep::machine
