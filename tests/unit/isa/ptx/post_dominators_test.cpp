#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "isa/ptx/control_flow/post_dominators.hpp"
#include "isa/ptx/module.hpp"

using lockstep::ptx::immediate_post_dominators;
using lockstep::ptx::no_index;
using Graph = std::vector<std::vector<std::uint32_t>>;
using Result = std::vector<std::uint32_t>;

TEST_CASE("a single node leads to the end") {
  CHECK(immediate_post_dominators({{}}) == Result{no_index});
}

TEST_CASE("both sides of an if meet behind it") {
  CHECK(immediate_post_dominators({{1, 2}, {3}, {3}, {}}) == Result{3, 3, 3, no_index});
}

TEST_CASE("sides that end on their own meet only at the end") {
  CHECK(immediate_post_dominators({{1, 2}, {}, {}}) == Result{no_index, no_index, no_index});
}

TEST_CASE("a loop is left through its exit") {
  // 0 -> 1 (head) -> 2 (body) -> 1; 1 -> 3
  CHECK(immediate_post_dominators({{1}, {2, 3}, {1}, {}}) == Result{1, 3, 1, no_index});
}

TEST_CASE("an endless loop counts as leaving at its last node") {
  CHECK(immediate_post_dominators({{0}}) == Result{no_index});
  // 0 -> 1 -> (2 | 3) -> 4 -> 1, without exit: the sides still meet in 4.
  CHECK(immediate_post_dominators({{1}, {2, 3}, {4}, {4}, {1}}) == Result{1, 4, 4, 4, no_index});
  // One side loops forever, the other returns.
  CHECK(immediate_post_dominators({{1, 2}, {1}, {}}) == Result{no_index, no_index, no_index});
}

TEST_CASE("nodes that nothing reaches have post-dominators too") {
  CHECK(immediate_post_dominators({{2}, {2}, {}}) == Result{2, 2, no_index});
}

namespace {

/// By definition: d post-dominates n when the end cannot be reached from n without d.
bool reaches_end(const Graph& graph, std::uint32_t from, std::uint32_t without) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> pending;
  if (from != without) pending.push_back(from);
  while (!pending.empty()) {
    const std::uint32_t node = pending.back();
    pending.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    if (graph[node].empty()) return true;
    for (const std::uint32_t to : graph[node]) {
      if (to != without) pending.push_back(to);
    }
  }
  return false;
}

}  // namespace

TEST_CASE("random graphs agree with the definition of post-dominance") {
  std::mt19937 random(7);
  int checked = 0;
  for (int round = 0; round < 400; ++round) {
    const auto size = static_cast<std::uint32_t>(2 + random() % 14);
    Graph graph(size);
    for (std::uint32_t node = 0; node + 1 < size; ++node) {
      const auto edges = 1 + random() % 3;
      for (std::uint32_t i = 0; i < edges; ++i) {
        const auto to = static_cast<std::uint32_t>(random() % size);
        if (std::find(graph[node].begin(), graph[node].end(), to) == graph[node].end()) graph[node].push_back(to);
      }
    }
    bool all_end = true;
    for (std::uint32_t node = 0; node < size; ++node) all_end = all_end && reaches_end(graph, node, no_index);
    if (!all_end) continue;
    ++checked;
    const Result found = immediate_post_dominators(graph);
    for (std::uint32_t node = 0; node < size; ++node) {
      std::vector<std::uint32_t> strict;
      for (std::uint32_t d = 0; d < size; ++d) {
        if (d != node && !reaches_end(graph, node, d)) strict.push_back(d);
      }
      // The immediate one is the strict post-dominator that no other strict one stands before.
      std::uint32_t immediate = no_index;
      for (const std::uint32_t d : strict) {
        bool first = true;
        for (const std::uint32_t e : strict) first = first && (e == d || !reaches_end(graph, d, e));
        if (first) immediate = d;
      }
      REQUIRE(found[node] == immediate);
    }
  }
  CHECK(checked > 100);
}
