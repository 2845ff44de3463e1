// Immediate post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
// Algorithm") on the reversed graph, whose root is the end.

#include "isa/ptx/control_flow/post_dominators.hpp"

#include <algorithm>
#include <utility>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

namespace {

using Node = std::uint32_t;
using Graph = std::vector<std::vector<Node>>;

/// Appends to `order` the nodes that are reached from `start` and not yet visited, each after all it leads to.
void visit(const Graph& graph, Node start, std::vector<bool>& visited, std::vector<Node>& order) {
  std::vector<std::pair<Node, std::size_t>> path;
  visited[start] = true;
  path.emplace_back(start, 0);
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == graph[node].size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const Node to = graph[node][next++];
    if (visited[to]) continue;
    visited[to] = true;
    path.emplace_back(to, 0);
  }
}

/// Gives every node a way to the end by adding one edge from each loop that has none.
void open_infinite_loops(const Graph& successors, Graph& predecessors, Node end) {
  std::vector<bool> reaches(successors.size() + 1, false);
  std::vector<Node> order;
  visit(predecessors, end, reaches, order);
  for (;;) {
    // Among the nodes that do not reach the end, the one that a search against the edges leaves last lies in a loop
    // without exit; what it reaches is that loop.
    std::vector<bool> visited = reaches;
    order.clear();
    for (Node node = 0; node < end; ++node) {
      if (!visited[node]) visit(predecessors, node, visited, order);
    }
    if (order.empty()) return;
    std::vector<bool> in_loop(successors.size() + 1, false);
    std::vector<Node> loop;
    visit(successors, order.back(), in_loop, loop);
    const Node last = *std::max_element(loop.begin(), loop.end());
    predecessors[end].push_back(last);
    std::vector<Node> reached;
    visit(predecessors, last, reaches, reached);
  }
}

}  // namespace

std::vector<std::uint32_t> immediate_post_dominators(const std::vector<std::vector<std::uint32_t>>& successors) {
  const auto end = static_cast<Node>(successors.size());
  Graph predecessors(successors.size() + 1);
  for (Node node = 0; node < end; ++node) {
    for (const Node to : successors[node]) predecessors[to].push_back(node);
    if (successors[node].empty()) predecessors[end].push_back(node);
  }
  open_infinite_loops(successors, predecessors, end);

  std::vector<bool> visited(successors.size() + 1, false);
  std::vector<Node> order;
  visit(predecessors, end, visited, order);
  std::vector<std::uint32_t> rank(successors.size() + 1);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  Graph forward = successors;
  for (const Node node : predecessors[end]) forward[node].push_back(end);

  std::vector<std::uint32_t> dominator(successors.size() + 1, no_index);
  dominator[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = order.size() - 1; i-- > 0;) {
      const Node node = order[i];
      Node meet = no_index;
      for (Node other : forward[node]) {
        if (dominator[other] == no_index) continue;
        if (meet == no_index) {
          meet = other;
          continue;
        }
        while (meet != other) {
          while (rank[meet] < rank[other]) meet = dominator[meet];
          while (rank[other] < rank[meet]) other = dominator[other];
        }
      }
      if (dominator[node] != meet) {
        dominator[node] = meet;
        changed = true;
      }
    }
  }
  dominator.pop_back();
  for (auto& node : dominator) {
    if (node == end) node = no_index;
  }
  return dominator;
}

}  // namespace lockstep::ptx
