#include "sim/gpu/counters.hpp"

namespace lockstep::gpu {

SmCounters& SmCounters::operator+=(const SmCounters& other) {
  // Every member is an unsigned 64-bit count or an array of them, so the whole structure adds up as one array.
  static_assert(sizeof(SmCounters) % sizeof(std::uint64_t) == 0);
  constexpr std::size_t count = sizeof(SmCounters) / sizeof(std::uint64_t);
  auto* sum = reinterpret_cast<std::uint64_t*>(this);
  const auto* part = reinterpret_cast<const std::uint64_t*>(&other);
  for (std::size_t i = 0; i < count; ++i) sum[i] += part[i];
  return *this;
}

}  // namespace lockstep::gpu
