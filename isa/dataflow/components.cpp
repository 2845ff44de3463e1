#include "isa/dataflow/components.hpp"

#include <algorithm>

namespace lockstep::dataflow {

Successors successors(const Graph& graph) {
  Successors result(graph.nodes.size());
  const auto all = receivers(graph);
  for (std::size_t node = 0; node < all.size(); ++node) {
    for (const Receiver& receiver : all[node]) result[node].push_back(receiver.node);
  }
  return result;
}

std::vector<std::vector<std::uint32_t>> strongly_connected(const Successors& successors) {
  // Tarjan's algorithm with a stack of its own; components come out last to first.
  const auto count = static_cast<std::uint32_t>(successors.size());
  constexpr std::uint32_t unseen = ~std::uint32_t{0};
  std::vector<std::uint32_t> index(count, unseen), low(count, 0), open;
  std::vector<bool> is_open(count, false);
  std::vector<std::vector<std::uint32_t>> components;
  struct Visit {
    std::uint32_t node, next;
  };
  std::vector<Visit> visits;
  std::uint32_t seen = 0;
  const auto enter = [&](std::uint32_t node) {
    index[node] = low[node] = seen++;
    open.push_back(node);
    is_open[node] = true;
    visits.push_back({node, 0});
  };
  // From the last node down, so that nodes without edges between them stay in order.
  for (std::uint32_t root = count; root-- > 0;) {
    if (index[root] != unseen) continue;
    enter(root);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const std::uint32_t node = visit.node;
      if (visit.next < successors[node].size()) {
        const std::uint32_t to = successors[node][visit.next++];
        if (index[to] == unseen) {
          enter(to);
        } else if (is_open[to]) {
          low[node] = std::min(low[node], index[to]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
      if (low[node] != index[node]) continue;
      auto& component = components.emplace_back();
      for (bool more = true; more;) {
        const std::uint32_t member = open.back();
        open.pop_back();
        is_open[member] = false;
        component.push_back(member);
        more = member != node;
      }
      std::sort(component.begin(), component.end());
    }
  }
  std::reverse(components.begin(), components.end());
  return components;
}

std::vector<std::uint32_t> find_cycle(const Successors& successors) {
  const auto count = static_cast<std::uint32_t>(successors.size());
  enum State : std::uint8_t { unseen, on_path, finished };
  std::vector<State> state(count, unseen);
  std::vector<std::uint32_t> path, next(count, 0);
  for (std::uint32_t root = 0; root < count; ++root) {
    if (state[root] != unseen) continue;
    path.push_back(root);
    state[root] = on_path;
    while (!path.empty()) {
      const std::uint32_t node = path.back();
      if (next[node] == successors[node].size()) {
        state[node] = finished;
        path.pop_back();
        continue;
      }
      const std::uint32_t to = successors[node][next[node]++];
      if (state[to] == on_path) return {std::find(path.begin(), path.end(), to), path.end()};
      if (state[to] == unseen) {
        state[to] = on_path;
        path.push_back(to);
      }
    }
  }
  return {};
}

}  // namespace lockstep::dataflow
