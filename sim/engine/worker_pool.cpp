#include "sim/engine/worker_pool.hpp"

#include <algorithm>
#include <system_error>

namespace lockstep::engine {

WorkerPool::WorkerPool(unsigned threads)
    : threads_(std::max(1u, threads)), phase_(static_cast<std::ptrdiff_t>(threads_)) {
  for (unsigned t = 1; t < threads_; ++t) {
    try {
      workers_.emplace_back([this, t] {
        for (;;) {
          phase_.arrive_and_wait();
          if (ending_) return;
          work(t);
          phase_.arrive_and_wait();
        }
      });
    } catch (const std::system_error&) {
      // The system gives no more threads; those that there are wait in the first phase.
      for (unsigned missing = t; missing < threads_; ++missing) phase_.arrive_and_drop();
      threads_ = t;
    }
  }
}

WorkerPool::~WorkerPool() {
  ending_ = true;
  if (threads_ > 1) phase_.arrive_and_wait();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::work(unsigned thread) {
  for (std::size_t i = thread; i < count_; i += threads_) {
    try {
      (*piece_)(i);
    } catch (...) {
      failures_[i] = std::current_exception();
    }
  }
}

void WorkerPool::for_each(std::size_t count, const std::function<void(std::size_t)>& piece, std::uint64_t work_units) {
  if (threads_ == 1 || count <= 1 || work_units < worth_a_phase) {
    for (std::size_t i = 0; i < count; ++i) piece(i);
    return;
  }
  piece_ = &piece;
  count_ = count;
  failures_.assign(count, nullptr);
  phase_.arrive_and_wait();
  work(0);
  phase_.arrive_and_wait();
  for (const std::exception_ptr& failure : failures_)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace lockstep::engine
