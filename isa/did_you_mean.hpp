#pragma once
// How a message names what the user may have meant.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// "; did you mean 'NAME'?" of the candidate nearest to a word that is none of them; `otherwise` when none is near enough
/// to be a likely misspelling. Ends a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view otherwise = "");
/// The same as an aside, " (did you mean 'NAME'?)", or "" when none is near enough.
std::string did_you_mean_aside(std::string_view word, const std::vector<std::string>& candidates);
/// "; did you mean 'NAME'?", or "" for the name "".
std::string did_you_mean_name(std::string_view name);

}  // namespace lockstep
