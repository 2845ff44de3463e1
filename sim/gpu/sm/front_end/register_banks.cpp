#include "sim/gpu/sm/front_end/register_banks.hpp"

#include <algorithm>
#include <array>

namespace lockstep::gpu {

RegisterBanks::RegisterBanks(const RegisterFileSpec& spec, const machine::Program& program) : spec_(spec) {
  std::uint32_t next = 0;
  for (const std::uint32_t wide : program.register_bits) {
    const std::uint32_t count = wide == 1 ? 0 : std::max(1u, wide / 32);
    if (count > 1) next = (next + count - 1) / count * count;
    places_.push_back({next, count});
    next += count;
  }
}

std::uint32_t RegisterBanks::extra_cycles(const machine::Instruction& i) const {
  std::array<std::uint8_t, 64> reads{};
  std::uint32_t most = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n) {
    if (std::find(i.sources, i.sources + n, i.sources[n]) != i.sources + n) continue;
    const Place& place = places_[i.sources[n]];
    for (std::uint32_t word = 0; word < place.count; ++word)
      most = std::max<std::uint32_t>(most, ++reads[(place.first + word) % spec_.banks]);
  }
  return most == 0 ? 0 : (most + spec_.ports - 1) / spec_.ports - 1;
}

}  // namespace lockstep::gpu
