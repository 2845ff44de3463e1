#pragma once
// One thread block while it executes: its warps, scratchpad memory, local memory and barriers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/exec/control/barriers.hpp"
#include "isa/exec/control/reconvergence.hpp"
#include "isa/exec/dataflow/launch_stores.hpp"
#include "isa/exec/kernel.hpp"
#include "isa/exec/launch.hpp"
#include "isa/exec/memory/device_memory.hpp"
#include "isa/exec/memory/word_writers.hpp"
#include "isa/trace/recorder.hpp"

namespace lockstep::exec {

class Heap;
class PrintLog;
class ThreadBlock;
class TextureTable;
class BlockChecks;
struct LaunchChecks;

/// Zeroed bytes aligned to 64.
struct Storage {
  std::vector<std::byte> bytes;
  std::byte* data = nullptr;
  void resize(std::uint64_t size);
};

/// A function that some lanes of a warp execute: called by `call`, it returns to the activation `caller`.
struct Activation {
  std::uint32_t function = 0;
  std::byte* frame = nullptr;      ///< Its registers.
  std::uint64_t local = 0;         ///< What its places in local memory count from: 0 unless it is recursive.
  std::uint64_t local_end = 0;     ///< Where the next frame in local memory begins.
  std::uint32_t depth = 0;         ///< Activations of recursive functions, itself included, that wait for each other.
  std::uint32_t caller = 0;        ///< Index into Warp::activations.
  const CallSite* call = nullptr;  ///< Null for the entry.
};

/// Lanes of a warp that execute apart from its others, and take turns with them (control/splits.hpp). They stand where the block
/// of the last level begins.
struct Split {
  Levels stack;
  std::vector<Activation> activations;
};

/// A warp: its frames, its reconvergence stack and where it stands.
struct Warp {
  enum class State : std::uint8_t { ready, waiting, ended };

  ThreadBlock* owner = nullptr;
  std::uint32_t index = 0;
  State state = State::ready;
  std::byte* frames = nullptr;  ///< The frame of the first activation of each function.
  std::byte* frame = nullptr;   ///< Of the function it is in.
  std::byte* local = nullptr;   ///< Local memory of lane 0; that of the next lane is `local_stride` further.
  std::uint64_t local_bytes = 0, local_stride = 0;
  LaneMask active = 0;  ///< Lanes of the block it is in.
  LaneMask live = 0;    ///< Lanes that have not exited.
  std::uint32_t block = 0;
  const Op* at = nullptr;
  const Op* end = nullptr;
  Levels stack;
  std::vector<Activation> activations;  ///< Of the levels of the stack; a caller before those that it calls.
  std::vector<Split> apart;             ///< The next one first.
  bool has_turn = false;                ///< Those that it is with enter their block, whoever else waits.
  /// Per function that is recursive: how many of the activations are its own, and the frames behind that of the first.
  std::vector<std::uint32_t> nesting;
  std::vector<std::vector<Storage>> deeper_frames;
  Storage deeper_local;            ///< Holds the local memory once frames do not fit into the thread block's.
  const Op* barrier_op = nullptr;  ///< While waiting: the barrier instruction, its lanes and its barrier.
  LaneMask barrier_mask = 0;
  std::uint32_t barrier = 0;

