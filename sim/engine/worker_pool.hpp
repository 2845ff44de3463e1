#pragma once
// Runs independent pieces of work on a fixed number of threads, phase by phase.

#include <atomic>
#include <barrier>
#include <cstddef>
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

  /// Calls piece(i) once for every i < count and returns when all are done. When pieces throw, the exception of the
  /// smallest i is rethrown after all have ended.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece);

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
