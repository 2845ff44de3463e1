// Graphs of R-GPU programs: configs/rgpu/README.md.

#include "isa/did_you_mean.hpp"
#include "sim/workload/graphs/opcodes.hpp"
#include "sim/workload/reader/reader.hpp"

namespace lockstep::workload {

namespace {

using dataflow::CacheOperator;
using dataflow::Element;
using dataflow::Opcode;
using dataflow::Operand;

/// Names that only the expressions of a graph know.
constexpr std::array<std::string_view, 3> names_of_graphs{"block", "copy", "copies"};

struct MemoryType {
  std::string_view name;
  Element element;
  bool single_precision;
};
constexpr MemoryType memory_types[] = {{"u8", Element::u8, false},   {"s8", Element::s8, false},
                                       {"u16", Element::u16, false}, {"s16", Element::s16, false},
                                       {"u32", Element::b32, false}, {"s32", Element::b32, false},
                                       {"f32", Element::b32, true}};

struct CacheWord {
  std::string_view name;
  CacheOperator op;
  bool of_load, of_store;
};
constexpr CacheWord cache_words[] = {{"l1", CacheOperator::l1, true, false},
                                     {"l2", CacheOperator::l2, true, true},
                                     {"wait_for_hit", CacheOperator::wait_for_hit, true, false},
                                     {"write_through", CacheOperator::write_through, false, true}};

bool is_word(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; });
}

}  // namespace

GraphSpec Reader::read_graph(const Value& map) {
  check_keys(as_map(map, "a graph"), {"nodes", "iterations", "copies", "barrier", "results"});
  GraphSpec graph;
  graph.where = map.where;
  const std::size_t locals = local_.size();
  local_.insert(local_.end(), names_of_graphs.begin(), names_of_graphs.end());
  const Value* copies = map.find("copies");
  fills_ = graph.fill = copies != nullptr && copies->kind == Value::Kind::scalar && copies->text == "fill";
  if (copies != nullptr && !graph.fill) {
    part([&] {
      graph.options.emplace("copies", structural(*copies, "the number of copies"));
      for (const Expression::Use& use : graph.options.at("copies").expression.uses()) {
        if (use.name == "copies") note(copies->where, "'copies' depends on itself");
      }
    });
  }
  if (const Value* barrier = map.find("barrier")) {
    part([&] { graph.options.emplace("barrier", structural(*barrier, "the barrier")); });
  }
  if (const Value* iterations = map.find("iterations")) {
    part([&] { graph.options.emplace("iterations", expression(*iterations)); });
  }
  part([&] {
    const Value& nodes = as_map(needed(map, "nodes"), "'nodes'");
    if (nodes.entries.empty()) spoil(nodes.where, "a graph needs a node");
    read_nodes(nodes, graph);
    if (map.find("iterations") != nullptr) return;
    for (std::size_t i = 0; i < nodes.entries.size(); ++i) {
      const auto& [key, value] = nodes.entries[i];
      if (value.kind != Value::Kind::map || value.find("iterations") != nullptr) continue;
      note(value.where,
           fmt::format("node {} does not say how often it fires; give it, or the graph, 'iterations'", key.text));
    }
  });
  if (const Value* results = map.find("results")) {
    part([&] {
      if (results->kind != Value::Kind::list) {
        spoil(results->where, "'results' is a list of entries {node: NAME, operand: NUMBER, count: N, to: ADDRESS}");
      }
      for (const Value& item : results->items) part([&] { graph.results.push_back(read_result(item)); });
    });
  }
  local_.resize(locals);
  nodes_.clear();
  return graph;
}

void Reader::read_nodes(const Value& map, GraphSpec& graph) {
  nodes_.clear();
  for (const auto& entry : map.entries) {
    const std::string& name = entry.first.text;
    if (!is_word(name) || name.find('.') != std::string::npos) {
      note(entry.first.where,
           fmt::format("'{}' is not a name: letters, digits and _ are possible, a letter first", name));
    } else if (std::find(known_.begin(), known_.end(), name) != known_.end() ||
               std::find(local_.begin(), local_.end(), name) != local_.end() || name == "i" || name == "scratchpad") {
      note(entry.first.where,
           fmt::format("a node cannot be named '{}', which has a meaning in expressions: an input could mean either",
                       name));
    }
    nodes_.push_back(name);
  }
  for (const auto& entry : map.entries) part([&] { graph.nodes.push_back(read_node(entry.first, entry.second)); });
}

