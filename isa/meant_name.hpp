#pragma once
// Which of several names was meant by one that is none of them.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// Of names made of parts ("sm.scratchpad.bank_hash"), the one whose parts the word's parts are, begin, or are but for a
/// letter, in their order, however they are put together ("hash", "scratchpad banks"); of several the one with the fewest
/// others, and of those one of the scratchpad before the first. Else the one that nearest_name() finds; "" when none is near enough.
std::string meant_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep
