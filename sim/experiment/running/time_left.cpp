#include "sim/experiment/running/time_left.hpp"

#include <algorithm>

namespace lockstep::experiment {

namespace {

/// From less of a run than this its whole is not judged.
constexpr double least_fraction = 0.02;

}  // namespace

TimeLeft::TimeLeft(const std::vector<std::string>& execution_of_run, unsigned workers) : workers_(workers) {
  for (const std::string& execution : execution_of_run) {
    const std::size_t index = index_.emplace(execution, index_.size()).first->second;
    executions_.resize(index_.size());
    ++executions_[index].waiting_runs;
    execution_of_run_.push_back(index);
  }
}

void TimeLeft::expect_execution(const std::string& execution) {
  const std::size_t index = index_.emplace(execution, index_.size()).first->second;
  executions_.resize(index_.size());
  executions_[index].expected = true;
}

void TimeLeft::begin_execution(const std::string& execution, double now) {
  const std::size_t index = index_.at(execution);
  executions_[index].expected = false;
  executing_[index] = {now, 0};
}

void TimeLeft::end_execution(const std::string& execution, double now) {
  const auto found = executing_.find(index_.at(execution));
  last_execution_ = now - found->second.since;
  executing_.erase(found);
}

void TimeLeft::begin(std::size_t run, double now) {
  --executions_[execution_of_run_[run]].waiting_runs;
  runs_[run] = {now, 0};
}

void TimeLeft::advance(std::size_t run, double fraction) {
  const auto found = runs_.find(run);
  if (found != runs_.end()) found->second.fraction = fraction;
}

void TimeLeft::end(std::size_t run, double now) {
  const auto found = runs_.find(run);
  Timed& timed = executions_[execution_of_run_[run]].runs;
  timed.sum += now - found->second.since;
  ++timed.count;
  last_run_ = timed.mean();
  runs_.erase(found);
}

std::optional<double> TimeLeft::expected_run(const Execution& of) const {
  return of.runs.count > 0 ? std::optional(of.runs.mean()) : last_run_;
}

std::optional<double> TimeLeft::left_of(std::size_t run, const UnderWay& state, double now) const {
  const double passed = now - state.since;
  if (state.fraction > least_fraction) return passed / state.fraction - passed;
  const auto whole = expected_run(executions_[execution_of_run_[run]]);
  return whole ? std::optional(std::max(0.0, *whole - passed)) : std::nullopt;
}

std::optional<double> TimeLeft::seconds_left(double now) const {
  double sum = 0, longest = 0;
  std::size_t pieces = 0;
  std::optional<double> from_under_way;  // Where no run has ended: the longest that one will have taken.
  const auto add = [&](double seconds, std::size_t count) {
    sum += seconds * static_cast<double>(count);
    if (count > 0) longest = std::max(longest, seconds);
    pieces += count;
  };
  for (const auto& [run, state] : runs_) {
    const auto left = left_of(run, state, now);
    if (!left) continue;
    add(*left, 1);
    from_under_way = std::max(from_under_way.value_or(0), *left + now - state.since);
  }
  for (const auto& [index, state] : executing_)
    add(std::max(0.0, last_execution_.value_or(0) - (now - state.since)), 1);
  for (const Execution& execution : executions_) {
    if (execution.expected) add(last_execution_.value_or(0), 1);
    if (execution.waiting_runs == 0) continue;
    const auto each = expected_run(execution);
    if (!each && !from_under_way) return std::nullopt;
    add(each ? *each : *from_under_way, execution.waiting_runs);
  }
  if (pieces == 0) return std::nullopt;
  const auto busy = static_cast<double>(std::min<std::size_t>(workers_, pieces));
  return std::max(longest, sum / busy);
}

}  // namespace lockstep::experiment
