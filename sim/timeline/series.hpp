#pragma once
// Statistics of a replay over time, as CSV.

#include <string>
#include <vector>

#include "sim/gpu/sample.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::timeline {

/// Collects samples of chosen statistics: a row for each interval, from the sample before to its own. A count is what was
/// counted in the interval; a derived statistic is computed from what was; of a largest value, the largest so far.
class Series {
 public:
  /// `names`: of counters ("sm.issue.issued") or derived statistics ("derived.ipc", or "ipc"). InputError, with the nearest
  /// name, when there is none of a name, or when it cannot be said of a part of a replay.
  Series(const gpu::GpuSpec& spec, const std::vector<std::string>& names);

  /// `first_from`: where the first interval begins; then the first sample is one of its begin unless that is 0.
  void begin(Cycle first_from) { from_ = first_from; }
  void take(const gpu::Sample& sample);
  /// A header and the rows: "from" and "to", the cycles of the interval [from, to), then the statistics. What divides by zero
  /// is an empty cell.
  std::string csv() const;

 private:
  struct Column {
    std::string name;
    const stats::Statistic* count = nullptr;  ///< One of them.
    const stats::Derived* derived = nullptr;
  };

  const gpu::GpuSpec& spec_;
  std::vector<Column> columns_;
  Cycle from_ = 0;
  bool began_ = false;
  gpu::Sample before_;
  std::string rows_;
};

}  // namespace lockstep::timeline