  alignas(64) std::uint64_t address[lanes];  ///< Of the memory instruction that executes.
  alignas(64) std::byte* host[lanes];        ///< The host bytes behind them.
};

/// What shows whether the order of a launch's thread blocks matters.
struct OrderRecord {
  WordWriters writers;
  /// Per instruction: it has read a word that another thread block had written for others to see.
  std::vector<bool>* received = nullptr;
};

/// What the thread blocks of a launch share.
struct LaunchContext {
  const Kernel* kernel = nullptr;
  const KernelLaunch* launch = nullptr;
  std::uint32_t number = 0;  ///< Of the launch in its task.
  const DeviceMemory* memory = nullptr;
  const TextureTable* textures = nullptr;
  const Allocation* parameters = nullptr;
  const std::uint64_t* executed_before = nullptr;  ///< Warp instructions of the task in all turns that have ended.
  const std::function<void(std::uint64_t)>* progress = nullptr;  ///< As Task::progress; may be null.
  std::uint64_t instruction_limit = 0;
  std::uint32_t call_depth = 0;                             ///< Activations of recursive functions in one thread.
  const std::vector<const Allocation*>* buffers = nullptr;  ///< Of the task, for graphs.
  dataflow::LaunchStores* graph_stores = nullptr;           ///< What graphs of the launch have stored so far.
  PrintLog* prints = nullptr;                               ///< Null: what printf prints is dropped.
  Heap* heap = nullptr;                                     ///< Null where no kernel of the task allocates.
  std::uint64_t grid_workspace = 0;                         ///< Of a cooperative launch: its address.
  OrderRecord* order = nullptr;                             ///< Null where the order of thread blocks cannot show.
  LaunchChecks* checks = nullptr;                           ///< Null without checks.
};

/// Scratchpad memory of a thread block of the launch, static and dynamic.
std::uint64_t shared_bytes_of(const Kernel& kernel, const KernelLaunch& launch);

/// Scratchpad memory that the system software has for itself in each thread block, and how much of it the software that is
/// compiled into kernels uses: what the special registers of an H100 say. There it begins at offset 0; here it stands behind
/// what the kernel has, in the banks that it would have at 0.
inline constexpr std::uint64_t reserved_shared_bytes = 1024, reserved_shared_used = 288,
                               reserved_shared_alignment = 128;
/// Where that of a kernel that uses it begins.
std::uint64_t reserved_shared_offset(const Kernel& kernel, const KernelLaunch& launch);

/// Executes thread blocks of one launch, one after the other, in turns.
class ThreadBlock {
 public:
  explicit ThreadBlock(const LaunchContext& context);
  ~ThreadBlock();
  ThreadBlock(const ThreadBlock&) = delete;
  ThreadBlock& operator=(const ThreadBlock&) = delete;

  /// Goes to the beginning of thread block `number` (x fastest). `recorder` may be null.
  void begin(std::uint64_t number, trace::Recorder* recorder);
  /// Each warp that is ready executes a slice of instructions, or up to the next that ends its turn (communication.hpp): it
  /// takes time on a GPU, in which other warps continue. Returns the warp instructions counted since the last turn.
  std::uint64_t take_turn();
  /// Whether every warp has ended, or none has begun.
  bool ended() const { return ended_warps_ == warps_.size(); }
  /// Whether a warp has ended or changed global memory since this was last asked.
  bool take_advanced() { return std::exchange(advanced_, false); }
  /// Whether a warp has executed a whole slice since this was last asked.
  bool take_busy() { return std::exchange(busy_, false); }
  /// Fingerprint of everything that decides how the thread block goes on, but for global memory.
  std::size_t state() const;

  // For the steps.
  const LaunchContext& context() const { return context_; }
  /// Global memory changes.
  void advance() { advanced_ = true; }
  const Kernel& kernel() const { return *context_.kernel; }
  std::uint64_t number() const { return number_; }  ///< Of the grid, x fastest.
  std::byte* shared() { return shared_.data; }
  const std::byte* shared() const { return shared_.data; }
  /// Without the reserved memory.
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  /// The scratchpad bytes from `offset` on, reserved ones too; null where not all of `bytes` are there.
  std::byte* shared_at(std::uint64_t offset, std::uint64_t bytes) const {
    const auto within = [&](std::uint64_t size, std::uint64_t from) { return from < size && bytes <= size - from; };
    const bool inside = within(shared_bytes_, offset) ||
                        (kernel().uses_reserved_shared && within(reserved_shared_bytes, offset - reserved_shared_));
    return inside ? shared_.data + offset : nullptr;
  }
  static std::byte* local(const Warp& warp, unsigned lane) { return warp.local + lane * warp.local_stride; }
  /// Begins an activation of a function, called from the activation `caller` at `op` by the lanes of the mask, and puts it
  /// on the warp's stack. InputError when too many recursive ones wait for each other.
  void enter_function(Warp& warp, const Op& op, const CallSite& site, std::uint32_t caller, LaneMask mask);
  std::uint32_t warp_count() const { return static_cast<std::uint32_t>(warps_.size()); }
  Warp& warp(std::uint32_t index) { return warps_[index]; }
  const Warp& warp(std::uint32_t index) const { return warps_[index]; }
  trace::Recorder* recorder() { return recorder_; }
  /// Warp instructions of this thread block up to the instruction that the warp executes.
  std::uint64_t executed(const Warp& warp, const Op& op) const;
  /// The same of the whole task.
  std::uint64_t executed_overall(const Warp& warp, const Op& op) const {
    return *context_.executed_before - before_turn_ + executed(warp, op);
  }
  Barriers& barriers() { return barriers_; }
  /// A warp begins, has ended to wait at an mbarrier.
  void begin_mbarrier_wait() { ++mbarrier_waits_; }
  void end_mbarrier_wait() { --mbarrier_waits_; }
  /// Null without checks.
  BlockChecks* checks() { return checks_.get(); }
  /// Memory of the heap, as malloc gives it.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Whether the launch runs its graph when all warps meet at this barrier.
  bool is_graph_barrier(std::uint32_t barrier) const {
    return context_.launch->graph != nullptr && context_.launch->graph->barrier == barrier;
  }
  /// Runs the thread block's graph on its scratchpad and the device memory.
  void run_graph();
  /// How often thread blocks have run their graph so far.
  std::uint64_t graph_runs() const { return graph_runs_; }

