#pragma once
// Experiment files: which points to run and what table to show. The format is described in
// configs/experiments/README.md.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/parameter.hpp"
#include "sim/experiment/check_spec.hpp"
#include "sim/experiment/named_hash.hpp"
#include "sim/experiment/reference.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::experiment {

/// One swept path with its values, in file order. The paths "gpu", "workload" and "variant" stand for the lists of those.
struct Axis {
  std::string path;
  std::vector<config::Value> values;
};

/// Settings that go together under a name.
struct Variant {
  std::string name;
  std::vector<config::Override> settings;
  /// More of them at these workloads; when there are any, the variant has no points at other workloads.
  std::vector<std::pair<std::string, std::vector<config::Override>>> at;
};

/// A column of the table.
struct Column {
  std::string name;             ///< A swept path, "cycles", "time_ms", a statistic, "derived.NAME", ...
  std::string header;           ///< The name when the file gives none.
  std::string unit;             ///< From the declaration of what is shown.
  std::optional<int> decimals;  ///< Of a number; left out: as its kind suggests.
  bool percent = false;
};

/// A condition that points must meet: over the workload's arguments that are set or swept, by name.
struct PointCondition {
  workload::Expression holds;
  SourceLocation where;
};

/// A GPU of the experiment: the tree that configures it.
struct GpuChoice {
  config::Value root;
  std::string default_name;
};

/// A launch descriptor of the experiment.
struct WorkloadChoice {
  std::string path, name;
  std::vector<config::Override> settings;  ///< Of its points alone.
  std::vector<Reference> references;       ///< What its points are compared with.
};

struct Experiment {
  std::string name, title, text, file;
  std::vector<GpuChoice> gpus;
  std::vector<WorkloadChoice> workloads;
  std::vector<GpuChoice> reference_gpus;   ///< That references run on.
  std::vector<config::Override> settings;  ///< `set`, then -s: GPU parameters and args.NAME.
  std::vector<NamedHash> hashes;
  std::vector<Variant> variants;
  std::optional<PointCondition> only;      ///< Combinations that fail it are skipped.
  std::vector<Axis> axes;                  ///< "gpu", "workload" and "variant" first, where there are several.
  std::vector<config::Override> baseline;  ///< Axis and the value that derived.speedup compares with.
  std::vector<Column> columns;
  std::vector<Check> checks;
};

/// One run of one workload on one GPU.
struct Point {
  std::vector<std::pair<std::string, config::Value>> swept;  ///< Axis and value.
  gpu::GpuSpec gpu;
  std::string workload;  ///< Path.
  workload::ArgumentOverrides arguments;
  std::vector<HashUse> hashes;  ///< Parameters with a named hash. A stated one is in `gpu` already.
  /// The runs that it is compared with; `swept` of each holds its workload, GPU and settings.
  std::vector<Point> references;

  /// "args.layout=bin-major args.replication=4"; equal for equal points only.
  std::string label() const;
};

/// Reads an experiment by path or by name (configs/experiments/NAME.yaml) and applies -s overrides: of a swept path
/// they replace its values by one. Unknown keys, parameters, arguments and columns are reported together.
Experiment load_experiment(const std::string& path_or_name, const std::vector<config::Override>& overrides = {});

/// All points, the last axis fastest. InputError when a combination breaks a rule of the GPU's parameters.
std::vector<Point> expand(const Experiment& experiment);

/// The experiment with every GPU parameter written out, as a file that load_experiment reads to the same points.
std::string effective_yaml(const Experiment& experiment);

}  // namespace lockstep::experiment