GraphNodeSpec Reader::read_node(const Value& key, const Value& map) {
  const auto has = [&](const char* name) { return map.find(name) != nullptr; };
  if (as_map(map, "a node"); has("op") + has("increment") + has("accumulate") != 1) {
    spoil(map.where, fmt::format("node {} needs exactly one of: op, increment, accumulate", key.text));
  }
  GraphNodeSpec node;
  node.name = key.text;
  node.where = key.where;
  if (has("increment")) {
    read_increment(map, node);
  } else if (has("accumulate")) {
    read_accumulate(map, node);
  } else {
    read_operation(map, node);
  }
  if (const Value* iterations = map.find("iterations")) {
    part([&] { node.options.emplace("iterations", expression(*iterations)); });
  }
  read_predicate(map, node);
  return node;
}

void Reader::read_operation_name(const Value& name, GraphNodeSpec& node) {
  if (const std::optional<GraphOperation> operation = graph_operation_named(text(name))) {
    node.op = operation->op;
    node.reduction = operation->reduction;
    return;
  }
  std::vector<std::string> names;
  for (const GraphOperation& operation : graph_operations()) names.push_back(name_of(operation));
  spoil(name.where, fmt::format("there is no operation '{}'{} (`lockstep list operations` shows them all)", name.text,
                                did_you_mean(name.text, names)));
}

void Reader::read_operation(const Value& map, GraphNodeSpec& node) {
  const Value& op = *map.find("op");
  if (text(op) == "increment" || op.text == "accumulate") {
    spoil(op.where, fmt::format("'{0}' is written as a key of its own: {{{0}: {1}}}", op.text,
                                op.text == "increment" ? "STEP" : "OPERATION, inputs: [...]"));
  }
  read_operation_name(op, node);
  if (dataflow::is_memory(node.op)) {
    read_memory_operation(map, node);
    return;
  }
  check_keys(map, {"op", "inputs", "when", "unless", "iterations", "emit"});
  read_inputs(map, dataflow::facts(node.op).operands, node);
  read_emit(map, node);
}

void Reader::read_memory_operation(const Value& map, GraphNodeSpec& node) {
  const bool loads = node.op == Opcode::load, reduces = node.op == Opcode::reduce;
  std::vector<std::string> keys{"op", "base", "address", "offset", "when", "unless", "iterations"};
  if (!reduces) keys.insert(keys.end(), {"type", "cache", "lock"});
  keys.emplace_back(loads ? "emit" : "data");
  check_keys(map, keys);
  part([&] { node.options.emplace("base", address(needed(map, "base"))); });
  part([&] { node.inputs.push_back(read_input(needed(map, "address"))); });
  if (!loads) part([&] { node.inputs.push_back(read_input(needed(map, "data"))); });
  if (loads) read_emit(map, node);
  if (const Value* offset = map.find("offset")) {
    part([&] { node.options.emplace("offset", structural(*offset, "the immediate offset")); });
  }
  if (reduces) return;
  if (const Value* type = map.find("type")) {
    part([&] {
      std::vector<std::string> names;
      for (const MemoryType& known : memory_types) {
        names.emplace_back(known.name);
        if (known.name != text(*type)) continue;
        node.element = known.element;
        node.single_precision = known.single_precision;
        return;
      }
      spoil(type->where, fmt::format("'{}' is not a type of memory that a graph knows{} (there is: {})", type->text,
                                     did_you_mean(type->text, names), fmt::join(names, ", ")));
    });
  }
  if (const Value* cache = map.find("cache")) {
    part([&] {
      std::vector<std::string> names;
      for (const CacheWord& known : cache_words) {
        if (loads ? !known.of_load : !known.of_store) continue;
        names.emplace_back(known.name);
        if (known.name != text(*cache)) continue;
        node.cache_operator = known.op;
        return;
      }
      spoil(cache->where,
            fmt::format("'{}' is not a cache operator of a {}{} (there is: {})", cache->text, loads ? "load" : "store",
                        did_you_mean(cache->text, names), fmt::join(names, ", ")));
    });
  }
  if (const Value* lock = map.find("lock")) part([&] { node.locks = lock->as_bool(); });
}

