#pragma once
// Scripts with which shells complete the command line.

#include <string>

#include "tools/lockstep/terminal/command_text.hpp"

namespace lockstep::cli {

/// For bash 4 and later, without the package bash-completion.
std::string bash_completion(const CommandText& program);
/// For zsh's completion system: a file _lockstep in a folder of $fpath.
std::string zsh_completion(const CommandText& program);

}  // namespace lockstep::cli
