#include "sim/workload/graphs/build.hpp"

#include <algorithm>

#include "isa/dataflow/split.hpp"
#include "models/rgpu/mapper.hpp"
#include "sim/workload/graphs/numbers.hpp"

namespace lockstep::workload {

namespace {

using dataflow::Graph;
using dataflow::Node;
using dataflow::Operand;

constexpr std::int64_t most_copies = 1024, most_initial_values = 1 << 20, most_results = 1 << 20;

bool uses(const LocatedExpression& expression, std::string_view name) {
  const auto& all = expression.expression.uses();
  return std::any_of(all.begin(), all.end(), [&](const Expression::Use& use) { return use.name == name; });
}
bool uses(const Options& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const auto& option) { return uses(option.second, name); });
}
bool uses(const GraphInputSpec& input, std::string_view name) {
  const auto& values = input.initial.values;
  return uses(input.options, name) || uses(input.initial.options, name) ||
         std::any_of(values.begin(), values.end(), [&](const LocatedExpression& value) { return uses(value, name); });
}
bool uses(const GraphSpec& spec, std::string_view name) {
  return uses(spec.options, name) ||
         std::any_of(spec.results.begin(), spec.results.end(),
                     [&](const GraphResultSpec& result) { return uses(result.options, name); }) ||
         std::any_of(spec.nodes.begin(), spec.nodes.end(), [&](const GraphNodeSpec& node) {
           return uses(node.options, name) || (node.predicate && uses(*node.predicate, name)) ||
                  std::any_of(node.inputs.begin(), node.inputs.end(),
                              [&](const GraphInputSpec& input) { return uses(input, name); });
         });
}

/// Makes the structure of one node.
class NodeMaker {
 public:
  NodeMaker(const LaunchSource& source, EvaluationErrors& errors)
      : descriptor_(*source.descriptor), evaluation_(*source.evaluation), fabric_(source.fabric), errors_(errors) {}

  Node make(const GraphNodeSpec& spec, std::uint32_t index) const {
    Node node;
    node.name = spec.name;
    node.op = spec.op;
    node.where = spec.where;
    node.predicated = spec.predicate.has_value();
    node.inverted = spec.inverted;
    std::vector<Operand> inputs;
    for (const GraphInputSpec& input : spec.inputs) {
      errors_.collect([&] { inputs.push_back(operand(input)); });
    }
    switch (spec.kind) {
      case GraphNodeSpec::Kind::operation: node.operands = std::move(inputs); break;
      case GraphNodeSpec::Kind::increment:
        node.operands.resize(2);
        errors_.collect([&] { node.operands[0] = {Operand::Kind::edge, index, initial_of_increment(spec)}; });
        break;
      case GraphNodeSpec::Kind::accumulate: {
        Operand own{Operand::Kind::edge, index, 1};
        errors_.collect([&] {
          if (const LocatedExpression* at_a_time = find(spec.options, "interleave")) {
            own.initial = count(*at_a_time, 1, "the number of results at a time");
          }
        });
        node.operands = std::move(inputs);
        node.operands.insert(spec.inputs.size() == 1 ? node.operands.begin() : node.operands.end(), own);
        break;
      }
    }
    if (spec.predicate) errors_.collect([&] { node.operands.push_back(operand(*spec.predicate)); });
    if (dataflow::is_memory(spec.op)) make_memory(spec, node);
    return node;
  }

 private:
  std::uint32_t count(const LocatedExpression& expression, std::int64_t least, std::string_view what) const {
    return static_cast<std::uint32_t>(evaluation_.whole(expression, least, most_initial_values, what));
  }

  Operand operand(const GraphInputSpec& input) const {
    Operand result{input.kind, dataflow::no_node, 0};
    if (input.kind == Operand::Kind::constant) return result;
    if (input.kind == Operand::Kind::edge) result.source = static_cast<std::uint32_t>(input.source);
    constexpr std::string_view what = "the number of initial values";
    switch (input.initial.kind) {
      case GraphValuesSpec::Kind::none: break;
      case GraphValuesSpec::Kind::list: result.initial = static_cast<std::uint32_t>(input.initial.values.size()); break;
      case GraphValuesSpec::Kind::each: result.initial = count(input.initial.options.at("each"), 0, what); break;
      case GraphValuesSpec::Kind::loaded: result.initial = count(input.initial.options.at("count"), 0, what); break;
    }
    if (input.kind == Operand::Kind::ring && result.initial == 0) {
      throw EvaluationError{input.where, "a ring needs at least one initial value, which recirculates"};
    }
    return result;
  }

