#include "tests/unit/models/rgpu/mapper_graphs.hpp"

#include <map>
#include <random>

namespace lockstep::rgpu::test {

using dataflow::Graph;
using dataflow::Opcode;
using dataflow::Operand;

GraphBuilder& GraphBuilder::node(const std::string& name, Opcode op, std::vector<From> sources) {
  dataflow::Node node;
  node.name = name;
  node.op = op;
  nodes_.push_back(node);
  sources_.push_back(std::move(sources));
  return *this;
}

Graph GraphBuilder::build(std::uint32_t copies) const {
  const auto length = static_cast<std::uint32_t>(nodes_.size());
  std::map<std::string, std::uint32_t> number;
  for (std::uint32_t i = 0; i < length; ++i) number[nodes_[i].name] = i;
  Graph graph;
  graph.name = "test";
  graph.copies = copies;
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    for (std::uint32_t i = 0; i < length; ++i) {
      dataflow::Node node = nodes_[i];
      if (copy) node.name += "." + std::to_string(copy);
      for (const From& from : sources_[i]) {
        Operand operand;
        if (!from.name.empty()) {
          operand.kind = Operand::Kind::edge;
          operand.source = number.at(from.name) + copy * length;
          operand.initial = from.initial;
        }
        node.operands.push_back(operand);
      }
      graph.nodes.push_back(node);
    }
  }
  return graph;
}

Spec fabric(std::uint32_t cores, std::uint32_t load_store_units, std::uint32_t lanes,
            std::uint32_t special_function_units) {
  Spec spec;
  spec.cores = cores;
  spec.load_store_units = load_store_units;
  spec.special_function_units = special_function_units;
  spec.lanes = lanes;
  return spec;
}

Graph chain(std::uint32_t length) {
  GraphBuilder builder;
  for (std::uint32_t i = 0; i < length; ++i) {
    builder.node("c" + std::to_string(i), Opcode::add, {i ? From("c" + std::to_string(i - 1)) : From(""), ""});
  }
  return builder.build();
}

Graph fir(std::uint32_t taps, std::uint32_t copies) {
  GraphBuilder builder;
  builder.node("where", Opcode::add, {{"where", 8}, ""}).node("in", Opcode::load, {"where"});
  for (std::uint32_t i = 0; i < taps; ++i) {
    const std::string name = "tap" + std::to_string(i);
    if (i == 0) builder.node(name, Opcode::mul_f32, {"in", ""});
    if (i > 0) builder.node(name, Opcode::fma_f32, {{"in", i}, "", "tap" + std::to_string(i - 1)});
  }
  builder.node("there", Opcode::add, {{"there", 8}, ""});
  return builder.node("out", Opcode::store, {"there", "tap" + std::to_string(taps - 1)}).build(copies);
}

Graph convolution(std::uint32_t rows, std::uint32_t columns, std::uint32_t copies) {
  GraphBuilder builder;
  builder.node("where", Opcode::add, {{"where", 8}, ""});
  std::string sum;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::string r = std::to_string(row);
    builder.node("in" + r, Opcode::load, {"where"});
    std::string last;
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::string name = "tap" + r + "_" + std::to_string(column);
      if (column == 0) builder.node(name, Opcode::mul_f32, {"in" + r, ""});
      if (column > 0) builder.node(name, Opcode::fma_f32, {{"in" + r, column}, "", last});
      last = name;
    }
    if (row > 0) builder.node("sum" + r, Opcode::add_f32, {sum, last});
    sum = row > 0 ? "sum" + r : last;
  }
  return builder.node("there", Opcode::add, {{"there", 8}, ""})
      .node("out", Opcode::store, {"there", sum})
      .build(copies);
}

Graph tree(std::uint32_t leaves) {
  GraphBuilder builder;
  for (std::uint32_t i = 0; i < leaves; ++i) {
    const std::string name = "0_" + std::to_string(i);
    builder.node(name, Opcode::add, {{name, 8}, ""});
  }
  for (std::uint32_t level = 1; leaves > 1; ++level) {
    leaves /= 2;
    const std::string below = std::to_string(level - 1) + "_";
    for (std::uint32_t i = 0; i < leaves; ++i) {
      builder.node(std::to_string(level) + "_" + std::to_string(i), Opcode::add,
                   {below + std::to_string(2 * i), below + std::to_string(2 * i + 1)});
    }
  }
  return builder.build();
}

