#include "models/rgpu/lane_assignment.hpp"

#include <algorithm>
#include <gecode/int.hh>
#include <gecode/search.hh>
#include <memory>
#include <numeric>

namespace lockstep::rgpu {
namespace {

/// One variable per arc: its lane. At every slot where an arc begins, all arcs there are on different lanes; that is
/// every pair of arcs that meet, since of two that meet one begins within the other.
class Lanes : public Gecode::Space {
 public:
  Lanes(const Problem& problem, const std::vector<Arc>& arcs, std::uint32_t lanes)
      : lane_(*this, static_cast<int>(arcs.size()), 0, static_cast<int>(lanes) - 1) {
    const std::vector<std::uint32_t> counts = loads(problem, arcs);
    // The fullest slot: which lanes its values have is a matter of names.
    const auto fullest = static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    for (std::uint32_t slot = 0; slot < problem.slots; ++slot) {
      Gecode::IntVarArgs here;
      bool begins = slot == fullest;
      for (std::size_t i = 0; i < arcs.size(); ++i) {
        begins = begins || arcs[i].first == slot;
        if (problem.distance(arcs[i].first, slot) >= arcs[i].slots) continue;
        if (slot == fullest) Gecode::rel(*this, lane_[static_cast<int>(i)], Gecode::IRT_EQ, here.size());
        here << lane_[static_cast<int>(i)];
      }
      if (begins && here.size() > 1) Gecode::distinct(*this, here, Gecode::IPL_DOM);
    }
    // In the order of the ring from the emptiest slot on, where few arcs are cut: first fit.
    const auto emptiest = static_cast<std::uint32_t>(std::min_element(counts.begin(), counts.end()) - counts.begin());
    std::vector<std::uint32_t> order(arcs.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return problem.distance(emptiest, arcs[a].first) < problem.distance(emptiest, arcs[b].first);
    });
    Gecode::IntVarArgs ordered;
    for (const std::uint32_t i : order) ordered << lane_[static_cast<int>(i)];
    Gecode::branch(*this, ordered, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
  }
  Lanes(Lanes& other) : Gecode::Space(other) { lane_.update(*this, other.lane_); }
  Gecode::Space* copy() override { return new Lanes(*this); }

  std::vector<std::uint32_t> solution() const {
    std::vector<std::uint32_t> lanes;
    for (int i = 0; i < lane_.size(); ++i) lanes.push_back(static_cast<std::uint32_t>(lane_[i].val()));
    return lanes;
  }

 private:
  Gecode::IntVarArray lane_;
};

}  // namespace

LaneAnswer assign_lanes(const Problem& problem, const std::vector<Arc>& arcs, std::uint32_t lanes,
                        std::uint64_t limit) {
  LaneAnswer answer;
  if (arcs.empty()) {
    answer.lanes.emplace();
    return answer;
  }
  const std::vector<std::uint32_t> counts = loads(problem, arcs);
  if (*std::max_element(counts.begin(), counts.end()) > lanes) return answer;
  Gecode::Search::NodeStop stop(limit);
  Gecode::Search::Options options;
  options.stop = &stop;
  options.threads = 1;
  const auto first = std::make_unique<Lanes>(problem, arcs, lanes);
  Gecode::DFS<Lanes> search(first.get(), options);
  const std::unique_ptr<Lanes> found(search.next());
  answer.steps = search.statistics().node;
  if (found) answer.lanes = found->solution();
  answer.exhaustive = !search.stopped();
  return answer;
}

}  // namespace lockstep::rgpu
