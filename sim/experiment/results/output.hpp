#pragma once
// What a run leaves behind, and what it shows.

#include <string>
#include <vector>

#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/runner.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::experiment {

/// Adds the fields of one point to an open object: gpu, workload, cycles, stats, derived, ...
void add_fields(stats::JsonWriter& json, const Row& row);
/// The same of a single replay.
void add_fields(stats::JsonWriter& json, const PointResult& result);

/// The run as JSON, schema lockstep.run/1.
std::string results_json(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome);
/// One line per point with every statistic, RFC 4180. Equal for equal results, whatever the number of threads.
std::string results_csv(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome);
/// The experiment's own table.
std::string results_table(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome);

/// Where results come from.
struct Provenance {
  std::string version, commit;  ///< commit "" when not built from a checkout.
  std::vector<std::string> command_line;
};

/// Writes provenance.json into `folder`.
void write_provenance(const std::string& folder, const Experiment& experiment, const std::vector<Point>& points,
                      const RunOutcome& outcome, const Provenance& provenance);

/// Writes results.json, results.csv, effective.yaml and provenance.json into `folder`, each complete or not at all.
void write_files(const std::string& folder, const Experiment& experiment, const std::vector<Point>& points,
                 const RunOutcome& outcome, const Provenance& provenance);

}  // namespace lockstep::experiment
