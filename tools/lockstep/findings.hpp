#pragma once
// The checks of `lockstep trace`: which are wanted, and what they found.

#include <string>
#include <vector>

#include "isa/exec/checks/findings.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::cli {

/// "init,race", "all" or "none". InputError when a name is not that of a check.
exec::CheckSet checks_named(const std::string& names);

/// The field "findings": an object per finding.
void add_findings(stats::JsonWriter& json, const std::vector<exec::Finding>& findings);

/// Prints them as errors.
void print_findings(const std::vector<exec::Finding>& findings);

}  // namespace lockstep::cli
