#include "sim/engine/worker_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using lockstep::engine::WorkerPool;

namespace {

/// How often each of 1000 pieces is done, and by how many threads, in a few phases.
std::size_t threads_of(WorkerPool& pool) {
  std::set<std::thread::id> threads;
  std::mutex mutex;
  for (int phase = 0; phase < 3; ++phase) {
    std::vector<std::atomic<int>> done(1000);
    pool.for_each(done.size(), [&](std::size_t i) {
      ++done[i];
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    CHECK(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
  }
  return threads.size();
}

}  // namespace

TEST_CASE("Every piece is done once, by as many threads as asked for") {
  for (const unsigned threads : {1U, 2U, 7U}) {
    WorkerPool pool(threads);
    CHECK(threads_of(pool) == threads);
  }
}

TEST_CASE("The exception of the first piece that fails is the one that is seen") {
  WorkerPool pool(3);
  const auto failing = [](std::size_t i) {
    if (i >= 4) throw std::runtime_error(std::to_string(i));
  };
  CHECK_THROWS_WITH(pool.for_each(20, failing), "4");
  CHECK(threads_of(pool) == 3);
}

TEST_CASE("What is too little to share, or one piece, is done by the caller") {
  WorkerPool pool(4);
  const auto here = std::this_thread::get_id();
  int done = 0;
  const auto piece = [&](std::size_t) {
    CHECK(std::this_thread::get_id() == here);
    ++done;
  };
  pool.for_each(1, piece);
  pool.for_each(50, piece, WorkerPool::worth_a_phase - 1);
  CHECK(done == 51);
  CHECK_THROWS_WITH(pool.for_each(
                        2, [](std::size_t i) { throw std::runtime_error(std::to_string(i)); }, 0),
                    "0");
  CHECK(threads_of(pool) == 4);
}

// A sanitizer needs address space of its own for every thread.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITH_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WITH_SANITIZER
#endif
#endif

#ifndef WITH_SANITIZER
namespace {

/// The address space that this process uses.
std::uint64_t used_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("Where the system gives fewer threads than asked for, these do the work") {
  rlimit whole{};
  REQUIRE(getrlimit(RLIMIT_AS, &whole) == 0);
  rlimit little = whole;
  little.rlim_cur = used_bytes() + (rlim_t{100} << 20);  // Room for the stacks of some threads.
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  WorkerPool pool(200);
  setrlimit(RLIMIT_AS, &whole);
  const std::size_t threads = threads_of(pool);
  CHECK(threads >= 1);
  CHECK(threads < 200);
}
#endif
