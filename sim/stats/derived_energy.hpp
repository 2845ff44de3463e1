#pragma once
// Power, energy and area, computed from counters by models/energy.

#include <vector>

#include "sim/stats/catalog.hpp"

namespace lockstep::stats {

/// In the order of results. Without a value on GPUs whose parameters `energy` do not say enough.
std::vector<Derived> energy_statistics();

}  // namespace lockstep::stats
