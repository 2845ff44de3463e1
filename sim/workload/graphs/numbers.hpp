#pragma once
// The numbers of a graph for each thread block. Internal to sim/workload.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/dataflow/instance.hpp"
#include "sim/workload/evaluation_errors.hpp"
#include "sim/workload/launch_source.hpp"

namespace lockstep::workload {

/// The option of this name, or nullptr.
const LocatedExpression* find(const Options& options, std::string_view key);

/// Makes the instance of a thread block when it is asked for. What does not depend on the thread block is evaluated once.
class GraphNumbers {
 public:
  /// Collects the errors of thread block 0.
  GraphNumbers(const LaunchSource& source, const GraphSpec& spec, std::shared_ptr<const dataflow::Graph> graph,
               std::optional<std::int64_t> iteration, EvaluationErrors& errors);

  /// InputError, with its place, when a number of this thread block makes no sense.
  dataflow::Instance instance(std::uint64_t thread_block) const;
  /// Of thread block 0.
  const dataflow::Instance& first() const { return first_; }

 private:
  static constexpr std::uint32_t no_operand = ~std::uint32_t{0};
  /// An operand of a node, or what the node has besides its operands.
  struct Part {
    std::uint32_t node = 0, operand = no_operand;
  };

  template <typename F>
  void evaluate_at(std::uint64_t thread_block, std::uint32_t copy, F&& f) const;
  bool depends_on_block(const Part& part) const;
  void fill(const Part& part, dataflow::NodeValues& values) const;
  void fill_node(std::uint32_t index, dataflow::NodeValues& values) const;
  void fill_increment(const GraphNodeSpec& node, std::uint32_t initial, std::uint32_t operand,
                      dataflow::OperandValues& values) const;
  void fill_running_result(const GraphNodeSpec& node, std::uint32_t initial, dataflow::OperandValues& values) const;
  void fill_input(const GraphNodeSpec& node, const GraphInputSpec& input, std::uint32_t operand, std::uint32_t initial,
                  dataflow::OperandValues& values) const;
  dataflow::InitialValues initial_values(const GraphNodeSpec& node, const GraphValuesSpec& spec, std::uint32_t operand,
                                         std::uint32_t count) const;
  /// The value as a constant of an operand.
  std::uint32_t word(const LocatedExpression& expression, const GraphNodeSpec& node, std::uint32_t operand) const;
  /// How many inputs an accumulate combines.
  std::int64_t over(const GraphNodeSpec& node, std::uint32_t at_a_time) const;
  std::uint32_t whole32(const LocatedExpression& expression, std::string_view what) const;
  std::uint32_t positive(const Options& options, const char* key, std::uint32_t standard, std::string_view what) const;
  std::int64_t distance(const LocatedExpression& expression, std::string_view what) const;  ///< In bytes.
  dataflow::MemoryAddress address(const LocatedExpression& expression) const;

  const GraphNodeSpec& spec_of(std::uint32_t node) const { return spec_.nodes[node % spec_.nodes.size()]; }
  std::uint32_t copy_of(std::uint32_t node) const { return static_cast<std::uint32_t>(node / spec_.nodes.size()); }

  std::shared_ptr<const Descriptor> descriptor_;
  std::shared_ptr<Evaluation> evaluation_;
  const GraphSpec& spec_;  ///< Of descriptor_.
  std::shared_ptr<const dataflow::Graph> graph_;
  std::optional<std::int64_t> iteration_;
  dataflow::Instance first_;
  std::vector<Part> parts_of_block_;             ///< That depend on the thread block.
  std::vector<std::uint32_t> results_of_block_;  ///< Likewise, of Instance::results.
};

/// The input that is operand `operand` of a node; null: it is one that the pseudo-instruction adds.
const GraphInputSpec* input_of(const GraphNodeSpec& node, std::uint32_t operand);

/// The place that an expression names, in a buffer or in scratchpad memory. EvaluationError when it is none.
dataflow::MemoryAddress memory_address(const Descriptor& descriptor, const Evaluation& evaluation,
                                       const LocatedExpression& expression);

}  // namespace lockstep::workload
