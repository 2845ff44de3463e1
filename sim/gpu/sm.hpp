#pragma once
// One streaming multiprocessor: resident thread blocks, warp schedulers, scoreboard, unit groups, scratchpad memory.
// Between two exchanges it runs alone over its own state; whatever concerns the rest of the GPU leaves through the
// outbox and the list of ended blocks.
//
// An SM advances from event to event: a scheduler's next slot in which a warp may issue, or a reply from memory. For
// every resident warp it keeps the earliest cycle at which the warp's next instruction can issue and the reason for
// waiting until then, so cycles in which nothing can happen cost nothing and idle slots are still accounted for.

#include <memory>
#include <string>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"
#include "models/noc/message.hpp"
#include "models/noc/slice_map.hpp"
#include "models/scheduler/warp_scheduler.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "models/scratchpad/word_updates.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/instruction_fetch.hpp"
#include "sim/gpu/issue.hpp"
#include "sim/gpu/memory_path.hpp"
#include "sim/gpu/register_banks.hpp"
#include "sim/gpu/rgpu_mode.hpp"
#include "sim/gpu/spec.hpp"
#include "sim/gpu/unit_pool.hpp"
#include "sim/gpu/warp_queue.hpp"

namespace lockstep::gpu {

/// What an SM must know about the launch it works on.
struct LaunchContext {
  const machine::Program* program = nullptr;
  program::AddressWindows windows;
  std::uint32_t warps_per_block = 0;
  std::uint32_t resident_blocks = 0;  ///< Occupancy limit.
  std::uint32_t scratchpad_bytes_per_block = 0;
  std::shared_ptr<const scratchpad::Maps> maps;  ///< The kernel's hash functions.
  /// Of the kernel's graphs, in their order; null: it has none. One thread block is resident then.
  const std::vector<rgpu::Mapping>* mappings = nullptr;
  bool communicates = false;  ///< A graph waits for words that another stores.
};

class Sm {
 public:
  Sm(const GpuSpec& spec, const noc::SliceMap& slices, std::uint32_t index);

  void begin_launch(const LaunchContext& launch);
  bool has_room() const { return free_blocks_ > 0; }
  /// At cycle `now`, makes a thread block resident; its warps may issue from cycle `start` on. Requires has_room().
  void start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number, Cycle now, Cycle start);
  void deliver(const noc::Reply& reply);

  /// Simulates up to, not including, cycle `end`.
  void run_until(Cycle end);
  /// The next cycle at which something can happen here, or never.
  Cycle next_event() const;
  /// No thread of the launch runs any more: what only the L1 cache knows leaves for the memory.
  void write_back(Cycle now) { path_.write_back(now); }
  bool idle() const { return free_blocks_ == launch_.resident_blocks; }

  std::vector<noc::Request>& outbox() { return path_.outbox(); }
  /// Cycles at which thread blocks ended since the last exchange, in order.
  std::vector<Cycle>& ended_blocks() { return ended_blocks_; }

  /// Accounts the slots that are left until the launch's last cycle and checks that every slot has a name.
  void end_launch(Cycle end);
  const SmCounters& counters() const { return counters_; }
  /// Whether a lock has been held beyond the watchdog's limit while a warp retries.
  bool stuck() const { return stuck_; }
  /// A line per resident warp: thread block, warp, source line, what it waits for.
  std::string describe_warps() const;
  /// A line per warp that holds locks which others fail to acquire: word, since when, and what blocks it.
  std::string describe_locks() const;
  /// What the fabric of an SM in R-GPU mode waits for; otherwise empty. `told`: the short form of the last one.
  std::string describe_fabric(std::string& told) const;

  /// From now on, every issue is written down, or what became of the slots around every instruction. Reads of the clock
  /// always are.
  void log_issues() { logs_issues_ = true; }
  void profile_instructions() { profiles_ = true; }
  /// Per `interval` cycles of a launch, what is executed.
  void record_activity(Cycle interval) { activity_interval_ = interval; }
  void record_nodes() { records_nodes_ = true; }
  /// What was written down since it was last cleared, in order of cycles.
  std::vector<Issue>& issues() { return issues_; }
  std::vector<ClockRead>& clock_reads() { return clock_reads_; }
  /// Adds what profile_instructions() asked for, of the launch that has ended, per instruction of its kernel.
  void add_profile(std::vector<InstructionCounters>& to) const;
  /// Adds what record_activity() asked for, of the launch that has ended.
  void add_activity(std::vector<Activity>& to) const;
  /// Adds what record_nodes() asked for, of the graph that has this mapping.
  void add_nodes(const rgpu::Mapping& mapping, std::vector<rgpu::NodeCycles>& to) const;

