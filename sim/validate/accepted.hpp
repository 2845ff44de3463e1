#pragma once
// Reading accepted-deviations.yaml, which stands beside suites; for suite_reader.cpp.

#include <string>
#include <vector>

#include "sim/config/error_list.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

/// The file's name without its ending: no suite has it.
inline const std::string accepted_name = "accepted-deviations";

/// Reads the deviations that are accepted of one suite. What is wrong is added to `errors`.
void read_accepted(Suite& suite, config::ErrorList& errors);
/// Reports what is accepted of suites that do not exist.
void check_accepted_suites(const std::vector<Suite>& suites, config::ErrorList& errors);

}  // namespace lockstep::validate
