#pragma once
// The tables of results.db; README.md describes them.

#include <array>

namespace lockstep::experiment {

/// Name and version of the tables, in `about`. A database of another version is refused.
inline constexpr const char* results_format = "lockstep.results/7";

/// SQL that makes the tables that are not there yet.
extern const char* const results_schema;

/// What hangs on a row of `points` by its number, and is stored and sealed together with it.
inline constexpr std::array point_tables = {"axis_values", "launches",  "hashes", "reference_runs", "reference_derived",
                                            "notes",       "arguments", "clocks", "stats",          "derived"};

}  // namespace lockstep::experiment
