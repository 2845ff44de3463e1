#pragma once

#include <cstdint>

namespace lockstep {

/// A point in time or a duration in cycles of the SM's (shader) clock.
using Cycle = std::uint64_t;

/// Later than any cycle: "not before something else happens".
inline constexpr Cycle never = ~Cycle{0};

}  // namespace lockstep
