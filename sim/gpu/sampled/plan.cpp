#include "sim/gpu/sampled/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sim/gpu/sampled/estimate.hpp"

namespace lockstep::gpu::sampled {

std::size_t steady(const std::vector<double>& values) {
  const double bound = std::max(least_bound, 3 * variation(values));
  double least = 0, most = 0;
  std::size_t count = 0;
  for (; count < values.size(); ++count) {
    const double one = values[values.size() - 1 - count];
    least = count == 0 ? one : std::min(least, one);
    most = count == 0 ? one : std::max(most, one);
    if (most - least > bound) break;
  }
  return count;
}

bool has_trend(const std::vector<double>& values, double bound) {
  const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
  if (half == 0) return false;
  const double mean = static_cast<double>(half);
  const double difference = (std::accumulate(values.end() - half, values.end(), 0.0) -
                             std::accumulate(values.begin(), values.begin() + half, 0.0)) /
                            mean;
  return std::abs(difference) > std::max(bound, 2 * variation(values) * std::sqrt(2 / mean));
}

Step next_step(const Record& record, const Standing& standing, double wanted_error) {
  const std::uint64_t waves_left = (standing.all - standing.begun) / standing.wave;
  const std::vector<double> slow = slowness(record, RateModel(record));
  Step best;
  double least_share = 0;
  for (const std::size_t runs : run_counts) {
    if (waves_left < last_waves + runs + shortest_gap) break;
    const std::vector<double> all = means(record, slow, runs);
    const std::size_t count = steady(all);
    if (count < fewest_values || count * runs < fewest_runs) continue;
    const std::vector<double> last(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
    const auto trending = static_cast<std::ptrdiff_t>(std::max(fewest_runs, fewest_values * runs));
    if (has_trend({slow.end() - trending, slow.end()}, wanted_error / 2)) continue;
    // The mean of so many gaps' sides is as good as wanted (two standard deviations).
    const double gaps = std::max(1.0, std::ceil(std::pow(2 * variation(last) / wanted_error, 2)));
    std::uint64_t gap = std::min(waves_left - last_waves - runs, growth * count * runs);
    gap = std::min(gap, static_cast<std::uint64_t>(static_cast<double>(waves_left) / gaps));
    // Behind a gap, a wave comes in front of its runs.
    const double share = static_cast<double>(gap) / static_cast<double>(gap + runs + 1);
    if (gap < shortest_gap || share <= least_share) continue;
    least_share = share;
    best = {gap * standing.wave, runs};
  }
  return best;
}

}  // namespace lockstep::gpu::sampled
