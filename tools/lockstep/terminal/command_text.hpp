#pragma once
// What the declarations of commands say, as plain data: for completion and manual pages.

#include <string>
#include <vector>

namespace lockstep::cli {

/// An option, a flag or a positional argument.
struct OptionText {
  std::vector<std::string> names;  ///< "-j", "--jobs"; of a positional argument the name alone.
  std::string value;               ///< What its value is, such as "NAME|FILE"; "": a flag.
  std::string text;                ///< Lines for people.
  bool positional = false, required = false, repeated = false;
};

struct CommandText {
  std::string name;  ///< With that of the group in front: "hash count"; of the program "lockstep".
  std::string text, footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;  ///< Below it.
};

}  // namespace lockstep::cli