 private:
  struct alignas(64) Warp {
    // What every issue and every turn of a lock loop reads comes first, in one line of the host's cache.
    std::uint32_t pc = 0, block_end = 0;  ///< Machine instruction numbers.
    Cycle hold = 0;                       ///< The next instruction does not issue before this, and why.
    Slot hold_reason = Slot::launch;
    bool held = false;                  ///< By something else than the interval between issue slots.
    std::uint8_t barrier = no_barrier;  ///< At which it waits.
    bool in_lock_loop = false;          ///< Or in one around a compare-and-swap: its access is taken.
    bool conflict_free = false;  ///< In a lock loop: the lanes that are left need one pass, however few they are.
    bool branched = false;       ///< The last issue was a branch that ends its basic block.
    bool at_end = false;         ///< Its stream has ended, but it still waits at a barrier.
    bool live = false;
    std::uint32_t scheduler = 0, slot = 0;  ///< Its scheduler, and its place there.
    std::uint32_t outstanding = 0;          ///< Memory accesses that have not completed.
    std::uint32_t basic_block = 0, mask = 0;
    std::uint32_t block_slot = 0;
    std::uint32_t lanes_left = 0, lanes_acquired = 0;  ///< Of a loop; acquired: or swapped.
    Cycle refused_since = never;                       ///< Every lane's lock, in every iteration.
    trace::StreamCursor cursor;
    InstructionFetch::Buffer fetched;
    Cycle started = 0;
    std::uint64_t number = 0;      ///< Among all warps of the launch.
    std::uint64_t generation = 0;  ///< Tells this warp from others that used its slot before.
    std::uint32_t shared_lanes = 0, global_lanes = 0, local_lanes = 0;  ///< Of the current access.
    Cycle loaded_at = 0;  ///< What the next compare-and-swap of the loop compares with.
    trace::AccessEntry access{};
  };
  static constexpr std::uint8_t no_barrier = 0xff;
  struct Barrier {
    Cycle last_arrival = 0;
    std::uint32_t arrived = 0;   ///< Warps.
    std::uint32_t expected = 0;  ///< Warps; 0: all that are live.
  };
  struct Block {
    std::unique_ptr<trace::ThreadBlockStreams> streams;
    std::uint64_t number = 0;
    std::uint32_t live_warps = 0;
    std::array<Barrier, 16> barriers{};
    bool resident = false;
  };
  /// State of one warp scheduler; arrays are indexed by its own warp slots.
  struct Scheduler {
    Cycle next_attempt = never;
    Cycle accounted = 0;  ///< Slots before this cycle have been counted.
    Cycle phase = 0;
    std::array<UnitPool*, gate_count> pools{};  ///< The groups of the unit behind each gate, in unit_pools_.
    std::uint32_t id = 0;
    Slot idle_reason = Slot::no_warp;
    bool woken = false;         ///< By a reply: must be planned again.
    std::uint32_t idle_at = 0;  ///< Into Kernel::instructions, while instructions are profiled: where the idle warp is.
    scheduler::WarpScheduler policy;
    WarpQueue queue;
    std::vector<std::uint32_t> warp_at;  ///< Into warps_.
    std::vector<std::uint64_t> slots;    ///< By Slot, of this launch.
  };
  /// A memory access in flight: what becomes ready when it completes.
  struct Pending {
    std::uint32_t warp = 0, instruction = 0;
    std::uint64_t generation = 0;
    Cycle operands = 0;  ///< What the register file was late.
    std::uint32_t next_free = 0;
  };
  /// What an instruction must find before it issues.
  struct Needs {
    Gate gate = Gate::control;
    bool listed = false;                      ///< All its operands are among these.
    std::uint8_t registers = 0;               ///< 32-bit registers that it reads and writes.
    std::array<std::uint16_t, 4> operands{};  ///< Registers, some of them more than once.
  };
  enum Producer : std::uint64_t { arithmetic = 0, scratchpad_data = 1, memory_data = 2 };

  // sm.cpp
  void assign_scheduler(std::uint32_t warp);
  void accept_replies(Cycle now);

