#pragma once

#include <string_view>

namespace lockstep::cli {

/// Whether `pattern` is in the text, in letters of any case; '*' stands for any characters. A pattern with '*' has to fit the
/// whole text.
bool fits(std::string_view text, std::string_view pattern);

}  // namespace lockstep::cli
