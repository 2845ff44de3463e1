#pragma once
// The time of what was passed over, from the times of what was replayed.

#include <map>
#include <vector>

#include "sim/gpu/sampled/record.hpp"

namespace lockstep::gpu::sampled {

/// Time per work, by class.
class RateModel {
 public:
  /// A class with fewer members among the runs is given the rate of all classes together.
  static constexpr double fewest_members = 16;

  /// Of the measure with which times within a class vary least about their proportion to it.
  explicit RateModel(const Record& record);
  Measure measure() const { return measure_; }
  /// The time that members take.
  double time_of(const Classes& classes) const;

 private:
  double rate_of(std::uint64_t kind) const;

  Measure measure_ = Measure::warp_instructions;
  double rate_of_all_ = 0;
  std::map<std::uint64_t, double> rates_;
};

struct Estimate {
  double time = 0;   ///< Of all gaps, in the unit of ClassSums::time.
  double error = 0;  ///< What it may be wrong by, with `confidence`.
};
/// Of Estimate::error.
inline constexpr double confidence = 0.95;

/// What the error is at least, of the time of the gaps: caches are filled without time, and places on SMs are taken to be taken
/// always. An assumption.
inline constexpr double least_error = 0.015;
/// Runs in front of the first gap that those behind it are compared with.
inline constexpr std::size_t compared_runs = 8;

/// By the runs on both sides of each gap, of which there is one in front of every gap. The error is put together, as of independent
/// ones, of half of what the two sides of each gap differ by, of what runs vary by, of what all runs behind the first gap differ by from
/// those in front of it, which gaps have not disturbed, and of the least one.
Estimate estimate(const Record& record);

/// How much longer than their rates say runs take, relative to 1; of those that are complete, in front of the first that is not.
std::vector<double> slowness(const Record& record, const RateModel& rates);
/// Means of so many successive values without a gap between them, of each row of such from its end on.
std::vector<double> means(const Record& record, const std::vector<double>& slowness, std::size_t runs);
/// The standard deviation of values that may change in between: of the median of what successive ones differ by.
double variation(const std::vector<double>& values);
/// Of Student's t distribution with so many degrees of freedom: two-sided, for `confidence`.
double student_quantile(std::size_t freedom);

}  // namespace lockstep::gpu::sampled