  /// "kernel 'k' (a.ptx:7:3: bar.sync)" with the source line in front where one is known.
  std::string place(const Op& op) const;
  /// "(3,0,0)"
  std::string number_text() const;
  /// "(17,0,0)"
  std::string thread_text(const Warp& warp, unsigned lane) const;
  /// What a thread prints.
  void print(const Warp& warp, unsigned lane, std::string_view text);
  /// A line per warp: where it stands; and the mbarriers at which warps wait.
  std::string places_of_warps() const;
  /// InputError at an instruction and, when `lane` is below 32, at a thread.
  [[noreturn]] void fail(const Warp& warp, const Op& op, unsigned lane, const std::string& message) const;

 private:
  void fill_special_registers(const Warp& warp, const FunctionFrame& function, std::byte* frame);
  std::byte* deeper_frame(Warp& warp, std::uint32_t function, std::uint32_t nesting);
  void grow_local(Warp& warp, std::uint64_t bytes);
  bool enter_block(Warp& warp);
  void run_slice(Warp& warp);
  bool run_ready_warps();
  bool loses_patience(bool any_ran);
  [[noreturn]] void report_deadlock() const;
  [[noreturn]] void report_limit() const;
  [[noreturn]] void report_endless(const Warp& warp, const Block& block) const;

  LaunchContext context_;
  trace::Recorder* recorder_ = nullptr;
  std::uint64_t executed_ = 0;
  std::uint32_t mbarrier_waits_ = 0;  ///< Warps that wait at mbarriers.
  std::uint32_t patience_ = 0;        ///< Of theirs; when none is left they go on (mbarriers.hpp).
  std::uint64_t before_turn_ = 0;     ///< What `executed_` was when the last turn ended.
  std::size_t ended_warps_ = 0;
  bool advanced_ = false, busy_ = false;
  std::uint64_t shared_bytes_ = 0, reserved_shared_ = 0;  ///< `reserved_shared_`: where that begins.
  std::uint64_t shared_storage_ = 0, local_stride_ = 0;   ///< `shared_storage_`: bytes of both.
  std::uint32_t threads_ = 0;
  std::uint64_t number_ = 0;
  program::Dim3 place_{};                               ///< In the grid.
  std::shared_ptr<const dataflow::Instance> instance_;  ///< Of the thread block's graph, once it has run.
  std::uint64_t graph_runs_ = 0;
  Storage frames_, shared_, local_;
  std::vector<Warp> warps_;
  Barriers barriers_;
  std::unique_ptr<BlockChecks> checks_;
};

/// Calls f(lane) for every lane of the mask, in order.
template <class F>
inline void for_each_lane(LaneMask mask, F&& f) {
  if (mask == ~LaneMask{0}) {
    for (unsigned lane = 0; lane < lanes; ++lane) f(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctz(mask)));
}

}  // namespace lockstep::exec
