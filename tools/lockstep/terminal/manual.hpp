#pragma once
// Manual pages in the macros of man(7).

#include <string>
#include <vector>

#include "tools/lockstep/terminal/command_text.hpp"

namespace lockstep::cli {

struct ManualPage {
  std::string name;  ///< "lockstep-hash-count".
  std::string text;
};
/// One of the program, and one of each command, those of groups included.
std::vector<ManualPage> manual_pages(const CommandText& program, const std::string& version);

}  // namespace lockstep::cli
