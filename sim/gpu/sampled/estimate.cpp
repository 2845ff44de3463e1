#include "sim/gpu/sampled/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace lockstep::gpu::sampled {

namespace {

double mean(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                         values.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
         static_cast<double>(to - from);
}

}  // namespace

void ClassSums::add(const Work& of_one, double time_of_one) {
  add(of_one);
  time += time_of_one;
  time_squared += time_of_one * time_of_one;
  for (std::size_t m = 0; m < measure_count; ++m) work_by_time[m] += of_one.measures[m] * time_of_one;
}

void ClassSums::add(const Work& of_one) {
  ++members;
  for (std::size_t m = 0; m < measure_count; ++m) {
    work[m] += of_one.measures[m];
    work_squared[m] += of_one.measures[m] * of_one.measures[m];
  }
}

RateModel::RateModel(const Record& record) {
  Classes all;
  ClassSums together;
  const auto merge = [](ClassSums& to, const ClassSums& from) {
    to.members += from.members;
    to.time += from.time;
    to.time_squared += from.time_squared;
    for (std::size_t m = 0; m < measure_count; ++m) {
      to.work[m] += from.work[m];
      to.work_squared[m] += from.work_squared[m];
      to.work_by_time[m] += from.work_by_time[m];
    }
  };
  for (const Run& run : record.runs)
    for (const auto& [kind, sums] : run.classes) merge(all[kind], sums);
  ClassSums rare;
  for (const auto& [kind, sums] : all) {
    merge(together, sums);
    if (sums.members < fewest_members) merge(rare, sums);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < measure_count; ++m) {
    if (together.work[m] <= 0) continue;
    if (record.without_sectors && m == static_cast<std::size_t>(Measure::sectors)) continue;
    const double rate_of_all = together.time / together.work[m];
    const auto residual = [m](const ClassSums& sums, double rate) {
      return sums.time_squared - 2 * rate * sums.work_by_time[m] + rate * rate * sums.work_squared[m];
    };
    double sum = residual(rare, rate_of_all);
    bool usable = true;
    for (const auto& [kind, sums] : all) {
      usable = usable && sums.work[m] > 0;
      if (sums.members >= fewest_members && sums.work[m] > 0) sum += residual(sums, sums.time / sums.work[m]);
    }
    // Rounding decides nothing: of equal measures, the first.
    if (!usable || sum >= least * (1 - 1e-9)) continue;
    least = sum;
    measure_ = static_cast<Measure>(m);
    rate_of_all_ = rate_of_all;
  }
  const auto m = static_cast<std::size_t>(measure_);
  for (const auto& [kind, sums] : all)
    if (sums.members >= fewest_members && sums.work[m] > 0) rates_[kind] = sums.time / sums.work[m];
}

double RateModel::rate_of(std::uint64_t kind) const {
  const auto found = rates_.find(kind);
  return found == rates_.end() ? rate_of_all_ : found->second;
}

double RateModel::time_of(const Classes& classes) const {
  double time = 0;
  for (const auto& [kind, sums] : classes) time += rate_of(kind) * sums.work[static_cast<std::size_t>(measure_)];
  return time;
}

std::vector<double> slowness(const Record& record, const RateModel& rates) {
  std::vector<double> result;
  for (const Run& run : record.runs) {
    if (!run.complete()) break;
    double time = 0;
    for (const auto& [kind, sums] : run.classes) time += sums.time;
    const double expected = rates.time_of(run.classes);
    result.push_back(expected > 0 ? time / expected : 1);
  }
  return result;
}

std::vector<double> means(const Record& record, const std::vector<double>& slowness, std::size_t runs) {
  std::vector<double> result;
  std::size_t begin = 0;
  const auto add_row = [&](std::size_t end) {
    for (std::size_t at = begin + (end - begin) % runs; at + runs <= end; at += runs)
      result.push_back(mean(slowness, at, at + runs));
    begin = end;
  };
  for (const Gap& gap : record.gaps) add_row(std::min(gap.before, slowness.size()));
  add_row(slowness.size());
  return result;
}

double variation(const std::vector<double>& values) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i) differences.push_back(std::abs(values[i] - values[i - 1]));
  if (differences.empty()) return 0;
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  // Half of the differences of a normal distribution are smaller than 0.954 standard deviations.
  return *middle / 0.954;
}

Estimate estimate(const Record& record) {
  Estimate result;
  const RateModel rates(record);
  const std::vector<double> slow = slowness(record, rates);
  std::vector<double> weights(slow.size());  // Of the deviation of a run.
  double squares = 0;
  for (std::size_t g = 0; g < record.gaps.size(); ++g) {
    const Gap& gap = record.gaps[g];
    const double time = rates.time_of(gap.classes);
    const std::size_t least = g == 0 ? 0 : record.gaps[g - 1].before;
    const std::size_t most = g + 1 == record.gaps.size() ? slow.size() : record.gaps[g + 1].before;
    const std::size_t from = std::max(least, gap.before - std::min(gap.before, gap.runs));
    const std::size_t to = std::min(most, gap.before + gap.runs);
    const double left = mean(slow, from, gap.before), right = to == gap.before ? left : mean(slow, gap.before, to);
    result.time += time * (left + right) / 2;
    squares += std::pow(time * (right - left) / 2, 2);
    const std::vector<double> sides = means(record, slow, gap.runs);
    const double deviation = student_quantile(sides.size() - 1) * variation(sides) * std::sqrt(gap.runs);
    for (std::size_t i = from; i < to; ++i)
      weights[i] += time / 2 * deviation / static_cast<double>(i < gap.before ? gap.before - from : to - gap.before);
  }
  for (const double weight : weights) squares += weight * weight;
  if (!record.gaps.empty() && record.gaps.front().before < slow.size()) {
    const std::size_t first = record.gaps.front().before;
    const double in_front = mean(slow, first - std::min(first, compared_runs), first);
    squares += std::pow(result.time * (mean(slow, first, slow.size()) - in_front), 2);
  }
  result.error = std::sqrt(squares + std::pow(least_error * result.time, 2));
  return result;
}

double student_quantile(std::size_t freedom) {
  // For 95 %, from 1 degree of freedom on.
  static constexpr std::array<double, 30> quantiles{
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
      2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom == 0) return std::numeric_limits<double>::infinity();
  return freedom <= quantiles.size() ? quantiles[freedom - 1] : 1.96;
}

}  // namespace lockstep::gpu::sampled
