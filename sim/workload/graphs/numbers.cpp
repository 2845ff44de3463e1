#include "sim/workload/graphs/numbers.hpp"

#include <algorithm>
#include <limits>

#include "sim/workload/graphs/opcodes.hpp"

namespace lockstep::workload {

namespace {

using dataflow::Operand;

constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();

bool uses_block(const LocatedExpression& expression) {
  const auto& uses = expression.expression.uses();
  return std::any_of(uses.begin(), uses.end(), [](const Expression::Use& use) { return use.name == "block"; });
}
bool uses_block(const Options& options) {
  return std::any_of(options.begin(), options.end(), [](const auto& option) { return uses_block(option.second); });
}
bool uses_block(const GraphInputSpec& input) {
  const auto& values = input.initial.values;
  return uses_block(input.options) || uses_block(input.initial.options) ||
         std::any_of(values.begin(), values.end(), [](const LocatedExpression& value) { return uses_block(value); });
}

}  // namespace

const LocatedExpression* find(const Options& options, std::string_view key) {
  const auto found = options.find(key);
  return found == options.end() ? nullptr : &found->second;
}

const GraphInputSpec* input_of(const GraphNodeSpec& node, std::uint32_t operand) {
  std::uint32_t input = operand;
  std::size_t others = node.inputs.size();
  switch (node.kind) {
    case GraphNodeSpec::Kind::operation: break;
    case GraphNodeSpec::Kind::increment:
      if (operand < 2) return nullptr;
      input -= 2;
      break;
    case GraphNodeSpec::Kind::accumulate: {
      // What it has so far is the first of two operands, the last of three.
      const std::uint32_t own = node.inputs.size() == 1 ? 0 : 2;
      if (operand == own) return nullptr;
      if (operand > own) --input;
      break;
    }
  }
  return input < others ? &node.inputs[input] : &*node.predicate;
}

dataflow::MemoryAddress memory_address(const Descriptor& descriptor, const Evaluation& evaluation,
                                       const LocatedExpression& expression) {
  const Number value = evaluation.evaluate(expression);
  const auto* address = std::get_if<Address>(&value);
  const std::string& text = expression.expression.text();
  if (address == nullptr) {
    throw EvaluationError{expression.where,
                          fmt::format("\"{}\" is a number; expected a buffer or 'scratchpad' plus bytes", text)};
  }
  if (address->buffer == Address::scratchpad) return {dataflow::MemoryAddress::scratchpad, address->offset};
  if (descriptor.is_variable(*address)) {
    throw EvaluationError{
        expression.where,
        fmt::format("\"{}\" is a module variable; a graph reaches buffers and scratchpad memory", text)};
  }
  return {address->buffer, address->offset};
}

GraphNumbers::GraphNumbers(const LaunchSource& source, const GraphSpec& spec,
                           std::shared_ptr<const dataflow::Graph> graph, std::optional<std::int64_t> iteration,
                           EvaluationErrors& errors)
    : descriptor_(source.descriptor),
      evaluation_(source.evaluation),
      spec_(spec),
      graph_(std::move(graph)),
      iteration_(iteration) {
  first_.nodes.resize(graph_->nodes.size());
  for (std::uint32_t n = 0; n < first_.nodes.size(); ++n) {
    dataflow::NodeValues& values = first_.nodes[n];
    values.operands.resize(graph_->nodes[n].operands.size());
    const auto add = [&](const Part& part) {
      errors.collect([&] { evaluate_at(0, copy_of(n), [&] { fill(part, values); }); });
      if (depends_on_block(part)) parts_of_block_.push_back(part);
    };
    add({n});
    for (std::uint32_t k = 0; k < values.operands.size(); ++k) add({n, k});
  }
  const auto per_copy = static_cast<std::uint32_t>(spec_.results.size());
  first_.results.resize(graph_->results.size());
  for (std::uint32_t r = 0; r < first_.results.size(); ++r) {
    const LocatedExpression& to = spec_.results[r % per_copy].options.at("to");
    errors.collect([&] { evaluate_at(0, r / per_copy, [&] { first_.results[r] = address(to); }); });
    if (uses_block(to)) results_of_block_.push_back(r);
  }
}

template <typename F>
void GraphNumbers::evaluate_at(std::uint64_t thread_block, std::uint32_t copy, F&& f) const {
  struct Restore {
    Evaluation& evaluation;
    std::optional<std::int64_t> iteration;
    std::optional<GraphPlace> place;
    ~Restore() {
      evaluation.set_iteration(iteration);
      evaluation.set_graph_place(place);
      evaluation.set_element_index(std::nullopt);
    }
  } const restore{*evaluation_, evaluation_->iteration(), evaluation_->graph_place()};
  evaluation_->set_iteration(iteration_);
  evaluation_->set_graph_place(GraphPlace{static_cast<std::int64_t>(thread_block), copy, graph_->copies});
  f();
}

dataflow::Instance GraphNumbers::instance(std::uint64_t thread_block) const {
  dataflow::Instance result = first_;
  try {
    for (const Part& part : parts_of_block_) {
      evaluate_at(thread_block, copy_of(part.node), [&] { fill(part, result.nodes[part.node]); });
    }
    const auto per_copy = static_cast<std::uint32_t>(spec_.results.size());
    for (const std::uint32_t r : results_of_block_) {
      const LocatedExpression& to = spec_.results[r % per_copy].options.at("to");
      evaluate_at(thread_block, r / per_copy, [&] { result.results[r] = address(to); });
    }
  } catch (const EvaluationError& error) {
    throw InputError(error.where, fmt::format("{} (thread block {})", error.message, thread_block));
  }
  return result;
}

bool GraphNumbers::depends_on_block(const Part& part) const {
  const GraphNodeSpec& node = spec_of(part.node);
  if (part.operand == no_operand) {
    const LocatedExpression* shared = find(spec_.options, "iterations");
    return uses_block(node.options) || (find(node.options, "iterations") == nullptr && uses_block(*shared));
  }
  const GraphInputSpec* input = input_of(node, part.operand);
  return input != nullptr ? uses_block(*input) : uses_block(node.options);
}

void GraphNumbers::fill(const Part& part, dataflow::NodeValues& values) const {
  const GraphNodeSpec& node = spec_of(part.node);
  if (part.operand == no_operand) {
    fill_node(part.node, values);
    return;
  }
  const std::uint32_t initial = graph_->nodes[part.node].operands[part.operand].initial;
  dataflow::OperandValues& operand = values.operands[part.operand];
  if (const GraphInputSpec* input = input_of(node, part.operand)) {
    fill_input(node, *input, part.operand, initial, operand);
  } else if (node.kind == GraphNodeSpec::Kind::increment) {
    fill_increment(node, graph_->nodes[part.node].operands[0].initial, part.operand, operand);
  } else {
    fill_running_result(node, initial, operand);
  }
}

void GraphNumbers::fill_node(std::uint32_t index, dataflow::NodeValues& values) const {
  const GraphNodeSpec& node = spec_of(index);
  const LocatedExpression* own = find(node.options, "iterations");
  values.iterations = static_cast<std::uint64_t>(evaluation_->whole(
      own != nullptr ? *own : *find(spec_.options, "iterations"), 0, std::int64_t{1} << 40,
      own != nullptr ? fmt::format("the iterations of node {}", node.name) : "the number of iterations of the graph"));
  if (node.kind == GraphNodeSpec::Kind::accumulate) {
    const std::uint32_t at_a_time = graph_->nodes[index].operands[node.inputs.size() == 1 ? 0 : 2].initial;
    values.emit_period = static_cast<std::uint32_t>(over(node, at_a_time) * at_a_time);
    values.emit_last = at_a_time;
  } else if (const LocatedExpression* period = find(node.options, "period")) {
    values.emit_period = positive(node.options, "period", 1, "the period of 'emit'");
    values.emit_last = positive(node.options, "last", 1, "'last' of 'emit'");
    if (values.emit_last > values.emit_period) {
      throw EvaluationError{period->where, fmt::format("'emit' of node {} sends the last {} of {} results", node.name,
                                                       values.emit_last, values.emit_period)};
    }
  }
  if (const LocatedExpression* base = find(node.options, "base")) {
    values.base = address(*base);
    const bool in_scratchpad = values.base.buffer == dataflow::MemoryAddress::scratchpad;
    if (in_scratchpad != (graph_->nodes[index].space == dataflow::Space::scratchpad)) {
      throw EvaluationError{
          base->where, fmt::format("the base of node {} is in {} here, and in {} in the first copy of thread block 0; "
                                   "every thread block and every copy has the same structure",
                                   node.name, in_scratchpad ? "scratchpad memory" : "a buffer",
                                   in_scratchpad ? "a buffer" : "scratchpad memory")};
    }
  }
}

/// Firing n reads what firing n - d gave and adds d steps, and the skip when there was a row's end on the way: in the
/// first d firings of each row, since d is at most a row. The initial values are what firings -d ... -1 would have given,
/// chosen so that firing 0 gives the start.
void GraphNumbers::fill_increment(const GraphNodeSpec& node, std::uint32_t initial, std::uint32_t operand,
                                  dataflow::OperandValues& values) const {
  const std::uint32_t step = whole32(node.options.at("increment"), "the step of an increment");
  const LocatedExpression* const row = find(node.options, "row");
  const std::uint32_t skip = row == nullptr ? 0 : whole32(node.options.at("skip"), "'skip'");
  std::uint32_t length = 0;
  if (row != nullptr) {
    length = positive(node.options, "row", 1, "'row'");
    if (length < initial) {
      throw EvaluationError{row->where,
                            fmt::format("a row of node {} has {} values, fewer than its {} initial values; give it "
                                        "'initial: {}' or fewer",
                                        node.name, length, initial, length)};
    }
  }
  if (operand == 1) {
    values.value = initial * step + skip;
    if (row == nullptr) return;
    values.tail_value = initial * step;
    values.period = length;
    values.tail = length - initial;
    return;
  }
  const LocatedExpression* const given = find(node.options, "start");
  const std::uint32_t start = given == nullptr ? 0 : whole32(*given, "the start of an increment");
  values.initial.words.resize(initial);
  for (std::uint32_t j = 0; j < initial; ++j) values.initial.words[j] = start + j * step - (initial * step + skip);
}

void GraphNumbers::fill_running_result(const GraphNodeSpec& node, std::uint32_t initial,
                                       dataflow::OperandValues& values) const {
  values.restart = static_cast<std::uint32_t>(over(node, initial) * initial);
  const LocatedExpression* const given = find(node.options, "initial");
  values.initial.words.assign(initial, given == nullptr ? 0 : word(*given, node, node.inputs.size() == 1 ? 0 : 2));
}

void GraphNumbers::fill_input(const GraphNodeSpec& node, const GraphInputSpec& input, std::uint32_t operand,
                              std::uint32_t initial, dataflow::OperandValues& values) const {
  if (input.kind == Operand::Kind::constant) {
    values.value = word(input.options.at("constant"), node, operand);
    const LocatedExpression* const then = find(input.options, "then");
    if (then == nullptr) return;
    values.tail_value = word(*then, node, operand);
    values.period = positive(input.options, "period", 1, "the period of a constant");
    values.tail = static_cast<std::uint32_t>(
        evaluation_->whole(input.options.at("last"), 0, values.period, "'last' of a constant"));
    return;
  }
  values.initial = initial_values(node, input.initial, operand, initial);
  values.reuse = positive(input.options, "reuse", 1, "'reuse'");
  values.restart = positive(input.options, "restart", 0, "'restart'");
}

dataflow::InitialValues GraphNumbers::initial_values(const GraphNodeSpec& node, const GraphValuesSpec& spec,
                                                     std::uint32_t operand, std::uint32_t count) const {
  dataflow::InitialValues result;
  switch (spec.kind) {
    case GraphValuesSpec::Kind::none: break;
    case GraphValuesSpec::Kind::list:
      for (const LocatedExpression& value : spec.values) result.words.push_back(word(value, node, operand));
      break;
    case GraphValuesSpec::Kind::each:
      for (std::uint32_t i = 0; i < count; ++i) {
        evaluation_->set_element_index(i);
        result.words.push_back(word(spec.options.at("value"), node, operand));
      }
      evaluation_->set_element_index(std::nullopt);
      break;
    case GraphValuesSpec::Kind::loaded:
      result.loaded = true;
      result.from = address(spec.options.at("load"));
      result.count = count;
      if (const LocatedExpression* step = find(spec.options, "step")) result.step = distance(*step, "'step'");
      result.row = positive(spec.options, "row", 0, "'row'");
      if (const LocatedExpression* skip = find(spec.options, "skip")) result.skip = distance(*skip, "'skip'");
      break;
  }
  return result;
}

std::uint32_t GraphNumbers::word(const LocatedExpression& expression, const GraphNodeSpec& node,
                                 std::uint32_t operand) const {
  const bool is_predicate = node.predicate && operand + 1 == dataflow::facts(node.op).operands + 1U;
  OperandType type = is_predicate ? OperandType::any : operand_type({node.op, node.reduction}, operand);
  if (node.single_precision && operand == 1 && !is_predicate) type = OperandType::single;
  const Number value = evaluation_->evaluate(expression);
  const std::string& text = expression.expression.text();
  if (std::holds_alternative<Address>(value)) {
    throw EvaluationError{
        expression.where,
        fmt::format(
            "\"{}\" is an address, not a 32-bit value: 'base' names the buffer, values are byte offsets from it",
            text)};
  }
  const bool is_fraction = std::holds_alternative<double>(value);
  if (type == OperandType::single || (type == OperandType::any && is_fraction)) {
    std::uint8_t bytes[4];
    if (!store(ElementType::f32, value, bytes)) {
      throw EvaluationError{expression.where, fmt::format("\"{}\" does not fit into single precision", text)};
    }
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
  }
  if (is_fraction) {
    throw EvaluationError{expression.where,
                          fmt::format("\"{}\" is {}, but {} of node {} computes with whole numbers", text,
                                      std::get<double>(value), dataflow::facts(node.op).name, node.name)};
  }
  return whole32(expression, fmt::format("a value of node {}", node.name));
}

std::int64_t GraphNumbers::over(const GraphNodeSpec& node, std::uint32_t at_a_time) const {
  const LocatedExpression& given = node.options.at("over");
  const std::int64_t over = evaluation_->whole(given, 1, most / at_a_time, "'over'");
  if (over > 1) return over;
  throw EvaluationError{given.where, fmt::format("node {} accumulates one input at a time, which is the plain "
                                                 "operation: write {{op: {}, ...}} with a constant",
                                                 node.name, dataflow::facts(node.op).name)};
}

std::uint32_t GraphNumbers::whole32(const LocatedExpression& expression, std::string_view what) const {
  return static_cast<std::uint32_t>(
      evaluation_->whole(expression, std::numeric_limits<std::int32_t>::min(), most, what));
}

std::uint32_t GraphNumbers::positive(const Options& options, const char* key, std::uint32_t standard,
                                     std::string_view what) const {
  const LocatedExpression* const given = find(options, key);
  return given == nullptr ? standard : static_cast<std::uint32_t>(evaluation_->whole(*given, 1, most, what));
}

std::int64_t GraphNumbers::distance(const LocatedExpression& expression, std::string_view what) const {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
  return evaluation_->whole(expression, -most_bytes, most_bytes, what);
}

dataflow::MemoryAddress GraphNumbers::address(const LocatedExpression& expression) const {
  return memory_address(*descriptor_, *evaluation_, expression);
}

}  // namespace lockstep::workload
