#pragma once
// One timed replay of a trace on one GPU.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/trace/source.hpp"
#include "sim/gpu/clock_times.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/issue.hpp"
#include "sim/gpu/sample.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// The launch with the registers of a thread that the compiler of the GPU's generation is expected to give, where the workload states
/// none and they are known (machine::Program::registers); else as it is, and the kernel's own estimate counts.
trace::Launch with_registers(trace::Launch launch, const machine::Program& program);

/// How many thread blocks of a launch fit on an SM, and what limits them ("threads", "warps", "blocks", "registers",
/// "scratchpad").
struct Occupancy {
  std::uint32_t blocks = 0, warps = 0;
  std::string limit;
};
/// What one resource allows.
struct ResidencyLimit {
  const char* name;          ///< As Occupancy::limit.
  std::uint64_t blocks;      ///< Thread blocks of an SM.
  std::uint64_t has, needs;  ///< Of the resource: what an SM has, and what a thread block is given.
};
/// Of every resource, in the order in which the first of equal ones is the limit. InputError when a thread block has more
/// threads or scratchpad memory than one may have.
std::array<ResidencyLimit, 5> residency_limits(const OccupancySpec& spec, const program::Kernel& kernel,
                                               const trace::Launch& launch);
/// InputError when not even one block fits (says which resource is short).
Occupancy occupancy(const OccupancySpec& spec, const program::Kernel& kernel, const trace::Launch& launch);

/// Of a launch whose replay may have been sampled (sim/gpu/sampled).
struct LaunchSampling {
  std::uint64_t thread_blocks = 0, warp_instructions = 0;  ///< Passed over: projected from the others.
  double error = 0;                                        ///< Of the launch's cycles, in cycles.
  std::string whole;                                       ///< Why it was replayed whole; empty: it was not.
};

struct LaunchResult {
  std::string kernel;
  Cycle cycles = 0;
  std::uint64_t warp_instructions = 0;
  Occupancy occupancy;
  LaunchSampling sampling = {};  ///< When Options::sampled_error is set.
};

/// Of a replay that may have been sampled.
struct Sampling {
  double replayed = 1;      ///< Share of the warp instructions that were replayed; the others are projected.
  double error = 0;         ///< Estimate of the error of Result::cycles, relative.
  double confidence = 0;    ///< With which the error is no larger.
  double wanted_error = 0;  ///< Options::sampled_error.
  friend bool operator==(const Sampling&, const Sampling&) = default;
};

/// A graph of a kernel on the fabric of an SM.
struct MappedGraph {
  std::string kernel, graph;
  std::uint32_t nodes = 0, lanes = 0, cores = 0, load_store_units = 0;
  /// Per node, over all SMs, when Options::per_node is set.
  struct Node {
    std::string name, operation;
    rgpu::NodeCycles cycles;
  };
  std::vector<Node> node_cycles = {};
};

/// What a launch executed over time: an entry per Options::activity_interval.
struct LaunchActivity {
  std::vector<Activity> first_sm, all;  ///< Of SM 0, and of all SMs together.
};

struct Result {
  Cycle cycles = 0;  ///< Sum over the launches, which run one after the other.
  std::uint64_t warp_instructions = 0;
  Counters counters;
  std::vector<LaunchResult> launches;
  /// Per kernel and instruction of it, when Options::per_instruction is set. All their slots together with the slots
  /// without a warp are all slots; so are the issued ones with those that they caused.
  std::vector<std::vector<InstructionCounters>> instructions;
  /// The costliest access of each of their instructions that accesses memory; of equal ones that of the first SM, by
  /// kernel.
  std::vector<std::map<std::uint32_t, AccessExample>> examples;
  ClockTimes clock;                       ///< Of the last launch in which a warp times something.
  std::vector<MappedGraph> graphs;        ///< Of all kernels.
  std::vector<LaunchActivity> activity;   ///< Per launch, when Options::activity_interval is set.
  std::vector<std::string> notes;         ///< What the user should know about how the kernel was timed.
  std::optional<Sampling> sampling = {};  ///< When Options::sampled_error is set.
  /// Of the kernels.
  double time_ms(const GpuSpec& spec) const { return static_cast<double>(cycles) / (spec.clock_mhz * 1e3); }
  /// As a host times it: the kernels, and the launch of each.
  double elapsed_ms(const GpuSpec& spec) const {
    return time_ms(spec) + static_cast<double>(launches.size()) * spec.kernel_launch_us / 1e3;
  }
};

struct Options {
  unsigned threads = 1;  ///< Changes the speed, never the result.
  /// Called from time to time: finished and all thread blocks, and warp instructions so far.
  std::function<void(std::uint64_t done, std::uint64_t all, std::uint64_t warp_instructions)> progress;
  /// When set, every issued instruction is appended, ordered by launch, cycle and SM. Takes memory for each.
  std::vector<Issue>* issues = nullptr;
  IssueWindow issue_window = {};  ///< Of these, which.
  /// When set, every thread block is appended, ordered by launch, SM and start.
  std::vector<BlockRun>* blocks = nullptr;
  /// When set, every read of the clock register is appended, ordered by launch, thread block, warp and cycle.
  std::vector<ClockRead>* clock_reads = nullptr;
  bool per_instruction = false;  ///< Fill Result::instructions.
  Cycle activity_interval = 0;   ///< When set, fill Result::activity.
  bool per_node = false;         ///< Fill MappedGraph::node_cycles.
  SampleOptions samples = {};    ///< Counters at regular times.
  /// When set, parts of long launches may be projected from others, for cycles that are wrong by this much, relative. Cannot be
  /// combined with what is written down of single instructions, thread blocks or times.
  double sampled_error = 0;
};

/// Replays every launch of `source`. InputError when the kernel cannot run on this GPU or the trace is damaged; a
/// deadlock is reported with what each warp waits for.
Result simulate(const GpuSpec& spec, trace::Source& source, const Options& options = {});
/// The same for kernels that are lowered already: one program per kernel of the source.
Result simulate_lowered(const GpuSpec& spec, trace::Source& source, const std::vector<machine::Program>& programs,
                        const Options& options = {});

}  // namespace lockstep::gpu
