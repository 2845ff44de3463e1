#include "sim/limits/occupancy.hpp"

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::limits {

namespace {

OccupancyCurve::Step step_of(const gpu::OccupancySpec& spec, const program::Kernel& kernel, const trace::Launch& launch,
                             std::uint64_t need) {
  try {
    const gpu::Occupancy occupancy = gpu::occupancy(spec, kernel, launch);
    return {need, occupancy.warps, occupancy.limit};
  } catch (const InputError&) {
    return {need, 0, "does not fit"};
  }
}

}  // namespace

std::vector<OccupancyCurve> occupancy_curves(const gpu::OccupancySpec& spec, const program::Kernel& kernel,
                                             const trace::Launch& launch) {
  std::vector<OccupancyCurve> curves;
  OccupancyCurve threads{"threads per block", {}, launch.threads_per_block()};
  for (std::uint32_t count = 32; count <= spec.threads_per_block; count += 32) {
    trace::Launch other = launch;
    other.block = {count, 1, 1};
    threads.steps.push_back(step_of(spec, kernel, other, count));
  }
  curves.push_back(std::move(threads));

  const std::uint32_t own_registers =
      launch.registers_per_thread != 0 ? launch.registers_per_thread : std::max(1u, kernel.live_registers);
  OccupancyCurve registers{"registers per thread", {}, own_registers};
  for (std::uint32_t count = 1; count <= spec.registers_per_thread; ++count) {
    trace::Launch other = launch;
    other.registers_per_thread = count;
    registers.steps.push_back(step_of(spec, kernel, other, count));
  }
  curves.push_back(std::move(registers));

  OccupancyCurve scratchpad{
      "bytes of scratchpad per block", {}, kernel.static_shared_bytes + std::uint64_t{launch.dynamic_shared_bytes}};
  program::Kernel other = kernel;
  trace::Launch without = launch;
  without.dynamic_shared_bytes = 0;
  const std::uint32_t unit = std::max(1u, spec.scratchpad_unit);
  for (std::uint32_t bytes = 0; bytes <= spec.scratchpad_bytes_per_block; bytes += unit) {
    other.static_shared_bytes = bytes;
    scratchpad.steps.push_back(step_of(spec, other, without, bytes));
  }
  curves.push_back(std::move(scratchpad));
  return curves;
}

}  // namespace lockstep::limits
