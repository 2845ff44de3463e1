#pragma once
// The instruction roofline of a GPU: warp instructions per time over warp instructions per transaction, under what the
// machine can issue and move at most (N. Ding, S. Williams: An Instruction Roofline Model for GPUs, PMBS 2019). A
// transaction is a sector of 32 bytes, of the scratchpad a pass.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/result.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::limits {

enum class Level : std::uint8_t { scratchpad, l1, l2, dram };
inline constexpr std::array levels = {Level::scratchpad, Level::l1, Level::l2, Level::dram};
std::string_view name_of(Level level);

/// What a machine can do at most, in 10^9 per second.
struct Roof {
  double instructions = 0;                           ///< Warp instructions.
  std::array<double, levels.size()> transactions{};  ///< By level.
  friend bool operator==(const Roof&, const Roof&) = default;

  /// At so many instructions per transaction of a level.
  double at(Level level, double intensity) const;
};
Roof roof_of(const gpu::GpuSpec& spec);

/// Where a run stands under the roof.
struct RooflinePoint {
  std::string label, gpu;
  Roof roof;
  double instructions = 0;                                          ///< 10^9 warp instructions per second.
  std::array<std::optional<double>, levels.size()> intensity = {};  ///< By level; none: it has no transactions there.

  /// Of what the machine could do at most with this many transactions per instruction, the share that the run reaches, and
  /// the level that allows least; none: issue does.
  double share() const;
  std::optional<Level> nearest() const;
};
/// Of a run that has numbers and is no probe.
RooflinePoint roofline_point(const std::string& label, const gpu::GpuSpec& spec, const experiment::PointResult& result);

/// The picture: a chart for each roof, one above the other.
std::string roofline_svg(const std::vector<RooflinePoint>& points);

}  // namespace lockstep::limits
