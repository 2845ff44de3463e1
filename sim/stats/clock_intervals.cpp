#include "sim/stats/clock_intervals.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep::stats {

std::vector<ClockInterval> clock_intervals(const std::vector<gpu::ClockRead>& reads) {
  std::vector<ClockInterval> intervals;
  const auto same_warp = [](const gpu::ClockRead& a, const gpu::ClockRead& b) {
    return a.launch == b.launch && a.thread_block == b.thread_block && a.warp == b.warp;
  };
  for (std::size_t i = 1; i < reads.size(); ++i) {
    const gpu::ClockRead &from = reads[i - 1], &to = reads[i];
    if (!same_warp(from, to)) continue;
    ClockInterval interval{to.launch, to.warp, to.thread_block, from.instruction, to.instruction, from.cycle, to.cycle};
    interval.timed = intervals.empty() || !same_warp(reads[i - 2], from) || !intervals.back().timed;
    intervals.push_back(interval);
  }
  return intervals;
}

std::vector<IntervalSummary> summarize(const std::vector<ClockInterval>& intervals) {
  struct Sum {
    IntervalSummary summary;
    std::uint64_t cycles = 0;
    const ClockInterval* last = nullptr;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Sum> sums;
  for (const ClockInterval& interval : intervals) {
    Sum& sum = sums[{interval.launch, interval.from, interval.to}];
    IntervalSummary& summary = sum.summary;
    summary.launch = interval.launch;
    summary.from = interval.from;
    summary.to = interval.to;
    summary.least = summary.count == 0 ? interval.cycles() : std::min(summary.least, interval.cycles());
    summary.most = std::max(summary.most, interval.cycles());
    ++summary.count;
    sum.cycles += interval.cycles();
    // The intervals of a warp follow each other.
    if (sum.last == nullptr || sum.last->thread_block != interval.thread_block || sum.last->warp != interval.warp)
      ++summary.warps;
    sum.last = &interval;
  }
  std::vector<IntervalSummary> summaries;
  for (auto& [key, sum] : sums) {
    sum.summary.mean = static_cast<double>(sum.cycles) / static_cast<double>(sum.summary.count);
    summaries.push_back(sum.summary);
  }
  return summaries;
}

}  // namespace lockstep::stats
