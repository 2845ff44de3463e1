#include "isa/machine/dominance.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace lockstep::machine {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

std::vector<bool> loop(const Graph& graph, std::size_t last, std::size_t head) {
  std::vector<bool> members(boost::num_vertices(graph));
  members[head] = true;
  std::vector<std::size_t> open = {last};
  while (!open.empty()) {
    const std::size_t b = open.back();
    open.pop_back();
    if (members[b]) continue;
    members[b] = true;
    for (auto [edge, end] = boost::in_edges(b, graph); edge != end; ++edge) open.push_back(boost::source(*edge, graph));
  }
  return members;
}

}  // namespace

Dominance::Dominance(const std::vector<program::StaticBlock>& blocks)
    : above_(blocks.size(), Graph::null_vertex()), begins_loop_(blocks.size()) {
  Graph graph(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const std::uint32_t next : blocks[b].successors) boost::add_edge(b, next, graph);
  boost::lengauer_tarjan_dominator_tree(
      graph, boost::vertex(0, graph),
      boost::make_iterator_property_map(above_.begin(), boost::get(boost::vertex_index, graph)));
  number();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const std::uint32_t head : blocks[b].successors)
      if (passes(b, head)) {
        begins_loop_[head] = true;
        loops_.push_back({head, b, loop(graph, b, head)});
      } else if (head < b && above_[b] != Graph::null_vertex()) {
        goes_back_elsewhere_ = true;
      }
}

void Dominance::number() {
  const std::size_t count = above_.size();
  std::vector<std::vector<std::size_t>> below(count);
  for (std::size_t b = 0; b < count; ++b)
    if (above_[b] != Graph::null_vertex()) below[above_[b]].push_back(b);
  begin_.resize(count), end_.resize(count);
  std::uint32_t next = 0;
  for (std::size_t root = 0; root < count; ++root) {
    if (above_[root] != Graph::null_vertex()) continue;
    std::vector<std::size_t> open = {root}, order;
    while (!open.empty()) {
      const std::size_t b = open.back();
      open.pop_back();
      begin_[b] = next++;
      order.push_back(b);
      open.insert(open.end(), below[b].begin(), below[b].end());
    }
    // A block's own come right behind it, so that the last of them is numbered before it ends.
    for (auto b = order.rbegin(); b != order.rend(); ++b) {
      end_[*b] = begin_[*b] + 1;
      for (const std::size_t child : below[*b]) end_[*b] = std::max(end_[*b], end_[child]);
    }
  }
}

std::optional<std::uint32_t> Dominance::nearest(std::size_t block) const {
  if (above_[block] == Graph::null_vertex()) return {};
  return static_cast<std::uint32_t>(above_[block]);
}

bool Dominance::loop_separates(std::size_t inside, const std::vector<std::uint32_t>& outside) const {
  return std::any_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
    return loop.members[inside] &&
           std::none_of(outside.begin(), outside.end(), [&](std::uint32_t block) { return loop.members[block]; });
  });
}

const Dominance::Loop* Dominance::innermost_loop(std::size_t block) const {
  const Loop* innermost = nullptr;
  const auto size = [](const Loop& loop) { return std::count(loop.members.begin(), loop.members.end(), true); };
  for (const Loop& loop : loops_)
    if (loop.members[block] && (innermost == nullptr || size(loop) < size(*innermost))) innermost = &loop;
  return innermost;
}

bool Dominance::has_inner_loop(const Loop& loop) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& other) { return other.first != loop.first && loop.members[other.first]; });
}

std::uint32_t Dominance::before_innermost_loop(std::size_t block) const {
  const Loop* loop = innermost_loop(block);
  auto before = static_cast<std::uint32_t>(block);
  if (loop == nullptr || has_inner_loop(*loop)) return before;
  return nearest(loop->first).value_or(before);
}

bool Dominance::loop_passes_by(std::size_t inside, std::size_t outside) const {
  const Loop* loop = innermost_loop(inside);
  return loop != nullptr && !loop->members[outside] && !passes(loop->last, inside);
}

}  // namespace lockstep::machine
