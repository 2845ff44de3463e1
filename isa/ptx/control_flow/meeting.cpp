#include "isa/ptx/control_flow/meeting.hpp"

#include <algorithm>

#include "isa/ptx/control_flow/post_dominators.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

/// Strongly connected parts of a graph among the blocks that are wanted, by Tarjan's algorithm without recursion.
class Components {
 public:
  Components(const Graph& graph, const std::vector<bool>& wanted)
      : graph_(graph), wanted_(wanted), number_(graph.size()), low_(graph.size()), open_(graph.size()) {
    for (std::uint32_t block = 0; block < graph.size(); ++block)
      if (wanted[block] && number_[block] == 0) search(block);
  }

  std::vector<std::vector<std::uint32_t>> found;

 private:
  void search(std::uint32_t start) {
    std::vector<std::pair<std::uint32_t, std::size_t>> path;
    enter(start, path);
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next < graph_[block].size()) {
        const std::uint32_t to = graph_[block][next++];
        if (!wanted_[to]) continue;
        if (number_[to] == 0) {
          enter(to, path);
        } else if (open_[to]) {
          low_[block] = std::min(low_[block], number_[to]);
        }
        continue;
      }
      const std::uint32_t done = block;
      path.pop_back();
      if (!path.empty()) low_[path.back().first] = std::min(low_[path.back().first], low_[done]);
      if (low_[done] == number_[done]) close(done);
    }
  }
  void enter(std::uint32_t block, std::vector<std::pair<std::uint32_t, std::size_t>>& path) {
    number_[block] = low_[block] = ++count_;
    open_[block] = true;
    stack_.push_back(block);
    path.emplace_back(block, 0);
  }
  void close(std::uint32_t root) {
    std::vector<std::uint32_t>& part = found.emplace_back();
    do {
      part.push_back(stack_.back());
      open_[stack_.back()] = false;
      stack_.pop_back();
    } while (part.back() != root);
  }

  const Graph& graph_;
  const std::vector<bool>& wanted_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> number_, low_, stack_;
  std::vector<bool> open_;
};

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
      loop.meets = around[headers_[number]];
      while (loop.meets != no_index && loop.members[loop.meets]) loop.meets = around[loop.meets];
      if (loop.meets == no_index && loop.parent != no_index) loop.meets = headers_[loop.parent];
      inside_.push_back(meets_inside(number));
    }
    for (std::uint32_t block = 0; block < graph_.size(); ++block) {
      const std::uint32_t loop = result_.loop[block];
      if (loop == no_index) continue;
      const std::uint32_t meets = inside_[loop][block];
      result_.meets[block] = meets == no_index ? headers_[loop] : meets;
    }
    return std::move(result_);
  }

 private:
  void find_loops(const std::vector<bool>& wanted, std::uint32_t parent) {
    for (const std::vector<std::uint32_t>& part : Components(graph_, wanted).found) {
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
      result_.loops.push_back({members, parent, no_index});
      headers_.push_back(entries[0]);
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
        if (loop.members[to]) graph[n].push_back(to == headers_[number] ? end : place[to]);
    const std::vector<std::uint32_t> found = immediate_post_dominators(graph);
    std::vector<std::uint32_t> result(graph_.size(), no_index);
    for (std::uint32_t n = 0; n < blocks.size(); ++n)
      if (found[n] != no_index && found[n] != end) result[blocks[n]] = blocks[found[n]];
    return result;
  }

  const Graph& graph_;
  Graph predecessors_;
  Meeting result_;
  std::vector<std::uint32_t> headers_;              ///< By loop.
  std::vector<std::vector<std::uint32_t>> inside_;  ///< By loop: meets_inside.
};

}  // namespace

Meeting find_meeting(const std::vector<std::vector<std::uint32_t>>& successors) {
  return Finding(successors).run();
}

}  // namespace lockstep::ptx
