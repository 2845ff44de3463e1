#pragma once
// What a sampled replay notes of thread blocks or launches, by class: sums of work and, of those that were replayed, of time.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/gpu/sampled/block_work.hpp"

namespace lockstep::gpu::sampled {

/// Sums over members of one class. `time` is slot time: the cycles from the one at which a place on an SM became free to the end of
/// the thread block that took it. Where all places are always taken, their number of slot cycles pass in a cycle.
struct ClassSums {
  double members = 0, time = 0, time_squared = 0;
  std::array<double, measure_count> work{}, work_squared{}, work_by_time{};

  void add(const Work& of_one, double time_of_one);
  /// Of one whose time is not known.
  void add(const Work& of_one);
};
using Classes = std::map<std::uint64_t, ClassSums>;

/// Successive members that were replayed, and whose times count.
struct Run {
  Classes classes;
  std::uint64_t members = 0, ended = 0;
  bool complete() const { return members > 0 && ended == members; }
};

/// Successive members that were passed over, between runs before - 1 and before.
struct Gap {
  Classes classes;
  std::size_t before = 0;
  std::size_t runs = 1;  ///< On each side of it, the successive runs that stand for it.
};

/// In order.
struct Record {
  std::vector<Run> runs;
  std::vector<Gap> gaps;
  bool without_sectors = false;  ///< Measure::sectors is not known of every gap.
};

}  // namespace lockstep::gpu::sampled
