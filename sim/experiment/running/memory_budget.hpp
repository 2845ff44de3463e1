#pragma once
// How many runs go on at a time by the memory that they take.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lockstep::experiment {

/// Memory that this process occupies now, in bytes; 0 where the system does not tell.
std::uint64_t resident_bytes();

/// Four fifths of what this process occupies and what the machine, and the control groups that it is in, have left, in bytes; 0 where the
/// system does not tell.
std::uint64_t usual_memory_budget();

/// Bounds what runs take together. A run is never refused when it is the only one, and its memory is not known before it
/// has run: so the first of those under way always goes on, and the others wait while the process is over the budget.
/// Called under the lock of whoever runs them.
class MemoryBudget {
 public:
  /// `bytes` of the whole process; 0: no bound. `resident` tells what it occupies.
  explicit MemoryBudget(std::uint64_t bytes, std::function<std::uint64_t()> resident = resident_bytes)
      : bytes_(bytes), resident_(std::move(resident)) {}

  /// Whether one more run may begin beside `running`: one that takes as much as any has so far.
  bool allows_one_more(std::size_t running);
  /// Whether all of `running` may go on; otherwise all but the first wait until one ends.
  bool allows(std::size_t running);

 private:
  std::uint64_t measure(std::size_t running);

  std::uint64_t bytes_;
  std::function<std::uint64_t()> resident_;
  std::uint64_t base_ = 0;     ///< Of the process without runs.
  std::uint64_t largest_ = 0;  ///< That a run has taken beyond it.
};

}  // namespace lockstep::experiment
