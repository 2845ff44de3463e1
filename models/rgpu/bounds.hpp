#pragma once
// What every mapping of a problem needs, found without a search.

#include <cstdint>
#include <vector>

#include "models/rgpu/problem.hpp"

namespace lockstep::rgpu {

/// True when every cycle of the problem goes through a value of `cut`.
bool acyclic_without(const Problem& problem, const std::vector<std::uint32_t>& cut);

/// Values that every placement has at some slot. At the slot where an item reads there are its operands, the value that
/// it writes there when it is a load-store unit, and one value of every cycle that uses none of these: cycles go around
/// the whole ring.
std::uint32_t least_lanes(const Problem& problem);

/// Slots of the shortest piece of the ring that has enough units of each kind; of the whole ring when there is a cycle.
std::uint32_t least_span(const Problem& problem);

}  // namespace lockstep::rgpu