Graph random_graph(std::uint32_t seed, std::uint32_t cores, std::uint32_t memory) {
  std::mt19937 random(seed);
  const std::uint32_t size = cores + memory;
  std::vector<bool> is_memory(size);
  for (std::uint32_t left = memory; left > 0;) {
    const std::uint32_t i = random() % size;
    if (is_memory[i]) continue;
    is_memory[i] = true;
    --left;
  }
  GraphBuilder builder;
  std::vector<std::string> before;
  std::vector<std::string> senders;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!is_memory[i]) senders.push_back("n" + std::to_string(i));
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::string name = "n" + std::to_string(i);
    const auto any = [&]() -> From {
      const std::uint32_t kind = random() % 8;
      if (kind == 0 && !senders.empty()) return {senders[random() % senders.size()], 1};  // Also backwards, or itself.
      if (kind <= 2 || before.empty()) return "";
      return before[random() % before.size()];
    };
    if (is_memory[i] && random() % 3 == 0) {
      builder.node(name, Opcode::store, {any(), any()});
      continue;
    }
    if (is_memory[i]) builder.node(name, Opcode::load, {any()});
    if (!is_memory[i]) builder.node(name, Opcode::mad, {any(), any(), any()});
    before.push_back(name);
  }
  return builder.build();
}

namespace {

/// Everything by plain recursion over nodes; slots as bits. Shares no code with the mapper.
class Enumeration {
 public:
  Enumeration(const Graph& graph, const Spec& spec) : graph_(graph), spec_(spec), receivers_(graph.nodes.size()) {
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      is_memory_.push_back(graph.nodes[i].op == Opcode::load || graph.nodes[i].op == Opcode::store);
      for (const Operand& operand : graph.nodes[i].operands) {
        if (operand.kind == Operand::Kind::edge && operand.source != i) receivers_[operand.source].push_back(i);
      }
    }
    slot_.resize(graph.nodes.size());
    core_taken_.resize(spec.cores);
    unit_taken_.resize(spec.load_store_units);
  }
  Best run() {
    place(0);
    return best_;
  }

 private:
  void place(std::uint32_t node) {
    if (node == graph_.nodes.size()) return judge();
    std::vector<bool>& taken = is_memory_[node] ? unit_taken_ : core_taken_;
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      if (taken[i]) continue;
      taken[i] = true;
      slot_[node] = is_memory_[node] ? slot_of_unit(i, spec_.load_store_units, spec_.cores) : i;
      place(node + 1);
      taken[i] = false;
    }
  }
  void judge() {
    std::vector<std::uint32_t> ways;
    for (std::uint32_t node = 0; node < receivers_.size(); ++node) {
      if (receivers_[node].empty()) continue;
      std::uint32_t way = 0;
      std::size_t missing = receivers_[node].size();
      std::uint32_t slot = is_memory_[node] ? slot_[node] : (slot_[node] + 1) % spec_.cores;
      for (; missing > 0; slot = (slot + 1) % spec_.cores) {
        way |= 1u << slot;
        for (const std::uint32_t receiver : receivers_[node]) missing -= slot_[receiver] == slot;
      }
      ways.push_back(way);
    }
    std::uint32_t lanes = 0;
    while (!fits(ways, 0, std::vector<std::uint32_t>(lanes, 0))) ++lanes;
    if (lanes > spec_.lanes) return;
    const std::uint32_t span = span_of(ways);
    if (!best_.exists || lanes < best_.lanes || (lanes == best_.lanes && span < best_.span)) {
      best_.lanes = lanes;
      best_.span = span;
    }
    if (!best_.exists || span < best_.span_in_lanes) best_.span_in_lanes = span;
    best_.exists = true;
  }
  static bool fits(const std::vector<std::uint32_t>& ways, std::size_t next, std::vector<std::uint32_t> lanes) {
    if (next == ways.size()) return true;
    for (std::uint32_t& lane : lanes) {
      if (lane & ways[next]) continue;
      lane |= ways[next];
      if (fits(ways, next + 1, lanes)) return true;
      lane &= ~ways[next];
    }
    return false;
  }
  std::uint32_t span_of(const std::vector<std::uint32_t>& ways) const {
    std::uint32_t used = 0;
    for (const std::uint32_t way : ways) used |= way;
    for (const std::uint32_t slot : slot_) used |= 1u << slot;
    for (std::uint32_t length = 1;; ++length) {
      for (std::uint32_t first = 0; first < spec_.cores; ++first) {
        bool all = true;
        for (std::uint32_t slot = 0; slot < spec_.cores; ++slot) {
          all = all && (!(used >> slot & 1) || (slot + spec_.cores - first) % spec_.cores < length);
        }
        if (all) return length;
      }
    }
  }

  const Graph& graph_;
  const Spec& spec_;
  std::vector<bool> is_memory_, core_taken_, unit_taken_;
  std::vector<std::vector<std::uint32_t>> receivers_;
  std::vector<std::uint32_t> slot_;
  Best best_;
};

}  // namespace

Best try_everything(const Graph& graph, const Spec& spec) {
  return Enumeration(graph, spec).run();
}

}  // namespace lockstep::rgpu::test
