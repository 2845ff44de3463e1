#include "models/rgpu/question.hpp"

#include <algorithm>

#include "models/rgpu/bounds.hpp"
#include "models/rgpu/lane_assignment.hpp"
#include "models/rgpu/placement.hpp"
#include "models/rgpu/sweep.hpp"

namespace lockstep::rgpu {
namespace {

std::uint64_t left(const Verdict& verdict, std::uint64_t limit) {
  return limit - std::min(limit, verdict.steps);
}

/// Takes a placement when its values fit on the lanes.
void consider(const Problem& problem, const Question& question, Placement placement, std::uint64_t limit,
              Verdict& verdict) {
  std::vector<Arc> all = arcs(problem, placement);
  LaneAnswer lanes = assign_lanes(problem, all, question.lanes, limit);
  verdict.steps += lanes.steps;
  if (lanes.lanes) verdict.solution = {false, std::move(placement), std::move(all), std::move(*lanes.lanes)};
}

/// Sets of `size` items of `problem` that send, in lexicographic order: those whose values may be the ones that cross a
/// slot. Every cycle has one of them.
class Cuts {
 public:
  Cuts(const Problem& problem, std::uint32_t size) : problem_(problem) {
    for (std::uint32_t item = 0; item < problem.size(); ++item) {
      if (problem.items[item].sends()) senders_.push_back(item);
    }
    for (std::uint32_t i = 0; i < size; ++i) chosen_.push_back(i);
    ended_ = size > senders_.size();
  }
  /// False after the last one. Counts the sets that it looks at.
  bool next(std::vector<std::uint32_t>& cut, std::uint64_t& steps, std::uint64_t limit) {
    while (!ended_ && steps < limit) {
      cut.clear();
      for (const std::uint32_t i : chosen_) cut.push_back(senders_[i]);
      advance();
      ++steps;
      if (first_of_its_kind(cut) && acyclic_without(problem_, cut)) return true;
    }
    return false;
  }

 private:
  void advance() {
    const auto size = static_cast<std::uint32_t>(chosen_.size());
    for (std::uint32_t i = size; i-- > 0;) {
      if (chosen_[i] + (size - i) < senders_.size()) {
        ++chosen_[i];
        for (std::uint32_t j = i + 1; j < size; ++j) chosen_[j] = chosen_[j - 1] + 1;
        return;
      }
    }
    ended_ = true;
  }
  /// Of sets that differ in the order of copies only one is looked at.
  bool first_of_its_kind(const std::vector<std::uint32_t>& cut) const {
    if (problem_.copies < 2) return true;
    const std::uint32_t length = problem_.size() / problem_.copies;
    std::vector<std::vector<std::uint32_t>> of_copy(problem_.copies);
    for (const std::uint32_t item : cut) of_copy[item / length].push_back(item % length);
    return std::is_sorted(of_copy.begin(), of_copy.end());
  }

  const Problem& problem_;
  std::vector<std::uint32_t> senders_, chosen_;
  bool ended_;
};

/// One sweep for each set of values that crosses the slot where it begins, and for each kind of slot to begin at.
void sweep_all(const Problem& problem, const Question& question, bool everywhere, std::uint64_t limit,
               Verdict& verdict) {
  const bool whole_ring = question.length == problem.slots;
  const std::uint32_t turns = whole_ring ? 1 : problem.period;  // A whole ring can be cut at slot 0.
  std::vector<std::uint32_t> cut;
  bool exhaustive = true;
  std::uint32_t sizes = 0;  ///< That cut every cycle.
  const std::uint32_t most = whole_ring ? question.lanes : 0;
  for (std::uint32_t size = 0; size <= most; ++size) {
    bool cuttable = false;
    for (Cuts cuts(problem, size); cuts.next(cut, verdict.steps, limit);) {
      for (std::uint32_t turn = 0; turn < turns; ++turn) {
        SweepQuestion part;
        part.lanes = question.lanes;
        part.first_slot = turn;
        part.length = question.length;
        part.wrapped = cut;
        if (everywhere && whole_ring) part.least_crossing = size;
        part.width = everywhere ? std::max<std::size_t>(256, limit / (8 * question.length)) : 256;
        SweepAnswer found = sweep(problem, part, left(verdict, limit));
        verdict.steps += found.steps;
        exhaustive = exhaustive && found.exhaustive && !found.placement;
        if (found.placement) consider(problem, question, std::move(*found.placement), limit, verdict);
        if (verdict.solution) return;
        if (verdict.steps >= limit) return;
      }
      cuttable = true;
    }
    if (verdict.steps >= limit) return;
    sizes += cuttable;
    if (sizes == 2 && !everywhere) return;
  }
  verdict.exhaustive = exhaustive;
}

}  // namespace

// The first copy within a window, the others in the windows beside it.
Verdict look_side_by_side(const Problem& problem, const Question& question, std::uint64_t limit) {
  Verdict verdict;
  const Problem single = one_copy(problem);
  const std::uint32_t copies = problem.copies, least = least_span(single);
  std::vector<std::uint32_t> cut;
  for (std::uint32_t window = problem.slots / copies / problem.period * problem.period; window > 0;
       window -= problem.period) {
    if ((copies - 1) * window + least > question.length || window < single.cores_needed) continue;
    const std::uint32_t most = question.length == problem.slots ? question.lanes / copies : 0;
    for (std::uint32_t size = 0; size <= most; ++size) {
      bool cuttable = false;
      for (Cuts cuts(single, size); cuts.next(cut, verdict.steps, limit);) {
        cuttable = true;
        for (std::uint32_t turn = 0; turn < problem.period; ++turn) {
          SweepQuestion part;
          part.lanes = question.lanes;
          part.reserved = (copies - 1) * size;
          part.first_slot = turn;
          part.length = std::min(window, question.length - (copies - 1) * window);
          part.wrapped = cut;
          part.width = 256;
          const SweepAnswer found = sweep(single, part, left(verdict, limit));
          verdict.steps += found.steps;
          if (!found.placement) continue;
          Placement placement;
          for (std::uint32_t copy = 0; copy < copies; ++copy) {
            for (const std::uint32_t slot : *found.placement) {
              placement.push_back((slot + copy * window) % problem.slots);
            }
          }
          consider(problem, question, std::move(placement), limit, verdict);
          if (verdict.solution) {
            verdict.solution->side_by_side = true;
            return verdict;
          }
        }
        if (verdict.steps >= limit) return verdict;
      }
      if (cuttable) break;  // Values that needlessly travel around the ring need a lane in every other window.
    }
  }
  return verdict;
}

Verdict look(const Problem& problem, const Question& question, std::uint64_t limit) {
  Verdict verdict;
  if (problem.copies > 1) verdict = look_side_by_side(problem, question, limit / 16);
  if (!verdict.solution) sweep_all(problem, question, false, limit / 8, verdict);
  verdict.exhaustive = false;
  return verdict;
}

Verdict decide(const Problem& problem, const Question& question, std::uint64_t limit) {
  Verdict verdict;
  sweep_all(problem, question, true, limit, verdict);
  if (verdict.solution || verdict.exhaustive) return verdict;
  // Either the sweeps ended at the limit, and then it takes luck; or all that is open is whether there are other places
  // whose values fit on the lanes.
  const std::uint64_t nodes = limit / (verdict.steps < limit ? 100 : 1000);
  Verdict together = solve_together(problem, question, nodes);
  together.steps += verdict.steps;
  return together;
}

}  // namespace lockstep::rgpu
