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
#include "models/cache/spec.hpp"
#include "models/coalescer/rule.hpp"
#include "models/dram/spec.hpp"
#include "models/energy/spec.hpp"
#include "models/l2/spec.hpp"
#include "models/noc/spec.hpp"
#include "models/rgpu/spec.hpp"
#include "models/scratchpad/spec.hpp"
#include "sim/gpu/dispatch_order.hpp"

namespace lockstep::gpu {

enum class RegisterAllocation : std::uint8_t { per_warp, per_block };

/// Latency: issue to result. Interval: cycles one warp instruction occupies its group of the unit.
struct OperationTiming {
  Cycle latency{}, interval{};
  machine::Unit unit{};
};

/// Those of all operations. Memory and control operations have no latency of this kind, and the unit of
/// machine::unit_of().
class OperationTimings {
 public:
  OperationTimings() {
    for (std::size_t o = 0; o < timings_.size(); ++o)
      timings_[o].unit = machine::unit_of(static_cast<machine::Operation>(o));
  }
  OperationTiming& operator[](machine::Operation operation) { return timings_[static_cast<std::size_t>(operation)]; }
  const OperationTiming& operator[](machine::Operation operation) const {
    return timings_[static_cast<std::size_t>(operation)];
  }
  auto begin() { return timings_.begin(); }
  auto end() { return timings_.end(); }

