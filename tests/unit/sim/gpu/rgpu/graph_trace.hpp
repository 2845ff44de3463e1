#pragma once
// Kernels that run a graph, made by hand: the warps of a thread block meet at a barrier, and leave behind it.

#include <functional>
#include <map>

#include "sim/config/parameter.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::test {

inline constexpr std::uint8_t graph_barrier = 15;

/// A graph and the run of it by one thread block, node by node.
class GraphMaker {
 public:
  explicit GraphMaker(const std::string& name = "by_hand") { graph_.name = name; }

  static dataflow::Operand constant() { return {}; }
  static dataflow::Operand edge(std::uint32_t source, std::uint32_t initial = 0) {
    return {dataflow::Operand::Kind::edge, source, initial};
  }

  std::uint32_t node(const std::string& name, dataflow::Opcode op, std::vector<dataflow::Operand> operands,
                     std::uint64_t iterations, dataflow::AddressStream accesses = {}) {
    dataflow::Node node;
    node.name = name;
    node.op = op;
    node.operands = operands;
    graph_.nodes.push_back(node);
    dataflow::NodeValues values;
    values.iterations = iterations;
    values.operands.resize(operands.size());
    for (std::size_t n = 0; n < operands.size(); ++n) values.operands[n].initial.words.resize(operands[n].initial);
    instance_.nodes.push_back(values);
    accesses_.push_back(std::move(accesses));
    return static_cast<std::uint32_t>(graph_.nodes.size() - 1);
  }
  dataflow::Node& last() { return graph_.nodes.back(); }
  dataflow::NodeValues& last_values() { return instance_.nodes.back(); }

  /// Adds 4 to its own result: gives `iterations` addresses, one every `eight / initial` cycles at the least.
  std::uint32_t counter(const std::string& name, std::uint64_t iterations, std::uint32_t initial = 8) {
    const auto self = static_cast<std::uint32_t>(graph_.nodes.size());
    return node(name, dataflow::Opcode::add, {edge(self, initial), constant()}, iterations);
  }
  std::uint32_t load(const std::string& name, std::uint32_t where, std::uint64_t first, std::uint64_t count,
                     dataflow::CacheOperator op = dataflow::CacheOperator::l1) {
    const std::uint32_t number = node(name, dataflow::Opcode::load, {edge(where)}, count, words_from(first, count));
    last().cache_operator = op;
    return number;
  }
  std::uint32_t store(const std::string& name, std::uint32_t where, std::uint32_t data, std::uint64_t first,
                      std::uint64_t count, dataflow::CacheOperator op = dataflow::CacheOperator::l2) {
    const std::uint32_t number =
        node(name, dataflow::Opcode::store, {edge(where), edge(data)}, count, words_from(first, count));
    last().cache_operator = op;
    return number;
  }
  static dataflow::AddressStream words_from(std::uint64_t first, std::uint64_t count) {
    dataflow::AddressStream stream;
    for (std::uint64_t n = 0; n < count; ++n) stream.append(first + 4 * n);
    return stream;
  }

  std::shared_ptr<const dataflow::Graph> graph() {
    if (made_ == nullptr) made_ = std::make_shared<const dataflow::Graph>(graph_);
    return made_;
  }
  /// Of the graph as it is by now; another GraphMaker's graph when that has the same nodes.
  std::shared_ptr<const dataflow::GraphRun> run(std::shared_ptr<const dataflow::Graph> graph = nullptr) {
    auto run = std::make_shared<dataflow::GraphRun>();
    run->graph = graph != nullptr ? graph : this->graph();
    run->instance = std::make_shared<const dataflow::Instance>(instance_);
    run->accesses = accesses_;
    run->setup_loads = setup_loads;
    run->result_stores = result_stores;
    return run;
  }
  std::vector<std::uint64_t> setup_loads, result_stores;

 private:
  dataflow::Graph graph_;
  dataflow::Instance instance_;
  std::vector<dataflow::AddressStream> accesses_;
  std::shared_ptr<const dataflow::Graph> made_;
};

/// Each warp arrives at the barrier as often as `rounds` says and then ends with an instruction of its own.
class GraphTrace final : public trace::ComposedTrace {
 public:
  using Run = std::shared_ptr<const dataflow::GraphRun>;

  explicit GraphTrace(std::vector<std::shared_ptr<const dataflow::Graph>> graphs, std::uint32_t rounds = 1)
      : ComposedTrace("graph") {
    kernel().live_registers = 16;
    kernel().graphs = std::move(graphs);
    kernel().graph_barrier = graph_barrier;
    for (std::uint32_t n = 0; n < rounds; ++n) {
      control("bar.sync", program::Control::barrier);
      kernel().instructions.back().barrier = graph_barrier;
    }
    add("add.s32", {reg()}, {});
    control("exit", program::Control::exit);
  }

  /// The run of a thread block, for each of its rounds.
  std::function<Run(std::uint64_t block, std::uint32_t round)> runs;

  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch_number, std::uint64_t number) override {
    class Streams final : public trace::ThreadBlockStreams {
     public:
      Streams(std::unique_ptr<trace::ThreadBlockStreams> inner, const GraphTrace& trace, std::uint64_t number)
          : inner_(std::move(inner)), trace_(trace), number_(number) {}
      trace::WarpStream& warp(std::uint32_t index) override { return inner_->warp(index); }
      Run next_graph_run() override { return trace_.runs(number_, round_++); }

     private:
      std::unique_ptr<trace::ThreadBlockStreams> inner_;
      const GraphTrace& trace_;
      std::uint64_t number_;
      std::uint32_t round_ = 0;
    };
    return std::make_unique<Streams>(ComposedTrace::open(launch_number, number), *this, number);
  }
};

/// The GTX 480 with R-GPU on `sms` SMs, with round numbers where tests count cycles: 30 cycles to switch, one configuration
/// word a cycle, barriers and issue every cycle.
inline gpu::GpuSpec rgpu_gpu(std::uint32_t sms = 1) {
  gpu::GpuSpec spec = config::load_gpu("gtx480-rgpu");
  spec.sms = sms;
  spec.sm.scheduler_interval = 1;
  spec.sm.barrier_latency = 5;
  spec.sm.barrier_interval = 0;
  spec.sm.rgpu.switch_latency = 30;
  spec.sm.rgpu.configuration_words = 1;
  return spec;
}

}  // namespace lockstep::test