  /// By default as many as hide the adder's latency, as far as its FIFO holds them; never more than a row has values. With a
  /// predicate it is one: how often the node has executed is known only after its last firing.
  std::uint32_t initial_of_increment(const GraphNodeSpec& spec) const {
    const LocatedExpression* const given = find(spec.options, "initial");
    std::uint32_t initial = 1;
    if (!spec.predicate) {
      initial = static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, std::min<std::uint64_t>(fabric_.two_operand_latency, fabric_.data_fifo)));
    }
    if (given != nullptr) initial = count(*given, 1, "the number of initial values");
    if (spec.predicate && initial > 1) {
      throw EvaluationError{
          given->where,
          fmt::format("increment {} has a predicate, so it counts one by one: 'initial' is 1", spec.name)};
    }
    const LocatedExpression* const row = find(spec.options, "row");
    if (row != nullptr && !uses(*row, "block") && !uses(*row, "copy")) {
      initial =
          static_cast<std::uint32_t>(std::min<std::int64_t>(initial, evaluation_.whole(*row, 1, 0xffffffff, "'row'")));
    }
    return initial;
  }

  void make_memory(const GraphNodeSpec& spec, Node& node) const {
    node.element = spec.element;
    node.locks = spec.locks;
    node.reduction = spec.reduction;
    node.cache_operator = spec.cache_operator.value_or(spec.op == dataflow::Opcode::load ? dataflow::CacheOperator::l1
                                                                                         : dataflow::CacheOperator::l2);
    errors_.collect([&] {
      const LocatedExpression& base = spec.options.at("base");
      const bool in_scratchpad = memory_address(descriptor_, evaluation_, base).buffer == Address::scratchpad;
      node.space = in_scratchpad ? dataflow::Space::scratchpad : dataflow::Space::global;
      if (in_scratchpad && spec.cache_operator) {
        throw EvaluationError{
            base.where, fmt::format("node {} accesses scratchpad memory, which has no cache; omit 'cache'", spec.name)};
      }
    });
    errors_.collect([&] {
      if (const LocatedExpression* offset = find(spec.options, "offset")) {
        node.offset = static_cast<std::int32_t>(
            evaluation_.whole(*offset, -(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1, "the immediate offset"));
      }
    });
  }

  const Descriptor& descriptor_;
  const Evaluation& evaluation_;
  const rgpu::Spec& fabric_;
  EvaluationErrors& errors_;
};

dataflow::Result make_result(const GraphResultSpec& spec, const std::vector<Node>& nodes,
                             const Evaluation& evaluation) {
  const Node& node = nodes[spec.node];
  dataflow::Result result;
  result.node = static_cast<std::uint32_t>(spec.node);
  const LocatedExpression& operand = spec.options.at("operand");
  result.operand =
      static_cast<std::uint32_t>(evaluation.whole(operand, 0, static_cast<std::int64_t>(node.operands.size()) - 1,
                                                  fmt::format("an operand of node {}", node.name)));
  if (node.operands[result.operand].kind == Operand::Kind::constant) {
    throw EvaluationError{operand.where, fmt::format("operand {} of node {} is a constant, which has no FIFO",
                                                     result.operand, node.name)};
  }
  result.count =
      static_cast<std::uint32_t>(evaluation.whole(spec.options.at("count"), 1, most_results, "the number of results"));
  return result;
}

}  // namespace

Graph graph_structure(const GraphSpec& spec, std::uint32_t copies, const LaunchSource& source,
                      EvaluationErrors& errors) {
  Evaluation& evaluation = *source.evaluation;
  evaluation.set_graph_place(GraphPlace{0, 0, copies});
  Graph graph;
  graph.name = source.descriptor->name;
  graph.file = source.descriptor->path;
  graph.copies = copies;
  const std::size_t before = errors.count();
  const NodeMaker maker(source, errors);
  for (std::uint32_t i = 0; i < spec.nodes.size(); ++i) graph.nodes.push_back(maker.make(spec.nodes[i], i));
  if (errors.count() == before) {
    for (const GraphResultSpec& result : spec.results) {
      errors.collect([&] { graph.results.push_back(make_result(result, graph.nodes, evaluation)); });
    }
  }
  evaluation.set_graph_place(std::nullopt);
  if (errors.count() > before) return graph;

  const auto nodes = static_cast<std::uint32_t>(graph.nodes.size());
  const auto results = static_cast<std::uint32_t>(graph.results.size());
  for (std::uint32_t copy = 1; copy < copies; ++copy) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      Node node = graph.nodes[i];
      node.name = fmt::format("{}.{}", node.name, copy);
      for (Operand& operand : node.operands) {
        if (operand.kind == Operand::Kind::edge) operand.source += copy * nodes;
      }
      graph.nodes.push_back(std::move(node));
    }
    for (std::uint32_t i = 0; i < results; ++i) {
      dataflow::Result result = graph.results[i];
      result.node += copy * nodes;
      graph.results.push_back(result);
    }
  }
  if (copies > 1) {
    for (std::uint32_t i = 0; i < nodes; ++i) graph.nodes[i].name += ".0";
  }
  errors.collect([&] { dataflow::check(graph); });
  return graph;
}

