#include "sim/experiment/running/graph_digest.hpp"

#include <vector>

namespace lockstep::experiment {

namespace {

void add_structure(Digest& digest, const dataflow::Graph& graph) {
  digest.add(graph.name).add(graph.copies).add(graph.nodes.size());
  for (const dataflow::Node& node : graph.nodes) {
    digest.add(node.name).add(dataflow::facts(node.op).name).add(node.operands.size());
    for (const dataflow::Operand& operand : node.operands) {
      digest.add(static_cast<std::uint64_t>(operand.kind)).add(operand.source).add(operand.initial);
    }
    digest.add(std::uint64_t{node.predicated}).add(std::uint64_t{node.inverted});
    digest.add(static_cast<std::uint64_t>(node.space)).add(static_cast<std::uint64_t>(node.element));
    digest.add(static_cast<std::uint64_t>(node.cache_operator)).add(std::uint64_t{node.locks});
    digest.add(dataflow::facts(node.reduction).name).add(static_cast<std::uint64_t>(node.offset));
  }
  digest.add(graph.results.size());
  for (const dataflow::Result& result : graph.results) digest.add(result.node).add(result.operand).add(result.count);
}

/// All numbers of an instance, one after the other, into `numbers`.
void flatten(const dataflow::Instance& instance, std::vector<std::uint64_t>& numbers) {
  numbers.clear();
  const auto add = [&](std::uint64_t number) { numbers.push_back(number); };
  const auto add_address = [&](const dataflow::MemoryAddress& address) {
    add(address.buffer);
    add(static_cast<std::uint64_t>(address.offset));
  };
  for (const dataflow::NodeValues& node : instance.nodes) {
    add(node.iterations);
    add(node.emit_period);
    add(node.emit_last);
    add_address(node.base);
    for (const dataflow::OperandValues& operand : node.operands) {
      add(operand.value);
      add(operand.tail_value);
      add(operand.period);
      add(operand.tail);
      add(operand.reuse);
      add(operand.restart);
      add(operand.initial.loaded ? 1 : 0);
      add_address(operand.initial.from);
      add(operand.initial.count);
      add(static_cast<std::uint64_t>(operand.initial.step));
      add(operand.initial.row);
      add(static_cast<std::uint64_t>(operand.initial.skip));
      add(operand.initial.words.size());
      for (const std::uint32_t word : operand.initial.words) add(word);
    }
  }
  for (const dataflow::MemoryAddress& result : instance.results) add_address(result);
}

}  // namespace

void add_program(Digest& digest, const dataflow::Program& program, std::uint64_t thread_blocks) {
  digest.add(program.barrier).add(program.parts.size());
  for (const auto& part : program.parts) add_structure(digest, *part);
  // Thread blocks differ in few numbers; only those are added.
  std::vector<std::vector<std::uint64_t>> before(program.parts.size());
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t block = 0; block < thread_blocks; ++block) {
    flatten(program.instance(block), numbers);
    std::vector<std::uint64_t>& last = before[block % before.size()];
    last.resize(numbers.size());
    digest.add(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != last[i]) digest.add(i).add(numbers[i]);
    }
    digest.add("end");
    last.swap(numbers);
  }
}

}  // namespace lockstep::experiment
