#pragma once
// A GPU's parameters as plain data. Names, units, defaults, ranges and texts are declared once, in
// sim/config/gpu_parameters.cpp.

#include <array>
#include <cstdint>
#include <string>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "isa/machine/lowering.hpp"
#include "models/analytic/spec.hpp"
#include "models/dram/bandwidth_memory.hpp"
#include "models/scheduler/warp_scheduler.hpp"
#include "models/scratchpad/spec.hpp"

namespace lockstep::gpu {

enum class RegisterAllocation : std::uint8_t { per_warp, per_block };

/// Latency: issue to result. Interval: cycles one warp instruction occupies its unit group.
struct OperationTiming {
  Cycle latency{}, interval{};
};

/// Limits on what is resident on an SM, with the granularity in which each resource is given out.
struct OccupancySpec {
  std::uint32_t threads{}, warps{}, blocks{}, threads_per_block{};
  std::uint32_t registers{}, registers_per_thread{}, register_unit{};
  RegisterAllocation register_allocation{};
  std::uint32_t warp_unit{};  ///< Warps of a block are rounded up to a multiple of this.
  std::uint32_t scratchpad_bytes{}, scratchpad_bytes_per_block{}, scratchpad_unit{};
};

struct SmSpec {
  std::uint32_t schedulers{};
  Cycle scheduler_interval{};  ///< One issue slot per scheduler every this many cycles.
  scheduler::Policy policy{};
  std::uint64_t policy_seed{};  ///< Of Policy::random.
  std::uint32_t core_groups{}, special_function_groups{}, load_store_groups{};
  OperationTiming integer{}, integer_multiply{}, shift{}, floating{}, double_precision{}, conversion{},
      special_function{}, special_register{}, exchange{};
  Cycle branch_taken_latency{}, branch_not_taken_latency{};
  Cycle barrier_latency{};
  Cycle constant_latency{};
  Cycle address_interval{};  ///< Load-store unit cycles per global-memory transaction.
  Cycle launch_latency{};    ///< Dispatch of a thread block to its first issue.
  OccupancySpec occupancy;
  scratchpad::Spec scratchpad;
};

/// The memory behind the SMs, as an SM sees it.
struct MemorySpec {
  dram::BandwidthSpec bandwidth;
  std::uint32_t transaction_bytes{};
  std::uint32_t queue_depth{};  ///< Outstanding transactions per SM before its load-store unit stalls.
};

struct GpuSpec {
  std::string name;
  double clock_mhz{};
  std::uint32_t sms{};
  machine::Target target;
  SmSpec sm;
  MemorySpec memory;
  analytic::Spec analytic;  ///< Of the closed-form models; the pipeline never sees it.
};

}  // namespace lockstep::gpu
