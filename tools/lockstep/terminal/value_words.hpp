#pragma once
// What can stand for the value of an option, by what its declaration calls it.

#include <string>
#include <string_view>
#include <vector>

#include "tools/lockstep/terminal/command_text.hpp"

namespace lockstep::cli {

struct ValueWords {
  std::vector<std::string> words;        ///< Such as "bank" and "lock".
  std::vector<std::string_view> topics;  ///< Of named_topics().
  bool files = false, folders = false;
  bool paths = false;  ///< Names of parameters, with "=" behind them.
};

/// `value` is the declared name of the value: literal words in lower case and kinds in capitals between bars.
ValueWords value_words(const OptionText& option);

}  // namespace lockstep::cli
