#pragma once
// Launch descriptors (traces/workloads) turned into a task for the functional machine, and the check of its
// results. The format is described in traces/workloads/README.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/exec/launch.hpp"
#include "isa/exec/machine.hpp"
#include "models/rgpu/spec.hpp"
#include "sim/config/value.hpp"
#include "sim/workload/pictures/picture.hpp"

namespace lockstep::workload {

/// PATH=VALUE pairs that override named arguments: {"bins", "64"}.
using ArgumentOverrides = std::vector<std::pair<std::string, std::string>>;

/// Arguments that every workload has.
inline constexpr const char *software_hash_argument = "software_hash",
                            *software_hash_banks_argument = "software_hash_banks";

/// A named argument as the descriptor declares it.
struct ArgumentInfo {
  std::string name, default_text, text;
  std::vector<std::string> choices;  ///< Names that the value may take, empty for numbers.
  bool built_in = false;             ///< Every workload has it.
};

/// One difference between an expected and a computed buffer, or none.
struct CheckResult {
  bool checked = false;  ///< False when the descriptor expects nothing.
  bool passed = false;
  std::string message;   ///< On failure: buffer, first differing element, both values, how many differ.
  SourceLocation where;  ///< On failure: the expectation in the descriptor, of several the first.
};

/// What becomes of a graph that needs more units than an SM has: parts, or nothing.
enum class LargeGraphs : std::uint8_t { split, keep };

/// Where descriptors, and graphs, are found by name.
inline constexpr config::NamedFolder workload_folder{"traces/workloads", true}, graph_folder{"configs/rgpu"};

/// The path of a descriptor given by path or by name: NAME.yaml somewhere in traces/workloads, or a graph
/// configs/rgpu/NAME.yaml.
std::string find_workload(const std::string& path_or_name);

class Workload {
 public:
  /// Reads a descriptor by path or by name (find_workload). All errors are reported together.
  static Workload load(const std::string& path_or_name);
  Workload(Workload&&) noexcept;
  Workload& operator=(Workload&&) noexcept;
  ~Workload();

  const std::string& name() const;
  const std::string& description() const;
  std::vector<ArgumentInfo> arguments() const;
  /// Whether a launch has an R-GPU graph.
  bool has_graph() const;

  /// Evaluates every expression with these overrides and reads all inputs. InputError for an unknown argument (with the
  /// nearest name), a value that is no choice, or a failed `require`. Graphs are made for `fabric`, without one (or with
  /// one that has no cores) for that of Van den Braak, chapter 7. Graphs that need more units than it has are split over
  /// thread blocks; then the task has one more buffer. Where the host reads what launches have left, these are executed, once
  /// for the same arguments. `resident_blocks` takes the place of the descriptor's.
  std::unique_ptr<exec::Task> build(const ArgumentOverrides& overrides, const rgpu::Spec* fabric = nullptr,
                                    LargeGraphs large = LargeGraphs::split,
                                    std::optional<std::uint64_t> resident_blocks = std::nullopt) const;

  /// Compares what execution left in the buffers with the expected results for the same overrides and fabric.
  CheckResult check(const ArgumentOverrides& overrides, const exec::Machine& machine,
                    const rgpu::Spec* fabric = nullptr) const;

  /// The names of the pictures that it leaves.
  std::vector<std::string> picture_names() const;
  /// The pictures that execution has left in the buffers.
  std::vector<Picture> pictures(const ArgumentOverrides& overrides, const exec::Machine& machine,
                                const rgpu::Spec* fabric = nullptr) const;

  /// The files that decide what is expected, beside the contents of buffers: the descriptor and what it extends, the PTX
  /// of reference kernels, files of results.
  std::vector<std::string> expectation_files(const ArgumentOverrides& overrides) const;

 private:
  struct State;
  explicit Workload(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::workload
