#include "isa/ptx/control_flow/meeting.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>

#include "isa/ptx/control_flow/post_dominators.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

/// The strongly connected parts of the graph without blocks that are not wanted.
std::vector<std::vector<std::uint32_t>> connected_parts(const Graph& graph, const std::vector<bool>& wanted) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> edges(graph.size());
  for (std::uint32_t block = 0; block < graph.size(); ++block)
    for (const std::uint32_t to : graph[block])
      if (wanted[block] && wanted[to]) add_edge(block, to, edges);
  std::vector<std::uint32_t> part(graph.size());
  const std::size_t count =
      strong_components(edges, boost::make_iterator_property_map(part.begin(), get(boost::vertex_index, edges)));
  std::vector<std::vector<std::uint32_t>> parts(count);
  for (std::uint32_t block = 0; block < graph.size(); ++block)
    if (wanted[block]) parts[part[block]].push_back(block);
  std::erase_if(parts, [](const auto& one) { return one.empty(); });
  return parts;
}

class Finding {
 public:
  explicit Finding(const Graph& graph) : graph_(graph), predecessors_(graph.size()) {
    for (std::uint32_t block = 0; block < graph.size(); ++block)
      for (const std::uint32_t to : graph[block]) predecessors_[to].push_back(block);
    result_.loop.assign(graph.size(), no_index);
  }

  Meeting run() {
    find_loops(std::vector<bool>(graph_.size(), true), no_index);
    result_.meets = immediate_post_dominators(graph_);
    const std::vector<std::uint32_t> outside = result_.meets;
    for (std::uint32_t number = 0; number < result_.loops.size(); ++number) {
      Loop& loop = result_.loops[number];
      const std::vector<std::uint32_t>& around = loop.parent == no_index ? outside : inside_[loop.parent];
      loop.meets = around[loop.header];
      while (loop.meets != no_index && loop.members[loop.meets]) loop.meets = around[loop.meets];
      if (loop.meets == no_index && loop.parent != no_index) loop.meets = result_.loops[loop.parent].header;
      inside_.push_back(meets_inside(number));
    }
    for (std::uint32_t block = 0; block < graph_.size(); ++block) {
      const std::uint32_t loop = result_.loop[block];
      if (loop == no_index) continue;
      const std::uint32_t meets = inside_[loop][block];
      result_.meets[block] = meets == no_index ? result_.loops[loop].header : meets;
    }
    return std::move(result_);
  }

 private:
  void find_loops(const std::vector<bool>& wanted, std::uint32_t parent) {
    for (const std::vector<std::uint32_t>& part : connected_parts(graph_, wanted)) {
      std::vector<bool> members(graph_.size());
      for (const std::uint32_t block : part) members[block] = true;
      const auto& first = graph_[part[0]];
      if (part.size() == 1 && std::find(first.begin(), first.end(), part[0]) == first.end()) continue;
      std::vector<std::uint32_t> entries;
      for (const std::uint32_t block : part) {
        const auto& from = predecessors_[block];
        const bool enters = std::any_of(from.begin(), from.end(), [&](std::uint32_t one) { return !members[one]; });
        if (block == 0 || enters) entries.push_back(block);
      }
      if (entries.size() != 1) continue;
      const auto number = static_cast<std::uint32_t>(result_.loops.size());
      result_.loops.push_back({.members = members, .header = entries[0], .parent = parent});
      for (const std::uint32_t block : part) result_.loop[block] = number;
      members[entries[0]] = false;
      find_loops(members, number);
    }
  }

  /// The immediate post-dominators of the loop's blocks within it; no_index: the next round.
  std::vector<std::uint32_t> meets_inside(std::uint32_t number) const {
    const Loop& loop = result_.loops[number];
    std::vector<std::uint32_t> blocks, place(graph_.size(), no_index);
    for (std::uint32_t block = 0; block < graph_.size(); ++block) {
      if (!loop.members[block]) continue;
      place[block] = static_cast<std::uint32_t>(blocks.size());
      blocks.push_back(block);
    }
    // The end is one more block, for those from which control goes both there and elsewhere.
    Graph graph(blocks.size() + 1);
    const auto end = static_cast<std::uint32_t>(blocks.size());
    for (std::uint32_t n = 0; n < blocks.size(); ++n)
      for (const std::uint32_t to : graph_[blocks[n]])
        if (loop.members[to]) graph[n].push_back(to == loop.header ? end : place[to]);
    const std::vector<std::uint32_t> found = immediate_post_dominators(graph);
    std::vector<std::uint32_t> result(graph_.size(), no_index);
    for (std::uint32_t n = 0; n < blocks.size(); ++n)
      if (found[n] != no_index && found[n] != end) result[blocks[n]] = blocks[found[n]];
    return result;
  }

  const Graph& graph_;
  Graph predecessors_;
  Meeting result_;
  std::vector<std::vector<std::uint32_t>> inside_;  ///< By loop: meets_inside.
};

}  // namespace

Meeting find_meeting(const std::vector<std::vector<std::uint32_t>>& successors) {
  return Finding(successors).run();
}

}  // namespace lockstep::ptx
