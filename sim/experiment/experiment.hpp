#pragma once
// Experiment files: which points to run and what table to show. The format is described in
// configs/experiments/README.md.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/checks/check_spec.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/figures/figure.hpp"
#include "sim/experiment/point.hpp"
#include "sim/experiment/settings.hpp"
#include "sim/experiment/slurm_settings.hpp"

namespace lockstep::experiment {

/// Settings that go together under a name.
struct Variant {
  std::string name;
  Settings settings;
  /// More of them at these workloads; when there are any, the variant has no points at other workloads.
  std::vector<std::pair<std::string, Settings>> at;
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

  /// As the tree names it.
  std::string name() const;
};

/// One run that the points of a workload are compared with, or one for each combination of its settings.
struct Reference {
  std::string path, name;              ///< Of the workload.
  std::vector<std::string> arguments;  ///< That the workload has, by name.
  std::optional<std::size_t> gpu;      ///< Of Experiment::reference_gpus; left out: the point's own.
  std::vector<Axis> settings;          ///< Paths with one value or several.
};

/// A launch descriptor of the experiment.
struct WorkloadChoice {
  std::string path, name;
  Settings settings;                  ///< Of its points alone.
  std::vector<Reference> references;  ///< What its points are compared with.
};

struct Experiment {
  std::string name, title, text, file;
  std::vector<GpuChoice> gpus;
  std::vector<WorkloadChoice> workloads;
  std::vector<GpuChoice> reference_gpus;  ///< That references run on.
  Settings settings;                      ///< `set`, then -s: GPU parameters and args.NAME.
  std::vector<NamedHash> hashes;
  std::vector<Variant> variants;
  std::optional<PointCondition> only;  ///< Combinations that fail it are skipped.
  std::vector<Axis> axes;              ///< "gpu", "workload" and "variant" first, where there are several.
  Settings baseline;                   ///< Axis and the value that derived.speedup compares with.
  std::vector<TableColumn> columns;
  std::vector<Figure> figures;
  std::vector<Check> checks;
  SlurmSettings slurm;  ///< How it runs on a cluster; decides no result.
};

/// Where experiments are found by name: NAME.yaml in this folder or somewhere below it.
inline constexpr config::NamedFolder experiment_folder{"configs/experiments", true};

/// Reads an experiment by path or by name (experiment_folder) and applies -s overrides: of a swept path they replace its
/// values by one. Unknown keys, parameters, arguments and columns are reported together.
Experiment load_experiment(const std::string& path_or_name, const std::vector<config::Override>& overrides = {});

/// The experiment of one point that runs a workload, by path or by name, on a GPU; -s overrides apply.
Experiment experiment_of_workload(const std::string& path_or_name, const std::string& gpu,
                                  const std::vector<config::Override>& overrides = {});

/// All points, the last axis fastest. InputError when a combination breaks a rule of the GPU's parameters.
std::vector<Point> expand(const Experiment& experiment);

/// The experiment with every GPU parameter written out, as a file that load_experiment reads to the same points.
std::string effective_yaml(const Experiment& experiment);

}  // namespace lockstep::experiment
