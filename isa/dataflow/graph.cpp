#include "isa/dataflow/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/dataflow/components.hpp"

namespace lockstep::dataflow {

namespace {

constexpr std::uint32_t core_fifos = 3, load_store_fifos = 2;  // Van den Braak, section 7.2.

/// What is wrong with one node, for people; said of the node that is named in front.
class NodeCheck {
 public:
  NodeCheck(const Graph& graph, std::uint32_t number, Diagnostics& diagnostics)
      : graph_(graph), number_(number), node_(graph.nodes[number]), diagnostics_(diagnostics) {}

  void run() {
    operands();
    fifos();
    if (is_memory(node_.op)) memory();
    if (node_.inverted && !node_.predicated) fail("is inverted, but has no predicate");
  }

 private:
  void fail(const std::string& what) const {
    SourceLocation where = node_.where;
    if (where.file.empty()) where.file = graph_.file;
    diagnostics_.add(where, fmt::format("node '{}' {}", node_.name, what));
  }

  void operands() const {
    const OpcodeFacts& known = facts(node_.op);
    const std::size_t wanted = known.operands + (node_.predicated ? 1u : 0u);
    if (node_.operands.size() != wanted) {
      fail(fmt::format("has {} operands; {} takes {}{}", node_.operands.size(), known.name, known.operands,
                       node_.predicated ? " and the predicate" : ""));
    }
    for (std::size_t i = 0; i < node_.operands.size(); ++i) {
      const Operand& operand = node_.operands[i];
      switch (operand.kind) {
        case Operand::Kind::constant:
          if (operand.initial != 0) fail(fmt::format("has initial values at operand {}, which is a constant", i));
          break;
        case Operand::Kind::ring:
          if (operand.initial == 0) fail(fmt::format("has a ring without values at operand {}", i));
          break;
        case Operand::Kind::edge: edge(i, operand); break;
      }
    }
  }

  void edge(std::size_t i, const Operand& operand) const {
    if (operand.source >= graph_.nodes.size()) {
      fail(fmt::format("takes operand {} from node number {}, but the graph has {} nodes", i, operand.source,
                       graph_.nodes.size()));
      return;
    }
    const Node& source = graph_.nodes[operand.source];
    if (!gives_result(source.op)) {
      fail(fmt::format("takes operand {} from '{}', but a {} has no result", i, source.name, facts(source.op).name));
    }
    const std::uint32_t size = graph_.nodes_per_copy();
    if (size != 0 && operand.source / size != number_ / size) {
      fail(fmt::format("takes operand {} from '{}' of another copy; edges stay in their copy", i, source.name));
    }
  }

  void fifos() const {
    const auto used =
        static_cast<std::uint32_t>(std::count_if(node_.operands.begin(), node_.operands.end(),
                                                 [](const Operand& o) { return o.kind != Operand::Kind::constant; }));
    const bool load_store = is_memory(node_.op);
    const std::uint32_t most = load_store ? load_store_fifos : core_fifos;
    if (used <= most) return;
    fail(fmt::format("needs {} FIFOs; a {} has {}{}", used, load_store ? "load-store unit" : "core", most,
                     load_store && node_.op != Opcode::load && node_.predicated
                         ? ": a store takes its predicate by a guard of its address"
                         : ": operands beyond that must be constants"));
  }

  void memory() const {
    const bool scratchpad = node_.space == Space::scratchpad;
    if (node_.locks) {
      if (!scratchpad) fail("locks, but does not access scratchpad memory; only its words have locks");
      if (node_.op == Opcode::reduce) fail("locks, but is a reduction; a load acquires a lock and a store releases it");
    }
    if (node_.cache_operator == CacheOperator::wait_for_hit) {
      if (node_.op != Opcode::load) fail("is not a load, but waits for a hit; only loads can (wait_for_hit)");
      if (scratchpad) fail("waits for a hit, but accesses scratchpad memory; thread blocks share global memory only");
    }
    if (node_.cache_operator == CacheOperator::write_through) {
      if (node_.op == Opcode::load) fail("is a load, but writes through; only stores can (write_through)");
      if (scratchpad) fail("writes through, but accesses scratchpad memory, which has no cache");
    }
    if (node_.op == Opcode::reduce) {
      if (!can_reduce(node_.reduction)) {
        fail(
            fmt::format("reduces by {}; memory can add, min, max, and, or, xor, add.f32", facts(node_.reduction).name));
      }
      if (node_.element != Element::b32) fail("reduces elements narrower than 32 bits");
    }
  }

