#pragma once
// The intra-warp performance model of section 4.3 of Gomez-Luna (2012): what an access of one warp takes alone.

#include <cstdint>
#include <optional>

#include "models/analytic/spec.hpp"
#include "models/analytic/warp_access.hpp"

namespace lockstep::analytic {

/// An estimate and how it came about.
struct Estimate {
  Cycle cycles = 0;
  std::uint32_t iterations = 0;  ///< Of the lock loop.
};

/// Listing 4.5: an atomic addition. Nothing when there is no model of this GPU; 0 cycles without lanes.
std::optional<Estimate> atomic_latency(const Spec& spec, const Layout& layout, const WarpAccess& access);

/// Section 4.3.3: a load, a store, and load, addition, store of the same words.
std::optional<Cycle> load_latency(const Spec& spec, const Layout& layout, const WarpAccess& access);
std::optional<Cycle> store_latency(const Spec& spec, const Layout& layout, const WarpAccess& access);
std::optional<Cycle> read_modify_write_latency(const Spec& spec, const Layout& layout, const WarpAccess& access);

}  // namespace lockstep::analytic
