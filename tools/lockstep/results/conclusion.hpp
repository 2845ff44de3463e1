#pragma once
// What a command that ends with a results folder writes and shows.

#include <functional>
#include <string>
#include <vector>

#include "sim/experiment/runner.hpp"
#include "tools/lockstep/arguments.hpp"
#include "tools/lockstep/commands.hpp"

namespace lockstep::cli {

/// Points with what they came to, in a folder.
struct Concluded {
  const experiment::Experiment& experiment;
  const std::vector<experiment::Point>& points;
  const experiment::RunOutcome& outcome;
  std::string folder;
};

/// Prints what went wrong at which points; returns the exit code.
int report_failures(const Concluded& run);

/// Writes the files beside results.db and the report, with the section that `explained` makes when those are there; shows table or JSON, checks, notes, `summary` and what
/// failed. Returns the exit code.
int conclude(const Concluded& run, const std::function<std::string()>& explained, const std::string& summary,
             const Common& common, const Invocation& invocation);

}  // namespace lockstep::cli
