#pragma once
// How many thread blocks may be passed over next.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/gpu/sampled/record.hpp"

namespace lockstep::gpu::sampled {

/// Where a launch stands. A wave is as many thread blocks as are resident at a time.
struct Standing {
  std::uint64_t wave = 0;   ///< Thread blocks.
  std::uint64_t all = 0;    ///< Of the launch.
  std::uint64_t begun = 0;  ///< Begun or passed over.
};

/// Waves below which a launch is replayed whole.
inline constexpr std::uint64_t fewest_waves = 12;
/// Waves at the end that are replayed in any case, beside the runs behind the last gap: the one in front of them, and the one or two
/// during which places on the SMs become empty.
inline constexpr std::uint64_t last_waves = 2;
/// Of a gap, in waves: a run behind it costs as much.
inline constexpr std::uint64_t shortest_gap = 2;
/// No gap is longer than this times the waves that have been replayed since the rate is steady.
inline constexpr std::uint64_t growth = 5;
/// Successive runs that are as slow as each other, in front of a gap, and values that stand for several of them.
inline constexpr std::size_t fewest_runs = 8, fewest_values = 3;
/// Runs that differ by less, relative, are as slow as each other; so are those that differ by three standard deviations.
inline constexpr double least_bound = 0.02;

/// Runs that may stand for a gap together: more where single ones vary.
inline constexpr std::array<std::size_t, 4> run_counts{1, 2, 4, 8};

/// What comes next.
struct Step {
  std::uint64_t gap = 0;  ///< Thread blocks to pass over, in whole waves; 0: none now.
  std::size_t runs = 1;   ///< Gap::runs.
};

/// How many of the last values are as large as each other.
std::size_t steady(const std::vector<double>& values);
/// Whether the halves of values have means that differ by more than `bound`, and by more than they vary.
bool has_trend(const std::vector<double>& values, double bound);
/// `wanted_error` is relative.
Step next_step(const Record& record, const Standing& standing, double wanted_error);

}  // namespace lockstep::gpu::sampled