  // sm_schedule.cpp
  Cycle aligned(const Scheduler& s, Cycle cycle) const;
  std::uint64_t slots_between(const Scheduler& s, Cycle from, Cycle to) const;
  void account_idle(Scheduler& s, Cycle until);
  Cycle opens(const Scheduler& s, Gate gate) const;
  scheduler::Candidates candidates(Scheduler& s) const;
  std::uint64_t issuable(Scheduler& s, Cycle now) const;
  bool goes_on(Scheduler& s, Cycle from);
  void plan(Scheduler& s, Cycle from);
  void wait(Scheduler& s, const scheduler::Candidates& candidates, Cycle from);
  void attempt(Scheduler& s, Cycle now);
  bool pairs_with_next(const Scheduler& s, std::uint32_t warp, const machine::Instruction& first, Cycle now) const;
  void wake(std::uint32_t warp, Cycle now);

  // sm_units.cpp
  void make_units();
  void map_program();

  // sm_ready.hpp
  void set_ready(std::uint32_t warp, const machine::Instruction& i, Cycle ready, Producer producer);
  void hold(Warp& warp, Cycle until, Slot reason);
  std::uint64_t operands_of(std::uint32_t warp, std::uint32_t pc) const;
  void find_ready(Scheduler& s, std::uint32_t warp);
  void prepare(Scheduler& s, std::uint32_t warp, Cycle now);

  // sm_warp.cpp
  bool enter_next_block(Warp& warp, Cycle now);
  void take_access(Warp& warp, std::uint32_t index, const machine::Instruction& instruction);
  bool without_own_lanes(const Warp& warp, const machine::Instruction& instruction) const;
  void end_warp(std::uint32_t warp, Cycle now);
  void release_barrier_if_complete(std::uint32_t block_slot, std::uint8_t barrier, Cycle now);
  void open_barrier(std::uint32_t block_slot, std::uint8_t barrier, Cycle opens, Cycle now);

  // sm_issue.cpp
  void issue(Scheduler& s, std::uint32_t warp, Cycle now);
  void arrive_at_barrier(std::uint32_t warp, const machine::Instruction& i, Cycle now);

