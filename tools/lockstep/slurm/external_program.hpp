#pragma once
// Programs of others.

#include <optional>
#include <string>
#include <vector>

namespace lockstep::cli {

struct ProgramOutput {
  int code = 0;  ///< Exit status; 128 and the signal that ended it.
  std::string out, err;
};

/// Runs a program that is found in PATH, without standard input, to its end. Nothing when there is none of the name;
/// ResourceError when the system cannot run it.
std::optional<ProgramOutput> run_program(const std::vector<std::string>& words);

}  // namespace lockstep::cli
