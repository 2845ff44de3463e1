#pragma once
// Runs independent pieces of work on a fixed number of threads, phase by phase.

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace lockstep::engine {

/// Thread t of T does pieces t, t + T, t + 2T, ...: which thread does what never depends on timing.
class WorkerPool {
 public:
  /// One thread means: everything runs in the caller. Where the system gives fewer threads, these do the work.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Waking the threads and waiting for them costs the time of about as many units of work, each about half a microsecond:
  /// less is done sooner by one thread.
  static constexpr std::uint64_t worth_a_phase = 200;

  /// Calls piece(i) once for every i < count and returns when all are done: in the caller, if `work_units` says that there
  /// is too little to share. When pieces throw, the exception of the smallest i is rethrown; no piece is running then.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece,
                std::uint64_t work_units = worth_a_phase);

 private:
  void work(unsigned thread);

  unsigned threads_;
  std::vector<std::exception_ptr> failures_;
  const std::function<void(std::size_t)>* piece_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<bool> ending_ = false;
  std::barrier<> phase_;
  std::vector<std::thread> workers_;
};

}  // namespace lockstep::engine
