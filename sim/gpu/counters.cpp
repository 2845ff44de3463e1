#include "sim/gpu/counters.hpp"

namespace lockstep::gpu {

namespace {

/// For structures whose every member is an unsigned 64-bit count or an array of them: they add up as one array.
template <class Counts>
void add(Counts& to, const Counts& from) {
  static_assert(sizeof(Counts) % sizeof(std::uint64_t) == 0);
  constexpr std::size_t count = sizeof(Counts) / sizeof(std::uint64_t);
  auto* sum = reinterpret_cast<std::uint64_t*>(&to);
  const auto* part = reinterpret_cast<const std::uint64_t*>(&from);
  for (std::size_t i = 0; i < count; ++i) sum[i] += part[i];
}

}  // namespace

SmCounters& SmCounters::operator+=(const SmCounters& other) {
  add(*this, other);
  return *this;
}

InstructionCounters& InstructionCounters::operator+=(const InstructionCounters& other) {
  add(*this, other);
  return *this;
}

}  // namespace lockstep::gpu
