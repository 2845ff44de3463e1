#include "models/rgpu/mapper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/rgpu/bounds.hpp"
#include "models/rgpu/problem.hpp"
#include "models/rgpu/question.hpp"
#include "models/rgpu/shortages.hpp"

namespace lockstep::rgpu {
namespace {

class Mapper {
 public:
  Mapper(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options)
      : graph_(graph), spec_(spec), options_(options), problem_(make_problem(graph, spec)) {}

  MapOutcome run();

 private:
  bool find_lanes(std::uint32_t most);
  void find_enough_lanes();
  void raise_bound_by_one_copy();
  void fewer_lanes();
  void fewer_slots();
  /// Keeps what is found.
  bool take(Verdict verdict);
  bool ask(const Question& question, bool everywhere, std::uint64_t limit);
  bool ask(const Question& question, bool everywhere) { return ask(question, everywhere, options_.step_limit); }
  Mapping mapping() const;
  std::uint32_t span_found() const { return span(problem_, found_->placement, found_->arcs); }
  std::uint32_t lanes_found() const {
    std::uint32_t lanes = 0;
    for (const std::uint32_t lane : found_->lane_of_arc) lanes = std::max(lanes, lane + 1);
    return lanes;
  }

  const dataflow::Graph& graph_;
  const Spec& spec_;
  const MapOptions& options_;
  const Problem problem_;
  std::optional<Solution> found_;
  std::uint32_t least_lanes_ = 0;  ///< Fewer have been excluded.
  bool lanes_proved_ = false, slots_proved_ = false;
  std::uint64_t steps_ = 0;
  bool excluded_ = false;  ///< By the last question.
};

bool Mapper::ask(const Question& question, bool everywhere, std::uint64_t limit) {
  return take(everywhere ? decide(problem_, question, limit) : look(problem_, question, limit));
}

bool Mapper::take(Verdict verdict) {
  steps_ += verdict.steps;
  excluded_ = !verdict.solution && verdict.exhaustive;
  if (!verdict.solution) return false;
  found_ = std::move(verdict.solution);
  return true;
}

bool Mapper::find_lanes(std::uint32_t most) {
  for (std::uint32_t lanes = std::max(least_lanes_, std::uint32_t{1}); lanes <= most; ++lanes) {
    if (ask({lanes, problem_.slots}, false)) return true;
  }
  return false;
}

/// A mapping with more lanes than there are. A lane for every value is always enough.
void Mapper::find_enough_lanes() {
  const Placement anywhere = place_anywhere(problem_);
  Solution sure{false, anywhere, arcs(problem_, anywhere), {}};
  const auto values = static_cast<std::uint32_t>(sure.arcs.size());
  for (std::uint32_t value = 0; value < values; ++value) sure.lane_of_arc.push_back(value);
  for (std::uint32_t lanes = std::max(spec_.lanes + 1, least_lanes_); lanes < values; ++lanes) {
    if (ask({lanes, problem_.slots}, false)) return;
    if (ask({lanes, problem_.slots}, true, options_.step_limit / 8)) return;
  }
  found_ = std::move(sure);
}

/// What one copy needs alone, all need together.
void Mapper::raise_bound_by_one_copy() {
  if (problem_.copies < 2) return;
  const Problem single = one_copy(problem_);
  while (least_lanes_ < lanes_found()) {
    const Verdict verdict = decide(single, {least_lanes_, single.slots}, options_.step_limit);
    steps_ += verdict.steps;
    if (verdict.solution || !verdict.exhaustive) return;
    ++least_lanes_;
  }
}

/// Raises the bound and lowers what is found until they meet or the searches end at their limit.
void Mapper::fewer_lanes() {
  raise_bound_by_one_copy();
  while (least_lanes_ < lanes_found()) {
    if (ask({least_lanes_, problem_.slots}, true)) break;
    if (!excluded_) break;
    ++least_lanes_;
  }
  for (std::uint32_t lanes = least_lanes_ + 1; lanes < lanes_found(); ++lanes) {
    if (ask({lanes, problem_.slots}, true)) break;
  }
  lanes_proved_ = least_lanes_ == lanes_found();
}

void Mapper::fewer_slots() {
  const std::uint32_t least = least_span(problem_);
  const std::uint32_t lanes = options_.goal == Goal::lanes ? lanes_found() : spec_.lanes;
  if (options_.goal == Goal::lanes && found_->side_by_side) {
    while (span_found() > least && take(look_side_by_side(problem_, {lanes, span_found() - 1}, options_.step_limit))) {
    }
    slots_proved_ = true;  // See MapOutcome::optimal.
    return;
  }
  while (span_found() > least && ask({lanes, span_found() - 1}, false)) {
  }
  slots_proved_ = span_found() == least;
  // The second goal gets less time than the first.
  const std::uint64_t limit = options_.goal == Goal::lanes ? options_.step_limit / 4 : options_.step_limit;
  while (!slots_proved_ && ask({lanes, span_found() - 1}, true, limit)) slots_proved_ = span_found() == least;
  slots_proved_ = slots_proved_ || excluded_;
  if (options_.goal == Goal::lanes) return;
  for (std::uint32_t fewer = least_lanes_; fewer < lanes_found(); ++fewer) {
    if (ask({fewer, span_found()}, false)) break;
  }
}

Mapping Mapper::mapping() const {
  Mapping made;
  std::vector<std::uint32_t> taken(problem_.slots, 0);
  for (std::uint32_t node = 0; node < problem_.size(); ++node) {
    const std::uint32_t slot = found_->placement[node];
    if (!problem_.items[node].memory) {
      made.place.push_back(slot);
      continue;
    }
    std::uint32_t unit = 0;
    while (slot_of_unit(unit, spec_.load_store_units, spec_.cores) != slot) ++unit;
    made.place.push_back(unit + taken[slot]++);
  }
  for (std::size_t i = 0; i < found_->arcs.size(); ++i) {
    const Arc& arc = found_->arcs[i];
    made.routes.push_back({arc.source, found_->lane_of_arc[i], arc.first, arc.slots});
  }
  made.lanes = lanes_found();
  made.lower_bound = least_lanes_;
  made.cores = problem_.cores_needed;
  made.load_store_units = problem_.memory_needed;
  made.span = span_found();
  made.search_steps = steps_;
  return made;
}

MapOutcome Mapper::run() {
  MapOutcome outcome;
  outcome.shortages = counted_shortages(graph_, spec_);
  if (!outcome.shortages.empty()) return outcome;
  if (problem_.items.empty()) {
    found_.emplace();
    outcome.mapping = mapping();
    outcome.optimal = true;
    return outcome;
  }
  least_lanes_ = least_lanes(problem_);
  bool proved = least_lanes_ > spec_.lanes;
  if (!proved && !find_lanes(spec_.lanes)) {
    const std::uint32_t lanes = std::max(spec_.lanes, std::uint32_t{1});
    proved = !ask({lanes, problem_.slots}, true) && excluded_;
    if (proved) least_lanes_ = lanes + 1;
  }
  if (!found_) {
    find_enough_lanes();
    outcome.shortages.push_back(lane_shortage(graph_, problem_, spec_.lanes, *found_, proved));
    return outcome;
  }
  if (options_.goal == Goal::lanes) {
    fewer_lanes();
    fewer_slots();
    outcome.optimal = lanes_proved_ && slots_proved_;
  } else {
    fewer_slots();
    outcome.optimal = slots_proved_;
  }
  outcome.mapping = mapping();
  verify(graph_, spec_, *outcome.mapping);
  return outcome;
}

}  // namespace

MapOutcome map(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options) {
  return Mapper(graph, spec, options).run();
}

Mapping map_or_throw(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options) {
  MapOutcome outcome = map(graph, spec, options);
  if (outcome.mapping) return std::move(*outcome.mapping);
  Diagnostics diagnostics;
  const SourceLocation where = graph.nodes.empty() ? SourceLocation{graph.file, 0, 0} : graph.nodes.front().where;
  for (const Shortage& shortage : outcome.shortages) {
    diagnostics.add(where,
                    fmt::format("graph {} does not fit on the R-GPU fabric: too few {} ({} needed, {} available): {}",
                                graph.name, shortage.resource, shortage.needed, shortage.available, shortage.text));
  }
  diagnostics.throw_if_any();
  throw Bug("an R-GPU graph without a mapping lacks nothing");
}

}  // namespace lockstep::rgpu