 private:
  std::array<OperationTiming, machine::operation_count> timings_{};
};

/// The groups of one functional unit.
struct UnitSpec {
  std::uint32_t groups{};
  bool shared{};  ///< Every scheduler may use every group; otherwise group g serves scheduler g modulo schedulers.
};

/// Limits on what is resident on an SM, with the granularity in which each resource is given out.
struct OccupancySpec {
  std::uint32_t threads{}, warps{}, blocks{}, threads_per_block{};
  std::uint32_t registers{}, registers_per_thread{}, register_unit{};
  RegisterAllocation register_allocation{};
  /// Registers per block: the warps of a block are rounded up to a multiple of this. Registers per warp: the parts of the
  /// register file, each of which holds whole warps.
  std::uint32_t warp_unit{};
  std::uint32_t scratchpad_bytes{}, scratchpad_bytes_per_block{}, scratchpad_unit{};
  std::uint32_t scratchpad_reserved{};  ///< Bytes that each block takes besides its own.
};

/// To which scheduler a new warp goes.
enum class WarpAssignment : std::uint8_t {
  modulo,       ///< Warp slot modulo schedulers: even and odd on Fermi, a quarter each later.
  least_loaded  ///< The scheduler with the fewest live warps.
};

/// Instruction fetch (sm/warps/instruction_fetch.hpp): a warp issues from its buffer, which holds a group of instructions.
struct FetchSpec {
  std::uint32_t buffer{};             ///< Instructions of one fetched group; 0: fetch costs nothing.
  std::uint32_t instruction_bytes{};  ///< Of one machine instruction.
  Cycle latency{}, interval{};        ///< Of one group, when the instruction cache holds it.
  std::uint32_t ports{};              ///< Fetches that begin per interval; scheduler s has port s modulo their number.
  std::uint32_t l0_groups{};     ///< In the L0 cache of a port, the least recently used replaced; 0: there is none.
  std::uint32_t l0_prefetch{};   ///< Groups behind one that a warp turns to that come into the L0 cache, too.
  Cycle l0_prefetch_interval{};  ///< From one of these to the next.
  Cycle l0_back_interval{};      ///< What takes the place of `interval` for a jump back.
  cache::Spec cache;
  Cycle miss_latency{};      ///< Further time when it does not hold a line.
  Cycle fill_interval{};     ///< From one line that comes into it to the next, at least.
  std::uint32_t prefetch{};  ///< Behind each group that it is asked for, that come into it, too.
  bool warm{};               ///< A launch finds there what an earlier one of the same kernel has left.
};

/// Registers lie in banks by their number; an instruction waits a cycle per further register that it reads from one bank.
struct RegisterFileSpec {
  std::uint32_t banks{};  ///< 0: operands are always read at once.
  std::uint32_t ports{};  ///< Registers read from a bank per cycle.
  /// Registers that a scheduler's arithmetic instructions read per cycle, whatever their banks; 0: any number.
  std::uint32_t reads{};
};

/// The L1 data cache. It and the scratchpad memory may share one memory.
struct L1Spec {
  cache::Spec cache;
  /// Of scratchpad and L1 together; the cache gets what the scratchpad leaves. 0: apart.
  std::uint32_t unified_bytes{};
  /// Sizes of the scratchpad among which the driver chooses for a launch, in KiB, with commas; empty: the largest always.
  std::string scratchpad_kib;
  bool global{}, local{};  ///< Whether accesses to global and to local memory go through it.
  cache::WritePolicy global_write{}, local_write{};
  Cycle latency{};           ///< Issue to result of a load that hits.
  double bytes_per_cycle{};  ///< That it delivers.
  /// Of four bytes; a load takes a cycle for each of its words in the fullest. 0: no such limit.
  std::uint32_t banks{};
};

/// Atomics on global memory of lanes that name one word.
struct AtomicReplaySpec {
  bool on{};             ///< A pass for each of them; otherwise all go in one request.
  Cycle latency{};       ///< Delay before the second pass, in addition to the spacing.
  Cycle pass_spacing{};  ///< From one pass of a warp to its next; others use the gap.
};

/// Lines of stores that wait in the SM for later stores to the same lines (sm/memory/store_buffer.hpp).
struct StoreBufferSpec {
  std::uint32_t lines{};  ///< 0: every store sends requests of its own.
  Cycle hold{};           ///< How long a line waits at least.
};

/// Constant caches: one level near the SM, one behind it. Lanes that read one word are served together.
struct ConstantSpec {
  cache::Spec l1, l15;
  Cycle latency{}, l15_latency{};  ///< Issue to result of a hit.
  Cycle access_interval{};         ///< Unit time of a warp's first word; 0: SmSpec::address_interval.
  Cycle interval{};                ///< Unit time per further distinct word of the warp.
  Cycle word_spacing{};            ///< Delay of the own warp per further distinct word; 0: the interval.
};

struct TextureSpec {
  cache::Spec cache;
  Cycle latency{};       ///< Issue to result of a fetch that hits.
  Cycle miss_latency{};  ///< Issue of a fetch that misses to its request.
  Cycle interval{};      ///< Unit time per quad of lanes.
  /// Unit time per aligned block of 64 bytes in which texels of a quad lie, where that is more.
  Cycle block_interval{};
  Cycle fetch_interval{};  ///< Least unit time of a fetch.
  /// Throughput in bytes of texels per cycle, halved with bilinear filtering. 0: unlimited.
  std::uint32_t texel_bytes_per_cycle{};
  double bytes_per_cycle{};  ///< That the cache delivers.
  bool read_only_loads{};    ///< Loads of read-only global memory use it, or the L1 cache when there is none.
};

/// Cycles from the issue of a fence to the warp's next issue at the earliest, by whom it orders memory for.
struct FenceSpec {
  Cycle block{}, gpu{}, system{};
};

struct SmSpec {
  std::uint32_t schedulers{};
  Cycle scheduler_interval{};    ///< One issue slot per scheduler every this many cycles.
  std::uint32_t issue_width{};   ///< Independent instructions of one warp that may issue in one slot.
  std::string policy;            ///< Name of one of scheduler::Policies.
  std::uint64_t policy_seed{};   ///< Of a policy that draws numbers.
  std::uint32_t active_warps{};  ///< Of a policy that chooses among some warps of a scheduler: how many.
  WarpAssignment warp_assignment{};
  FetchSpec fetch;
  RegisterFileSpec register_file;
  UnitSpec cores{}, integer_units{}, double_precision_units{}, tensor_cores{}, special_function_units{},
      load_store_units{}, texture_units{};
  OperationTimings operations;
  Cycle load_store_warp_interval{};     ///< Cycles between two load-store instructions of one warp.
  Cycle load_store_operand_interval{};  ///< Cycles that a register takes from a scheduler to the load-store units.
  std::uint32_t load_store_alternation{}, load_store_queue{};  ///< See AccessPipeline.
  FenceSpec fence;
  Cycle divergence_latency{};  ///< Additional delay of a divergent branch.
  Cycle guard_latency{};       ///< Additional latency of a guard over a predicate that is read as an operand.
  /// Additional latency of a result that another pipeline consumes: of the cores for the integer units, of these for the cores, of
  /// either for the load-store units.
  Cycle crossing_latency{};
  Cycle branch_taken_latency{}, branch_not_taken_latency{};
  /// Of a jump right behind an EXIT that a guard leaves out, where that is longer than a taken branch.
  Cycle jump_behind_exit_latency{};
  Cycle barrier_latency{};
  Cycle barrier_interval{};  ///< Cycles between the arrivals of two warps.
  Cycle mbarrier_latency{};  ///< From an mbarrier instruction, or the end of the phase that it awaits, to its result.
  ConstantSpec constant;
  TextureSpec texture;
  coalescer::Rule coalescer{};
  Cycle address_interval{};       ///< Load-store unit cycles per global-memory transaction.
  std::uint32_t address_lines{};  ///< Transactions that go in one such interval.
  std::string address_hash;       ///< Hash SPEC: see cache::TagBanks.
  Cycle store_interval{};  ///< Least time of a store, which then takes one interval per transaction; 0: as a load.
  AtomicReplaySpec atomic_replay;
  StoreBufferSpec store_buffer;
  L1Spec l1;
  cache::TlbSpec tlb;
  Cycle launch_latency{};  ///< Dispatch of a thread block to its first issue.
  OccupancySpec occupancy;
  scratchpad::Spec scratchpad;
  rgpu::Spec rgpu;
};

/// What lies behind the SMs.
struct MemorySpec {
  noc::Spec noc;
  l2::Spec l2;
  dram::Spec dram;
  cache::TlbSpec tlb;          ///< Asked when an SM's own does not know a page.
  cache::TlbSpec page_table;   ///< Parts of the page table that the walker knows when neither does.
  bool flush_before_launch{};  ///< The L2 cache is empty when a kernel begins; translations stay.
};

struct GpuSpec {
  std::string name;
  double clock_mhz{};
  std::uint32_t sms{};
  double kernel_launch_us{};     ///< What a host sees pass for a launch besides the kernel's cycles.
  Cycle launch_overhead{};       ///< Delay from launch to first thread block.
  Cycle drain_overhead{};        ///< Delay from the last thread block to completion, while stores may be under way.
  Cycle store_drain_overhead{};  ///< Delay from the last acknowledged store to completion, if that is later.
  double dispatch_interval{};    ///< SM cycles between the dispatches of two thread blocks.
  DispatchSpec dispatch;
  machine::Target target;
  SmSpec sm;
  MemorySpec memory;
  analytic::Spec analytic;  ///< Of the closed-form models; the pipeline never sees it.
  energy::Spec energy;      ///< Of what is computed from counters; the pipeline never sees it.
};

}  // namespace lockstep::gpu
