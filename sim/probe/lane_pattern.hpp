#pragma once
// The PATTERN of a command line: the word address of each lane.

#include <cstdint>
#include <string>
#include <string_view>

#include "models/analytic/warp_access.hpp"

namespace lockstep::probe {

/// Reads "0,1024,2-31": numbers and ascending ranges, lane 0 first; `x` is an inactive lane, lanes past the end are
/// inactive. `words` is the size of the scratchpad memory that a thread block may have. InputError names every error at
/// its column, and requires at least one active lane.
analytic::WarpAccess parse_lane_pattern(std::string_view text, std::uint64_t words);

/// The shortest such text of an access: runs of successive words become ranges.
std::string to_text(const analytic::WarpAccess& access);

}  // namespace lockstep::probe