void Reader::read_increment(const Value& map, GraphNodeSpec& node) {
  node.kind = GraphNodeSpec::Kind::increment;
  node.op = Opcode::add;
  check_keys(map, {"increment", "start", "initial", "row", "skip", "when", "unless", "iterations", "emit"});
  part([&] { node.options.emplace("increment", expression(*map.find("increment"))); });
  for (const char* key : {"start", "row", "skip"}) {
    if (const Value* value = map.find(key)) part([&] { node.options.emplace(key, expression(*value)); });
  }
  if (const Value* initial = map.find("initial")) {
    part([&] { node.options.emplace("initial", structural(*initial, "the number of initial values")); });
  }
  const Value *row = map.find("row"), *skip = map.find("skip");
  if ((row == nullptr) != (skip == nullptr)) {
    note((row != nullptr ? row : skip)->where,
         "'row' and 'skip' belong together: after every 'row' values it goes 'skip' further");
  }
  for (const char* key : {"when", "unless"}) {
    if (const Value* predicate = map.find(key); predicate != nullptr && row != nullptr) {
      note(predicate->where, "an increment with rows counts every firing; it cannot have a predicate");
    }
  }
  read_emit(map, node);
}

void Reader::read_accumulate(const Value& map, GraphNodeSpec& node) {
  node.kind = GraphNodeSpec::Kind::accumulate;
  check_keys(map, {"accumulate", "inputs", "initial", "over", "interleave", "when", "unless", "iterations"});
  const Value& name = *map.find("accumulate");
  read_operation_name(name, node);
  const dataflow::OpcodeFacts& facts = dataflow::facts(node.op);
  if (facts.operands < 2 || dataflow::is_memory(node.op)) {
    spoil(name.where,
          fmt::format("{} cannot accumulate; expected an operation of a core with two or three inputs", facts.name));
  }
  read_inputs(map, facts.operands - 1U, node);
  part([&] { node.options.emplace("over", expression(needed(map, "over"))); });
  if (const Value* initial = map.find("initial")) {
    part([&] { node.options.emplace("initial", expression(*initial)); });
  }
  if (const Value* interleave = map.find("interleave")) {
    part([&] { node.options.emplace("interleave", structural(*interleave, "the number of results at a time")); });
  }
  for (const char* key : {"when", "unless"}) {
    if (const Value* predicate = map.find(key); predicate != nullptr && facts.operands > 2) {
      note(predicate->where, fmt::format("an accumulated {} cannot have a predicate: when it does not execute, it "
                                         "would pass on its first input, not the accumulated value",
                                         facts.name));
    }
  }
}

void Reader::read_inputs(const Value& map, std::size_t count, GraphNodeSpec& node) {
  part([&] {
    const Value& inputs = needed(map, "inputs");
    if (inputs.kind != Value::Kind::list) spoil(inputs.where, "'inputs' is a list");
    if (inputs.items.size() != count) {
      note(inputs.where,
           fmt::format("{} takes {} input{}{}, found {}", dataflow::facts(node.op).name, count, count == 1 ? "" : "s",
                       node.kind == GraphNodeSpec::Kind::accumulate ? " besides the accumulated value" : "",
                       inputs.items.size()));
    }
    for (const Value& item : inputs.items) part([&] { node.inputs.push_back(read_input(item)); });
  });
}

void Reader::read_predicate(const Value& map, GraphNodeSpec& node) {
  const Value *when = map.find("when"), *unless = map.find("unless");
  if (when != nullptr && unless != nullptr) note(unless->where, "a node has one predicate: 'when', or 'unless'");
  const Value* predicate = when != nullptr ? when : unless;
  if (predicate == nullptr) return;
  node.inverted = when == nullptr;
  part([&] { node.predicate = read_input(*predicate); });
}

void Reader::read_emit(const Value& map, GraphNodeSpec& node) {
  const Value* emit = map.find("emit");
  if (emit == nullptr) return;
  part([&] {
    check_keys(as_map(*emit, "'emit'"), {"period", "last"});
    node.options.emplace("period", expression(needed(*emit, "period")));
    if (const Value* last = emit->find("last")) node.options.emplace("last", expression(*last));
  });
}

std::size_t Reader::node_index(const Value& name) {
  const auto found = std::find(nodes_.begin(), nodes_.end(), text(name));
  if (found != nodes_.end()) return static_cast<std::size_t>(found - nodes_.begin());
  spoil(name.where, fmt::format("there is no node '{}'{}", name.text, did_you_mean(name.text, nodes_)));
}

