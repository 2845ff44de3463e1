#pragma once
// Graphs of a descriptor turned into programs of R-GPU. Internal to sim/workload.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "isa/dataflow/instance.hpp"
#include "sim/workload/evaluation_errors.hpp"
#include "sim/workload/launch_source.hpp"

namespace lockstep::workload {

/// The graphs of one task. Launches whose graphs have the same structure share it, so that it is mapped once.
class Graphs {
 public:
  Graphs(const LaunchSource& source, EvaluationErrors& errors) : source_(source), errors_(errors) {}

  /// The program of a launch in repetition `iteration`; `place` gets the number of copies. Null when there are errors.
  std::shared_ptr<const dataflow::Program> program(const GraphSpec& spec, std::optional<std::int64_t> iteration,
                                                   GraphPlace& place);

  /// A program whose graph an SM can hold as it is; a larger one in parts. InputError when that cannot be.
  std::shared_ptr<const dataflow::Program> split(const std::shared_ptr<const dataflow::Program>& whole,
                                                 std::uint64_t thread_blocks);
  /// What the buffer of split graphs must have; launches run one after the other and share it.
  std::uint64_t communication_bytes() const { return communication_bytes_; }

 private:
  struct Made {
    const GraphSpec* spec = nullptr;
    std::shared_ptr<const dataflow::Graph> graph;
    std::uint32_t copies_that_fit = 0;                 ///< Of a graph with one copy that fills the fabric.
    std::shared_ptr<const dataflow::Program> program;  ///< Of a graph that is the same in every repetition.
  };
  /// The graph, or one of the same structure that was made before. Null when there are errors.
  Made* graph(const GraphSpec& spec, std::uint32_t copies);
  std::uint32_t copies_that_fit(Made& single) const;

  LaunchSource source_;
  EvaluationErrors& errors_;
  std::vector<std::unique_ptr<Made>> made_;
  std::uint64_t communication_bytes_ = 0;
  struct SplitProgram {
    std::shared_ptr<const dataflow::Program> whole, parts;
    std::uint64_t thread_blocks = 0;
  };
  std::vector<SplitProgram> split_;
};

/// The structure of a graph with so many copies. Errors are collected; the result is then not usable.
dataflow::Graph graph_structure(const GraphSpec& spec, std::uint32_t copies, const LaunchSource& source,
                                EvaluationErrors& errors);

}  // namespace lockstep::workload