  const Graph& graph_;
  std::uint32_t number_;
  const Node& node_;
  Diagnostics& diagnostics_;
};

void check_names(const Graph& graph, Diagnostics& diagnostics) {
  std::map<std::string_view, const Node*> seen;
  for (const Node& node : graph.nodes) {
    const auto [found, is_new] = seen.emplace(node.name, &node);
    if (node.name.empty()) diagnostics.add(node.where, "a node has no name");
    if (is_new || node.name.empty()) continue;
    const std::string first = to_string(found->second->where);
    diagnostics.add(node.where, fmt::format("the name '{}' is used twice{}", node.name,
                                            first.empty() ? "" : fmt::format(", first at {}", first)));
  }
}

bool same_operand(const Operand& a, const Operand& b, std::uint32_t apart) {
  if (a.kind != b.kind || a.initial != b.initial) return false;
  return a.kind != Operand::Kind::edge || a.source + apart == b.source;
}
/// `apart`: by how much the numbers of b's sources are higher.
bool same_node(const Node& a, const Node& b, std::uint32_t apart) {
  if (a.op != b.op || a.predicated != b.predicated || a.inverted != b.inverted ||
      a.operands.size() != b.operands.size())
    return false;
  if (is_memory(a.op) && (a.space != b.space || a.element != b.element || a.cache_operator != b.cache_operator ||
                          a.locks != b.locks || a.reduction != b.reduction || a.offset != b.offset))
    return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (!same_operand(a.operands[i], b.operands[i], apart)) return false;
  }
  return true;
}

void check_copies(const Graph& graph, Diagnostics& diagnostics) {
  const SourceLocation where{graph.file, 0, 0};
  if (graph.copies == 0 || graph.nodes.size() % graph.copies != 0) {
    diagnostics.add(where,
                    fmt::format("graph '{}' has {} nodes in {} copies", graph.name, graph.nodes.size(), graph.copies));
    return;
  }
  const std::uint32_t size = graph.nodes_per_copy();
  for (std::uint32_t i = size; i < graph.nodes.size(); ++i) {
    if (same_node(graph.nodes[i % size], graph.nodes[i], i - i % size)) continue;
    diagnostics.add(graph.nodes[i].where,
                    fmt::format("node '{}' differs from '{}' of the first copy; all copies have the same structure",
                                graph.nodes[i].name, graph.nodes[i % size].name));
  }
}

void check_results(const Graph& graph, Diagnostics& diagnostics) {
  const SourceLocation where{graph.file, 0, 0};
  for (std::size_t i = 0; i < graph.results.size(); ++i) {
    const Result& result = graph.results[i];
    if (result.node >= graph.nodes.size() || result.operand >= graph.nodes[result.node].operands.size()) {
      diagnostics.add(where, fmt::format("result {} is of operand {} of node number {}, which does not exist", i,
                                         result.operand, result.node));
      continue;
    }
    const Node& node = graph.nodes[result.node];
    if (node.operands[result.operand].kind == Operand::Kind::constant) {
      diagnostics.add(node.where, fmt::format("result {} is what is left in operand {} of node '{}', but that is a "
                                              "constant and has no FIFO",
                                              i, result.operand, node.name));
    }
  }
}

/// Edges without initial values must not close a cycle: none of its nodes could ever begin.
void check_cycles(const Graph& graph, Diagnostics& diagnostics) {
  Successors empty(graph.nodes.size());
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    for (const Operand& operand : graph.nodes[node].operands) {
      if (operand.kind != Operand::Kind::edge || operand.source >= graph.nodes.size()) continue;
      if (operand.initial == 0) empty[operand.source].push_back(node);
    }
  }
  const std::vector<std::uint32_t> cycle = find_cycle(empty);
  if (cycle.empty()) return;
  std::string path;
  for (const std::uint32_t node : cycle) path += graph.nodes[node].name + " -> ";
  diagnostics.add(graph.nodes[cycle[0]].where,
                  fmt::format("the cycle {}{} has no initial value, so that none of its nodes can ever fire; one of "
                              "its edges needs at least one",
                              path, graph.nodes[cycle[0]].name));
}

}  // namespace

std::vector<std::vector<Receiver>> receivers(const Graph& graph) {
  std::vector<std::vector<Receiver>> result(graph.nodes.size());
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    const auto& operands = graph.nodes[node].operands;
    for (std::uint32_t i = 0; i < operands.size(); ++i) {
      if (operands[i].kind == Operand::Kind::edge) result.at(operands[i].source).push_back({node, i});
    }
  }
  return result;
}

bool same_structure(const Graph& a, const Graph& b) {
  if (a.name != b.name || a.file != b.file || a.copies != b.copies || a.nodes.size() != b.nodes.size() ||
      a.results.size() != b.results.size())
    return false;
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    const Result &x = a.results[i], &y = b.results[i];
    if (x.node != y.node || x.operand != y.operand || x.count != y.count) return false;
  }
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &x = a.nodes[i], &y = b.nodes[i];
    if (x.name != y.name || x.where.file != y.where.file || x.where.line != y.where.line ||
        x.where.column != y.where.column || !same_node(x, y, 0))
      return false;
  }
  return true;
}

void check(const Graph& graph) {
  Diagnostics diagnostics;
  if (graph.nodes.empty()) diagnostics.add({graph.file, 0, 0}, fmt::format("graph '{}' has no nodes", graph.name));
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) NodeCheck(graph, i, diagnostics).run();
  check_names(graph, diagnostics);
  check_copies(graph, diagnostics);
  check_results(graph, diagnostics);
  check_cycles(graph, diagnostics);
  diagnostics.throw_if_any();
}

}  // namespace lockstep::dataflow