GraphInputSpec Reader::read_input(const Value& value) {
  GraphInputSpec input;
  input.where = value.where;
  if (value.kind != Value::Kind::map) {
    const bool is_node = std::find(nodes_.begin(), nodes_.end(), text(value)) != nodes_.end();
    if (is_node) {
      input.kind = Operand::Kind::edge;
      input.source = node_index(value);
      return input;
    }
    std::vector<std::string> names = known_;
    names.insert(names.end(), local_.begin(), local_.end());
    if (is_word(value.text) && std::find(names.begin(), names.end(), value.text) == names.end()) {
      names.insert(names.end(), nodes_.begin(), nodes_.end());
      spoil(value.where,
            fmt::format("neither a node nor a value is named '{}'{}", value.text, did_you_mean(value.text, names)));
    }
    input.options.emplace("constant", expression(value));
    return input;
  }
  const auto has = [&](const char* name) { return value.find(name) != nullptr; };
  if (has("from") + has("ring") + has("constant") != 1) {
    spoil(value.where, "an input that is a map needs exactly one of: from, ring, constant");
  }
  const auto read = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (const Value* given = value.find(key)) part([&] { input.options.emplace(key, expression(*given)); });
    }
  };
  if (const Value* source = value.find("from")) {
    check_keys(value, {"from", "initial", "reuse", "restart"});
    input.kind = Operand::Kind::edge;
    part([&] { input.source = node_index(*source); });
    if (const Value* initial = value.find("initial")) part([&] { input.initial = read_values(*initial); });
    read({"reuse", "restart"});
    if (has("restart") && !has("initial")) {
      note(value.find("restart")->where, "'restart' reads the initial values again, but there are none");
    }
  } else if (const Value* ring = value.find("ring")) {
    check_keys(value, {"ring", "reuse"});
    input.kind = Operand::Kind::ring;
    part([&] { input.initial = read_values(*ring); });
    read({"reuse"});
  } else {
    check_keys(value, {"constant", "then", "last", "period"});
    read({"constant", "then", "last", "period"});
    if (!has("then") || !has("last") || !has("period")) {
      spoil(value.where,
            "a constant that changes is {constant: A, then: B, last: L, period: P}: A, but B in the last L "
            "of each P firings");
    }
  }
  return input;
}

GraphValuesSpec Reader::read_values(const Value& value) {
  GraphValuesSpec values;
  values.where = value.where;
  if (value.kind != Value::Kind::map) {
    values.kind = GraphValuesSpec::Kind::list;
    values.values = expressions(value);
    return values;
  }
  if (const Value* each = value.find("each")) {
    values.kind = GraphValuesSpec::Kind::each;
    check_keys(value, {"each", "value"});
    part([&] { values.options.emplace("each", structural(*each, "the number of initial values")); });
    local_.emplace_back("i");
    part([&] { values.options.emplace("value", expression(needed(value, "value"))); });
    local_.pop_back();
    return values;
  }
  if (const Value* load = value.find("load")) {
    values.kind = GraphValuesSpec::Kind::loaded;
    check_keys(value, {"load", "count", "step", "row", "skip"});
    part([&] { values.options.emplace("load", address(*load)); });
    part([&] { values.options.emplace("count", structural(needed(value, "count"), "the number of initial values")); });
    for (const char* key : {"step", "row", "skip"}) {
      if (const Value* given = value.find(key)) part([&] { values.options.emplace(key, expression(*given)); });
    }
    if ((value.find("row") == nullptr) != (value.find("skip") == nullptr)) {
      note(value.where, "'row' and 'skip' belong together: after every 'row' values it goes 'skip' bytes further");
    }
    return values;
  }
  spoil(value.where,
        "initial values are a list, {each: COUNT, value: EXPRESSION of i} or {load: ADDRESS, count: N, step: BYTES}");
}

GraphResultSpec Reader::read_result(const Value& map) {
  check_keys(as_map(map, "a result"), {"node", "operand", "count", "to"});
  GraphResultSpec result;
  result.where = map.where;
  part([&] { result.node = node_index(needed(map, "node")); });
  part([&] { result.options.emplace("operand", structural(needed(map, "operand"), "the number of an operand")); });
  part([&] { result.options.emplace("count", structural(needed(map, "count"), "the number of results")); });
  part([&] { result.options.emplace("to", address(needed(map, "to"))); });
  return result;
}

LocatedExpression Reader::structural(const Value& value, std::string_view what) {
  LocatedExpression result = expression(value);
  for (const Expression::Use& use : result.expression.uses()) {
    if (use.name == "block" || use.name == "copy") {
      spoil(value.where,
            fmt::format("{} cannot depend on '{}': every thread block and every copy has the same structure", what,
                        use.name));
    }
    if (use.name == "copies" && fills_) {
      spoil(value.where, fmt::format("{} cannot depend on 'copies' when as many copies as fit are made", what));
    }
  }
  return result;
}

LocatedExpression Reader::address(const Value& value) {
  local_.emplace_back("scratchpad");
  std::optional<LocatedExpression> result;
  part([&] { result = expression(value); });
  local_.pop_back();
  if (!result) throw Spoilt{};
  return std::move(*result);
}

}  // namespace lockstep::workload
