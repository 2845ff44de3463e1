#pragma once
// What is written down of issued instructions on request: every issue, every read of the clock register, and what is
// executed in each interval of time.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "sim/gpu/issue.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"

namespace lockstep::gpu {

/// The lanes that took part in an instruction that has just issued, and those that acquired something (see Issue).
std::pair<std::uint32_t, std::uint32_t> lanes_of_issue(const Warp& warp, const machine::Instruction& i);

class IssueObservers {
 public:
  /// Of SM number `sm`.
  IssueObservers(std::uint32_t sm, const WarpTable& warps) : sm_(sm), warps_(warps) {}

  /// Those of cycles [from, to) of every launch from now on, of these warps; none: of all. Of a warp whose thread block
  /// began before `to` also the next one, which says what the warp waited for at the end.
  void log_issues(Cycle from = 0, Cycle to = never, std::vector<WarpRange> warps = {}) {
    logs_issues_ = from < to;
    logged_from_ = from;
    logged_to_ = to;
    logged_warps_ = std::move(warps);
  }
  /// Per `interval` cycles of a launch, what is executed.
  void record_activity(Cycle interval) { activity_interval_ = interval; }
  Cycle activity_interval() const { return activity_interval_; }

  void begin_launch(const machine::Program& program);
  /// Whether issued() must be told of every issue. Reads of the clock are always written down.
  bool on() const { return on_; }
  /// The next issued() is told of an access that the memory answers: completed() will be called with its token.
  void set_pending(std::uint32_t token) { pending_ = token; }
  void completed(std::uint32_t token, Cycle ready);
  /// Called after `i` of a warp has issued, before the warp proceeds. It could have issued from `ready` on, and waited for
  /// `waited_for` until then; it is done at `done`, unless the memory answers.
  void issued(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle ready, Slot waited_for, Cycle done);
  /// From now on, thread blocks are written down.
  void log_blocks() { logs_blocks_ = true; }
  void block_started(std::uint32_t slot, std::uint64_t number, Cycle now) {
    if (logs_blocks_) [[unlikely]]
      blocks_.push_back({now, never, number, 0, sm_, slot});
  }
  void block_ended(std::uint32_t slot, Cycle now);

  /// What was written down since it was last cleared, in order of cycles.
  std::vector<Issue>& issues() { return issues_; }
  std::vector<ClockRead>& clock_reads() { return clock_reads_; }
  std::vector<BlockRun>& blocks() { return blocks_; }
  /// Of this launch, in standard mode: an entry per interval.
  const std::vector<Activity>& activity() const { return activity_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  bool select(std::uint32_t warp, Cycle now);
  bool mark_first_behind_window(std::uint32_t warp);
  void log_issue(std::uint32_t warp, const machine::Instruction& i, Cycle now, Cycle ready, Slot waited_for,
                 Cycle done);
  void log_clock_read(std::uint32_t warp, const machine::Instruction& i, Cycle now);
  void count_activity(const Warp& warp, const machine::Instruction& i, Cycle now);

  std::uint32_t sm_;
  const WarpTable& warps_;
  const machine::Program* program_ = nullptr;
  bool on_ = false, logs_issues_ = false, logs_clock_reads_ = false, logs_blocks_ = false;
  Cycle logged_from_ = 0, logged_to_ = never;
  std::vector<WarpRange> logged_warps_;
  /// By warp: 1 + the thread block that it was of when it first issued behind logged_to_.
  std::vector<std::uint64_t> after_;
  std::uint32_t pending_ = none;  ///< The token of the access that issues.
  /// Of accesses that the memory has not answered: into issues_, by token.
  std::map<std::uint32_t, std::size_t> in_flight_;
  Cycle activity_interval_ = 0;
  std::vector<Issue> issues_;
  std::vector<ClockRead> clock_reads_;
  std::vector<BlockRun> blocks_;
  std::vector<Activity> activity_;
};

}  // namespace lockstep::gpu
