#pragma once
// Graphs of a descriptor turned into programs of R-GPU. Internal to this folder.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "isa/dataflow/instance.hpp"
#include "sim/workload/launches.hpp"

namespace lockstep::workload {

/// The graphs of one task. Launches whose graphs have the same structure share it, so that it is mapped once.
class Graphs {
 public:
  Graphs(const LaunchSource& source, Mistakes& mistakes) : source_(source), mistakes_(mistakes) {}

  /// The program of a launch in repetition `iteration`; `place` gets the number of copies. Null when there are mistakes.
  std::shared_ptr<const dataflow::Program> program(const GraphSpec& spec, std::optional<std::int64_t> iteration,
                                                   GraphPlace& place);

 private:
  struct Made {
    const GraphSpec* spec = nullptr;
    std::shared_ptr<const dataflow::Graph> graph;
    std::uint32_t copies_that_fit = 0;                 ///< Of a graph with one copy that fills the fabric.
    std::shared_ptr<const dataflow::Program> program;  ///< Of a graph that is the same in every repetition.
  };
  /// The graph, or one of the same structure that was made before. Null when there are mistakes.
  Made* graph(const GraphSpec& spec, std::uint32_t copies);
  std::uint32_t copies_that_fit(Made& single) const;

  LaunchSource source_;
  Mistakes& mistakes_;
  std::vector<std::unique_ptr<Made>> made_;
};

/// The structure of a graph with so many copies. Mistakes are collected; the result is then of no use.
dataflow::Graph graph_structure(const GraphSpec& spec, std::uint32_t copies, const Descriptor& descriptor,
                                Evaluation& evaluation, Mistakes& mistakes);

}  // namespace lockstep::workload
