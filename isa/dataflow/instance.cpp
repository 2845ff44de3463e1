#include "isa/dataflow/instance.hpp"

#include <fmt/format.h>

#include "isa/dataflow/rates.hpp"

namespace lockstep::dataflow {

namespace {

class InstanceCheck {
 public:
  InstanceCheck(const Graph& graph, const Instance& instance) : graph_(graph), instance_(instance) {}

  void run() {
    if (instance_.nodes.size() != graph_.nodes.size() || instance_.results.size() != graph_.results.size()) {
      throw Bug(fmt::format("graph '{}' has {} nodes and {} results, its instance {} and {}", graph_.name,
                            graph_.nodes.size(), graph_.results.size(), instance_.nodes.size(),
                            instance_.results.size()));
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (instance_.nodes[i].operands.size() != graph_.nodes[i].operands.size()) {
        throw Bug(fmt::format("graph '{}': node '{}' has {} operands, its instance {}", graph_.name,
                              graph_.nodes[i].name, graph_.nodes[i].operands.size(),
                              instance_.nodes[i].operands.size()));
      }
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) node(i);
    for (std::size_t i = 0; i < graph_.results.size(); ++i) result(i);
    diagnostics_.throw_if_any();
  }

 private:
  void fail(std::uint32_t number, const std::string& what) {
    SourceLocation where = graph_.nodes[number].where;
    if (where.file.empty()) where.file = graph_.file;
    diagnostics_.add(where, fmt::format("node '{}' {}", graph_.nodes[number].name, what));
  }

  void node(std::uint32_t number) {
    const Node& node = graph_.nodes[number];
    const NodeValues& values = instance_.nodes[number];
    if (values.emit_period == 0 || values.emit_last == 0 || values.emit_last > values.emit_period) {
      fail(number, fmt::format("sends the last {} of {} results; it must be at least one, and not more than there are",
                               values.emit_last, values.emit_period));
    } else if (values.iterations % values.emit_period != 0) {
      fail(number, fmt::format("fires {} times and sends once in {}: its last results would be lost; the firings must "
                               "be a multiple",
                               values.iterations, values.emit_period));
    }
    if (is_memory(node.op)) {
      const bool scratchpad = values.base.buffer == MemoryAddress::scratchpad;
      if (scratchpad != (node.space == Space::scratchpad)) {
        fail(number, fmt::format("accesses {} memory, but its base is in {}",
                                 node.space == Space::scratchpad ? "scratchpad" : "global",
                                 scratchpad ? "scratchpad memory" : "a buffer"));
      }
    }
    for (std::uint32_t i = 0; i < node.operands.size(); ++i) operand(number, i);
  }

  void operand(std::uint32_t number, std::uint32_t i) {
    const Operand& operand = graph_.nodes[number].operands[i];
    const OperandValues& values = instance_.nodes[number].operands[i];
    const std::uint64_t iterations = instance_.nodes[number].iterations;
    if (operand.kind == Operand::Kind::constant) {
      if (values.tail > values.period) {
        fail(number, fmt::format("has another constant at operand {} for the last {} of {} firings", i, values.tail,
                                 values.period));
      }
      return;
    }
    const std::uint64_t initial = values.initial.loaded ? values.initial.count : values.initial.words.size();
    if (initial != operand.initial) {
      fail(number, fmt::format("has {} initial values at operand {}; the graph says {}", initial, i, operand.initial));
    }
    if (values.reuse == 0) {
      fail(number, fmt::format("uses each value of operand {} for 0 firings; 1 is the least", i));
      return;
    }
    if (values.restart != 0) {
      if (operand.kind == Operand::Kind::ring) {
        fail(number, fmt::format("restarts operand {}, which is a ring and has nothing but initial values", i));
      } else if (operand.initial == 0) {
        fail(number, fmt::format("restarts operand {}, which has no initial values", i));
      } else if (values.restart % values.reuse != 0 || values.restart / values.reuse <= operand.initial) {
        fail(number, fmt::format("restarts operand {} every {} firings; it must be a multiple of {}, the firings of "
                                 "each value, and more than the {} firings of the initial values",
                                 i, values.restart, values.reuse, std::uint64_t{operand.initial} * values.reuse));
      }
    }
    if (operand.kind == Operand::Kind::ring) return;
    const NodeValues& source = instance_.nodes[operand.source];
    if (source.emit_period == 0) return;
    const std::uint64_t sent = values_sent(source, operand.source == number);
    const std::uint64_t needed = values_read(iterations, values.reuse);
    if (sent + operand.initial < needed) {
      fail(number, fmt::format("reads {} values at operand {} in {} firings, but '{}' sends {}{}", needed, i,
                               iterations, graph_.nodes[operand.source].name, sent,
                               operand.initial == 0 ? "" : fmt::format(" and {} are initial", operand.initial)));
    }
  }

  void result(std::size_t i) {
    const Result& result = graph_.results[i];
    const Operand& operand = graph_.nodes[result.node].operands[result.operand];
    const OperandValues& values = instance_.nodes[result.node].operands[result.operand];
    std::uint64_t left = operand.initial;
    if (operand.kind == Operand::Kind::edge && values.reuse != 0) {
      const NodeValues& source = instance_.nodes[operand.source];
      if (source.emit_period == 0) return;
      left += values_sent(source, operand.source == result.node);
      left -= std::min(left, instance_.nodes[result.node].iterations / values.reuse);
    }
    if (left < result.count) {
      fail(result.node, fmt::format("has {} values left at operand {} when it has ended; a result of {} is asked for",
                                    left, result.operand, result.count));
    }
  }

  const Graph& graph_;
  const Instance& instance_;
  Diagnostics diagnostics_;
};

}  // namespace

void check(const Graph& graph, const Instance& instance) {
  InstanceCheck(graph, instance).run();
}

}  // namespace lockstep::dataflow