  // sm_observe.cpp
  void observe(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  static std::pair<std::uint32_t, std::uint32_t> lanes_of_issue(const Warp& warp, const machine::Instruction& i);
  void log_issue(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  void count_activity(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  void begin_profile();
  void profile_idle(Scheduler& s, std::uint64_t slots);
  void stand_at(Scheduler& s, std::uint32_t warp_slot);
  void check_profile(Cycle end, std::uint64_t slots_with_warp) const;

  // sm_scratchpad.cpp
  Cycle issue_scratchpad(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  Cycle issue_load_lock(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  Cycle issue_store_unlock(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  Cycle issue_native_atomic(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  Cycle issue_cas_load(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  void compare_and_swap(Warp& warp, const machine::Instruction& i, Cycle now);
  void count_degree(const scratchpad::Passes& passes);

  // sm_memory.cpp
  void look_at_path();
  Cycle issue_constant(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle operands);
  Cycle issue_global(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle operands);
  std::uint32_t new_pending(std::uint32_t warp, const machine::Instruction& i, Cycle operands);
  void settle(std::uint32_t warp, const machine::Instruction& i, const MemoryPath::Outcome& outcome,
              std::uint32_t pending);

  // sm_rgpu.cpp
  void begin_rgpu();
  void switch_at(std::uint32_t block_slot, Cycle when);
  void set_reconfigured(bool reconfigured, Cycle now);
  void advance_rgpu(Cycle now);
  void enter_rgpu(Cycle now);
  void set_up_fabric(Cycle now);
  void step_fabric(Cycle now);
  void store_results(Cycle now);
  void leave_rgpu(Cycle now);
  Cycle move_words(const std::vector<std::uint64_t>& addresses, MemoryPath::Kind kind, Cycle now);
  void complete_rgpu(const MemoryPath::Completion& completion);
  void wake_rgpu(Cycle now);

  // sm_locks.cpp
  void watch_locks(std::uint32_t warp, Cycle now);
  /// What the addresses of a warp's scratchpad accesses count from (Scratchpad).
  std::uint64_t scratchpad_base(const Warp& warp) const {
    return hashed_by_block_ ? std::uint64_t{warp.block_slot} * launch_.scratchpad_bytes_per_block : 0;
  }
  std::uint32_t lock_of(const Warp& warp, std::uint32_t lane) const {
    return scratchpad_.lock_of(scratchpad_base(warp) + warp.access.address[lane]);
  }
  std::string holder_of(std::uint32_t lock) const;
  std::string lock_waited_for(const Warp& warp) const;
  bool ready_to_issue(const Warp& warp) const;

  std::uint64_t* scoreboard(std::uint32_t warp) { return scoreboard_.data() + std::size_t{warp} * registers_; }
  const std::uint64_t* scoreboard(std::uint32_t warp) const {
    return scoreboard_.data() + std::size_t{warp} * registers_;
  }
  Scheduler& scheduler_of(const Warp& warp) { return schedulers_[warp.scheduler]; }
  static UnitPool& pool_of(const Scheduler& s, Gate gate) { return *s.pools[static_cast<std::size_t>(gate)]; }

  const GpuSpec& spec_;
  std::uint32_t index_;
  Cycle slot_interval_;   ///< Cycles from slot to slot of one scheduler,
  int slot_shift_;        ///< and its logarithm when it is a power of two, otherwise -1.
  bool narrows_ = false;  ///< The schedulers' policy does not choose among all warps that can issue.
  std::array<OperationTiming, machine::operation_count> timing_{};
  scratchpad::Scratchpad scratchpad_;
  bool hashed_by_block_;             ///< The bank hash counts from the beginning of the thread block's scratchpad.
  bool locks_in_loops_ = false;      ///< Scratchpad atomics are loops around a lock.
  scratchpad::WordUpdates updates_;  ///< Kept while the launch's program has compare-and-swap loops.
  InstructionFetch fetch_;
  MemoryPath path_;
  LaunchContext launch_;
  const machine::Instruction* code_ = nullptr;  ///< Of the launch's program.
  std::vector<Needs> needs_;                    ///< Of every machine instruction of the launch's program.
  std::vector<std::uint8_t> operand_cycles_;    ///< Likewise: its wait for register banks; empty when there is none.

  std::vector<Scheduler> schedulers_;
  std::vector<Warp> warps_;
  std::vector<Block> blocks_;
  std::uint32_t free_blocks_ = 0;
  std::uint64_t arrivals_ = 0;  ///< Warps that ever came: their age.
  std::uint32_t registers_ = 0;
  std::vector<std::uint64_t> scoreboard_;  ///< (ready cycle << 2 | producer), per warp and register.
  std::vector<UnitPool> unit_pools_;
  std::uint32_t shared_gates_ = 0;  ///< Bit per gate: all schedulers use the same groups of its unit.
  std::uint32_t turn_ = 0;          ///< The scheduler that goes first in a cycle.
  Cycle barrier_free_ = 0;          ///< When the next arrival at a barrier may take place.
  /// By Gate: when what lies behind the unit takes the next instruction. For the scratchpad that is when the last native
  /// atomic has passed, for the memory MemoryPath::opens(); for all else 0.
  std::array<Cycle, gate_count> behind_unit_{};

  std::vector<Pending> pending_;
  std::uint32_t free_pending_ = ~0u;
  std::vector<Cycle> ended_blocks_;

  std::uint32_t resident_warps_ = 0;
  Cycle resident_since_ = 0;
  SmCounters counters_;
  bool stuck_ = false, logs_issues_ = false, logs_clock_reads_ = false, profiles_ = false;
  bool observes_ = false;  ///< An issue is looked at for one of these, or for activity_.
  std::vector<Issue> issues_;
  std::vector<ClockRead> clock_reads_;
  std::vector<InstructionCounters> profile_;  ///< Of this launch, by static instruction.
  struct Executions {
    std::uint64_t warps = 0, lanes = 0;
  };
  std::vector<Executions> executions_;  ///< Of this launch, by basic block.
  Cycle activity_interval_ = 0;
  bool records_nodes_ = false;
  std::vector<Activity> activity_;  ///< Of this launch, in standard mode.

  std::unique_ptr<RgpuMode> rgpu_;            ///< While a launch has graphs.
  Cycle rgpu_event_ = never;                  ///< The next in R-GPU mode, or never.
  std::uint8_t switch_barrier_ = no_barrier;  ///< At which the SM switches to R-GPU mode.
  bool reconfigured_ = false;                 ///< Its schedulers have no slots.
};

}  // namespace lockstep::gpu
