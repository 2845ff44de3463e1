#pragma once
// The switch of an SM to R-GPU mode and back (Van den Braak, section 7.2.2). When all warps of the thread block have met at
// the barrier of the kernel's graphs, the SM configures its fabric, runs the graph, and releases the barrier. This unit
// knows the phases and drives the fabric; whoever owns it stops and resumes the warps.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/dataflow/access_stream.hpp"
#include "models/rgpu/fabric.hpp"
#include "models/rgpu/mapping.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/launch_context.hpp"
#include "sim/gpu/sm/memory/memory_unit.hpp"
#include "sim/gpu/sm/rgpu/fabric_memory.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class RgpuUnit {
 public:
  /// What becomes of the SM's warps at an event.
  enum class Change : std::uint8_t {
    none,
    enter,  ///< All warps of block_slot() have met: call enter().
    leave   ///< The SM is in standard mode again: the barrier is released.
  };

  /// Memory accesses and scratchpad banks are those of the SM; what it loads and stores around a run counts in `counters`.
  RgpuUnit(const GpuSpec& spec, MemoryUnit& memory, scratchpad::Scratchpad& scratchpad, SmCounters& counters);

  /// `activity_interval`: see record_activity of rgpu::Fabric.
  void begin_launch(const LaunchContext& launch, Cycle activity_interval);
  void record_nodes(bool record) { fabric_.record_nodes(record); }

  /// At which barrier of a thread block the SM switches.
  std::uint8_t barrier() const { return barrier_; }
  /// The last warp of a block arrives at that barrier at cycle `when`.
  void switch_at(std::uint32_t block_slot, Cycle when);
  /// Begins a run of a graph that thread block `block` has asked for. Follows Change::enter in the same cycle.
  void enter(std::shared_ptr<const dataflow::GraphRun> run, std::uint64_t block, Cycle now);

  /// The next cycle at which advance() must be called, or never.
  Cycle next_event() const { return event_; }
  Change advance(Cycle now);
  /// An access with FabricMemory::token_bit has completed.
  void complete(const Completion& completion);
  /// Replies have come: who waits for memory asks again.
  void wake_up(Cycle now);

  bool off() const { return phase_ == Phase::off; }
  bool running() const { return phase_ == Phase::runs; }
  std::uint32_t block_slot() const { return block_slot_; }
  const dataflow::GraphRun& run() const { return *run_; }
  Cycle entered() const { return entered_; }
  const rgpu::Fabric& fabric() const { return fabric_; }
  const FabricMemory& memory() const { return fabric_memory_; }
  /// Steps that the fabric has made: grows as long as it does anything.
  std::uint64_t steps() const { return steps_; }
  /// For the explanation of a standstill, after which the run is over: wakes the fabric up at `now` although nothing has
  /// come back, and returns whether any node then fires or gets an access served. A fabric that could has missed a wake-up.
  bool try_wake_up(Cycle now);

 private:
  enum class Phase : std::uint8_t {
    off,     ///< Standard mode.
    enters,  ///< All warps have arrived at the barrier.
    set_up,  ///< Switching and configuration; initial values are loaded.
    runs,
    results,  ///< What is left in FIFOs is stored.
    leaves    ///< Switching back.
  };

  Cycle move_words(const std::vector<std::uint64_t>& addresses, MemoryUnit::Kind kind, Cycle now);
  void set_up_fabric(Cycle now);
  bool serve_asks(Cycle now);
  void step_fabric(Cycle now);
  void store_results(Cycle now);
  void leave(Cycle now);

  const rgpu::Spec& spec_;
  MemoryUnit& memory_;
  SmCounters& counters_;
  rgpu::Fabric fabric_;
  FabricMemory fabric_memory_;
  const std::vector<rgpu::Mapping>* mappings_ = nullptr;
  bool communicates_ = false;
  std::uint8_t barrier_ = 0;
  Phase phase_ = Phase::off;
  Cycle event_ = never;
  std::shared_ptr<const dataflow::GraphRun> run_;
  const rgpu::Mapping* mapping_ = nullptr;
  std::uint32_t block_slot_ = 0;
  Cycle entered_ = 0;            ///< When the switch began.
  Cycle configured_ = 0;         ///< When configuration registers and FIFOs are written.
  Cycle ended_ = 0;              ///< When the fabric was done.
  std::size_t words_moved_ = 0;  ///< Of the initial values that are loaded, or of the results.
  std::uint32_t loads_ = 0;      ///< Under way.
  Cycle loaded_ = 0;             ///< When the loads that have come back are there.
  std::uint64_t steps_ = 0;
};

}  // namespace lockstep::gpu