Graphs::Made* Graphs::graph(const GraphSpec& spec, std::uint32_t copies) {
  const std::size_t before = errors_.count();
  auto made = std::make_shared<Graph>(graph_structure(spec, copies, source_, errors_));
  if (errors_.count() > before) return nullptr;
  for (const auto& other : made_) {
    if (other->spec == &spec && dataflow::same_structure(*other->graph, *made)) return other.get();
  }
  made_.push_back(std::make_unique<Made>());
  made_.back()->spec = &spec;
  made_.back()->graph = std::move(made);
  return made_.back().get();
}

std::uint32_t Graphs::copies_that_fit(Made& single) const {
  if (single.copies_that_fit == 0) {
    // A graph of which not even one fits is left for the mapper to explain.
    single.copies_that_fit = std::max(1U, rgpu::copies_that_fit(*single.graph, source_.fabric));
  }
  return single.copies_that_fit;
}

std::shared_ptr<const dataflow::Program> Graphs::split(const std::shared_ptr<const dataflow::Program>& whole,
                                                       std::uint64_t thread_blocks) {
  // Copies are made to fill an SM; too many of them are no large graph.
  if (source_.large == LargeGraphs::keep || whole->parts[0]->copies > 1) return whole;
  for (const SplitProgram& known : split_) {
    if (known.whole == whole && known.thread_blocks == thread_blocks) return known.parts;
  }
  const rgpu::Spec& sm = source_.fabric;
  const auto buffer = static_cast<std::uint32_t>(source_.descriptor->buffers.size());
  const auto counter_values = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, std::min<std::uint64_t>(sm.two_operand_latency, sm.data_fifo)));
  dataflow::Split parts = dataflow::split(
      *whole, thread_blocks, {sm.cores, sm.load_store_units, sm.special_function_units, counter_values}, buffer);
  if (parts.program.parts.size() == 1) return whole;
  communication_bytes_ = std::max(communication_bytes_, parts.communication_bytes);
  split_.push_back({whole, std::make_shared<const dataflow::Program>(std::move(parts.program)), thread_blocks});
  return split_.back().parts;
}

std::shared_ptr<const dataflow::Program> Graphs::program(const GraphSpec& spec, std::optional<std::int64_t> iteration,
                                                         GraphPlace& place) {
  std::uint32_t copies = 1;
  const LocatedExpression* const barrier = find(spec.options, "barrier");
  std::uint32_t number = 15;
  source_.evaluation->set_graph_place(GraphPlace{});
  if (const LocatedExpression* given = find(spec.options, "copies")) {
    errors_.collect([&] {
      copies = static_cast<std::uint32_t>(source_.evaluation->whole(*given, 1, most_copies, "the number of copies"));
    });
  }
  place.copies = copies;
  source_.evaluation->set_graph_place(place);
  if (barrier != nullptr) {
    errors_.collect([&] {
      number = static_cast<std::uint32_t>(source_.evaluation->whole(*barrier, 0, 15, "the barrier of a graph"));
    });
  }
  Made* made = graph(spec, copies);
  if (made == nullptr) return nullptr;
  if (spec.fill) {
    place.copies = copies = copies_that_fit(*made);
    if (copies > 1) made = graph(spec, copies);
    if (made == nullptr) return nullptr;
  }
  if (made->program != nullptr) return made->program;

  const std::size_t before = errors_.count();
  const auto numbers = std::make_shared<const GraphNumbers>(source_, spec, made->graph, iteration, errors_);
  if (errors_.count() == before) errors_.collect([&] { dataflow::check(*made->graph, numbers->first()); });
  if (errors_.count() > before) return nullptr;
  auto program = std::make_shared<dataflow::Program>();
  program->parts = {made->graph};
  program->barrier = number;
  program->instance = [numbers](std::uint64_t thread_block) { return numbers->instance(thread_block); };
  if (!uses(spec, "iteration")) made->program = program;
  return program;
}

}  // namespace lockstep::workload
