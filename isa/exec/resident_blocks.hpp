#pragma once
// The thread blocks of a launch that execute at the same time.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// Thread blocks of one size that are resident at once where the task states no number: as many as an H200 holds, 132
/// SMs with 2048 threads or 32 thread blocks each (CUDA C++ Programming Guide, technical specifications). No GPU of its
/// generations holds more threads per SM, so that a grid whose thread blocks wait for each other fits.
std::uint64_t default_resident_blocks(std::uint32_t threads_per_block);

/// Executes the thread blocks of one launch. At most `most` are resident: in every round each has a turn, in order; when
/// one ends, the next of the grid takes its place. The rounds, and so the execution, do not depend on what is taken when.
class ResidentBlocks {
 public:
  /// `executed`: warp instructions of the task so far; counted on.
  ResidentBlocks(const LaunchContext& context, std::uint64_t most, std::uint64_t& executed);

  /// Executes until thread block `number` has ended, and gives its streams. They are taken in order, each once.
  std::unique_ptr<trace::ThreadBlockStreams> take(std::uint64_t number);
  /// Executes all that have not ended, recording no more.
  void finish();

  /// How often thread blocks have run their graph.
  std::uint64_t graph_runs() const;

 private:
  struct Resident {
    std::unique_ptr<ThreadBlock> block;
    std::uint64_t number = 0;
    std::unique_ptr<trace::Recorder> recorder;  ///< Null when nothing is recorded.
  };
  void begin_next(Resident& resident);
  void run_round();
  void look_for_standstill(bool advanced, std::uint64_t polled);
  std::size_t state() const;
  /// `sign`: by what it is seen.
  [[noreturn]] void report_standstill(const std::string& sign) const;

  std::uint64_t blocks_;  ///< Of the grid.
  std::uint64_t next_ = 0;
  std::uint64_t& executed_;
  const std::function<void(std::uint64_t)>* progress_;
  std::uint64_t next_report_ = 0;  ///< Of progress, in warp instructions of the task.
  bool records_ = true;
  std::shared_ptr<trace::RecordingBudget> budget_ = std::make_shared<trace::RecordingBudget>();
  std::vector<Resident> residents_;
  std::map<std::uint64_t, std::unique_ptr<trace::ThreadBlockStreams>> ended_;  ///< Not yet taken.
  std::uint64_t graph_runs_ = 0;                                               ///< Of those that have left.

  std::uint64_t instruction_limit_;
  std::uint64_t idle_rounds_ = 0, idle_instructions_ = 0;  ///< Since a thread block last advanced.
  std::uint64_t next_check_ = 0;                           ///< Number of idle rounds.
  std::size_t checked_state_ = 0;
};

}  // namespace lockstep::exec
