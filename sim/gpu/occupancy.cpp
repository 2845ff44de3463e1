// Residency limits of an SM (CUDA C programming guide, "multiprocessor level"): each resource is given out in units.

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/gpu/launch_shape.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::gpu {

namespace {

std::uint64_t rounded_up(std::uint64_t amount, std::uint64_t unit) {
  return (amount + unit - 1) / unit * unit;
}

}  // namespace

std::uint32_t scratchpad_bytes_per_block(const OccupancySpec& spec, const program::Kernel& kernel,
                                         const trace::Launch& launch) {
  const std::uint64_t bytes =
      rounded_up(std::uint64_t{kernel.static_shared_bytes} + launch.dynamic_shared_bytes, spec.scratchpad_unit);
  if (bytes > spec.scratchpad_bytes_per_block)
    throw InputError(fmt::format("kernel {}: a thread block needs {} bytes of scratchpad memory; this GPU allows {}",
                                 kernel.name, bytes, spec.scratchpad_bytes_per_block));
  return static_cast<std::uint32_t>(bytes);
}

trace::Launch with_registers(trace::Launch launch, const machine::Program& program) {
  if (launch.registers_per_thread == 0) launch.registers_per_thread = program.registers;
  return launch;
}

std::array<ResidencyLimit, 5> residency_limits(const OccupancySpec& spec, const program::Kernel& kernel,
                                               const trace::Launch& launch) {
  const std::uint64_t threads = launch.threads_per_block();
  const std::uint64_t warps = launch.warps_per_block();
  const std::uint64_t per_thread = std::min<std::uint64_t>(
      launch.registers_per_thread != 0 ? launch.registers_per_thread : std::max(1u, kernel.live_registers),
      spec.registers_per_thread);
  // Per warp, each of warp_unit schedulers has its part of the registers (NVIDIA's cuda_occupancy.h): what is left of a
  // part serves no warp, but the warps of a thread block go to any of them.
  const bool per_warp = spec.register_allocation == RegisterAllocation::per_warp;
  const std::uint64_t warp_registers = rounded_up(per_thread * 32, spec.register_unit);
  const std::uint64_t registers =
      per_warp ? warps * warp_registers
               : rounded_up(rounded_up(warps, spec.warp_unit) * 32 * per_thread, spec.register_unit);
  const std::uint64_t register_blocks =
      per_warp ? spec.registers / spec.warp_unit / warp_registers * spec.warp_unit / warps : spec.registers / registers;
  if (threads > spec.threads_per_block)
    throw InputError(fmt::format("kernel {}: {} threads per block; this GPU allows {}", kernel.name, threads,
                                 spec.threads_per_block));
  const std::uint64_t scratchpad = scratchpad_bytes_per_block(spec, kernel, launch) + spec.scratchpad_reserved;

  return {{
      {"blocks", spec.blocks, spec.blocks, 1},
      {"threads", spec.threads / threads, spec.threads, threads},
      {"warps", spec.warps / warps, spec.warps, warps},
      {"registers", register_blocks, spec.registers, registers},
      {"scratchpad", scratchpad == 0 ? spec.blocks : spec.scratchpad_bytes / scratchpad, spec.scratchpad_bytes,
       scratchpad},
  }};
}

Occupancy occupancy(const OccupancySpec& spec, const program::Kernel& kernel, const trace::Launch& launch) {
  const auto limits = residency_limits(spec, kernel, launch);
  const ResidencyLimit& least =
      *std::min_element(limits.begin(), limits.end(),
                        [](const ResidencyLimit& a, const ResidencyLimit& b) { return a.blocks < b.blocks; });
  if (least.blocks == 0)
    throw InputError(fmt::format("kernel {}: not one thread block fits on an SM: it needs {} {}, an SM has {}",
                                 kernel.name, least.needs, least.name, least.has));
  const auto blocks = static_cast<std::uint32_t>(least.blocks);
  return {blocks, blocks * launch.warps_per_block(), least.name};
}

}  // namespace lockstep::gpu
