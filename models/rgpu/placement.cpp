#include "models/rgpu/placement.hpp"

#include <algorithm>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>
#include <memory>

#include "models/rgpu/bounds.hpp"

namespace lockstep::rgpu {
namespace {

using Gecode::IntVar;
using Gecode::IntVarArgs;

/// Items in an order in which sources come before receivers as far as there are no cycles.
std::vector<std::uint32_t> dataflow_order(const Problem& problem) {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> waits(problem.size());
  std::vector<bool> taken(problem.size());
  for (std::uint32_t i = 0; i < problem.size(); ++i) {
    waits[i] = static_cast<std::uint32_t>(problem.items[i].sources.size());
  }
  while (order.size() < problem.size()) {
    std::uint32_t next = problem.size();
    for (std::uint32_t i = 0; i < problem.size(); ++i) {
      if (!taken[i] && (next == problem.size() || waits[i] < waits[next])) next = i;
    }
    taken[next] = true;
    order.push_back(next);
    for (const std::uint32_t receiver : problem.items[next].receivers) --waits[receiver];
  }
  return order;
}

/// Per item its slot, counted from `turn` on; per value its first slot, its length and its lane. The ring is laid out
/// twice in a row: what two values share of it they share in the second round.
class Places : public Gecode::Space {
 public:
  Places(const Problem& problem, const Question& question, std::uint32_t turn)
      : slot_(*this, static_cast<int>(problem.size()), 0, static_cast<int>(question.length) - 1), turn_(turn) {
    places(problem, question);
    values(problem, question);
    IntVarArgs ordered;
    for (const std::uint32_t item : dataflow_order(problem)) ordered << slot_[static_cast<int>(item)];
    Gecode::branch(*this, rounds_, Gecode::BOOL_VAR_NONE(), Gecode::BOOL_VAL_MIN());
    Gecode::branch(*this, ordered, Gecode::INT_VAR_MIN_MIN(), Gecode::INT_VAL_MIN());
    Gecode::branch(*this, lane_, Gecode::INT_VAR_SIZE_MIN(), Gecode::INT_VAL_MIN());
  }
  Places(Places& other) : Gecode::Space(other), turn_(other.turn_) {
    slot_.update(*this, other.slot_);
    lane_.update(*this, other.lane_);
  }
  Gecode::Space* copy() override { return new Places(*this); }

  Solution solution(const Problem& problem) const {
    Solution found;
    for (int i = 0; i < slot_.size(); ++i) {
      found.placement.push_back((static_cast<std::uint32_t>(slot_[i].val()) + turn_) % problem.slots);
    }
    found.arcs = arcs(problem, found.placement);
    for (int i = 0; i < lane_.size(); ++i) found.lane_of_arc.push_back(static_cast<std::uint32_t>(lane_[i].val()));
    return found;
  }

 private:
  void places(const Problem& problem, const Question& question) {
    std::vector<int> with_unit;
    for (std::uint32_t i = 0; i < question.length; ++i) {
      const std::uint32_t slot = (i + turn_) % problem.slots;
      if (problem.units_at[slot]) with_unit.push_back(static_cast<int>(i));
    }
    const auto set_of = [](const std::vector<int>& slots) {
      return Gecode::IntSet(slots.data(), static_cast<int>(slots.size()));
    };
    IntVarArgs cores, memory;
    for (std::uint32_t i = 0; i < problem.size(); ++i) {
      const IntVar& slot = slot_[static_cast<int>(i)];
      (problem.items[i].memory ? memory : cores) << slot;
      if (problem.items[i].memory) Gecode::dom(*this, slot, set_of(with_unit));
    }
    if (cores.size() > 1) Gecode::distinct(*this, cores, Gecode::IPL_DOM);
    if (memory.size() == 0) return;
    IntVarArgs used;
    for (const int i : with_unit) {
      const std::uint32_t units = problem.units_at[(static_cast<std::uint32_t>(i) + turn_) % problem.slots];
      used << IntVar(*this, 0, static_cast<int>(units));
    }
    Gecode::count(*this, memory, used, Gecode::IntArgs(with_unit), Gecode::IPL_DOM);
  }

  void values(const Problem& problem, const Question& question) {
    const int slots = static_cast<int>(problem.slots), lanes = static_cast<int>(question.lanes);
    IntVarArgs first, length, end, height, lane, lane_length, lane_end;
    for (std::uint32_t i = 0; i < problem.size(); ++i) {
      const Problem::Item& item = problem.items[i];
      if (!item.sends()) continue;
      const IntVar from = Gecode::expr(*this, slot_[static_cast<int>(i)] + (item.memory ? 0 : 1));
      IntVarArgs distances;
      for (const std::uint32_t receiver : item.receivers) {
        const IntVar distance(*this, 0, slots - 1);
        const Gecode::BoolVar round(*this, 0, question.length == problem.slots ? 1 : 0);
        rounds_ << round;
        Gecode::rel(*this, slot_[static_cast<int>(receiver)] - from + slots * round == distance);
        distances << distance;
      }
      const IntVar farthest(*this, 0, slots - 1);
      Gecode::max(*this, distances, farthest);
      const IntVar covered = Gecode::expr(*this, farthest + 1);
      const IntVar on(*this, 0, lanes - 1);
      lane << on;
      for (int round = 0; round < 2; ++round) {
        first << Gecode::expr(*this, from + round * slots);
        length << covered;
        end << Gecode::expr(*this, from + round * slots + covered);
        height << IntVar(*this, 1, 1);
        lane_length << on;
        lane_end << Gecode::expr(*this, on + 1);
      }
    }
    lane_ = Gecode::IntVarArray(*this, lane);
    if (first.size() == 0 || failed()) return;  // In a failed space variables have any bounds.
    const Gecode::IntArgs one(std::vector<int>(static_cast<std::size_t>(first.size()), 1));
    Gecode::cumulative(*this, lanes, first, length, end, one);
    Gecode::nooverlap(*this, first, length, end, lane_length, height, lane_end);
  }

  Gecode::IntVarArray slot_, lane_;
  Gecode::BoolVarArgs rounds_;  ///< While the model is made.
  std::uint32_t turn_;
};

}  // namespace

Verdict solve_together(const Problem& problem, const Question& question, std::uint64_t limit) {
  Verdict verdict;
  if (question.lanes == 0) return verdict;
  const std::uint32_t turns = question.length == problem.slots ? 1 : problem.period;
  verdict.exhaustive = true;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    Gecode::Search::NodeStop stop(limit - std::min(limit, verdict.steps));
    Gecode::Search::Options options;
    options.stop = &stop;
    options.threads = 1;
    const auto root = std::make_unique<Places>(problem, question, turn);
    Gecode::DFS<Places> search(root.get(), options);
    const std::unique_ptr<Places> found(search.next());
    verdict.steps += search.statistics().node;
    if (search.stopped()) verdict.exhaustive = false;
    if (!found) continue;
    verdict.exhaustive = false;
    verdict.solution = found->solution(problem);
    break;
  }
  return verdict;
}

}  // namespace lockstep::rgpu
