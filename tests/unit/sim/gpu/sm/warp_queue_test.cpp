#include <catch2/catch.hpp>

#include <random>

#include "sim/gpu/sm/front_end/warp_queue.hpp"

namespace lockstep::warp_queue_test {

using namespace lockstep::gpu;

TEST_CASE("A warp is ready at its cycle, not one before") {
  for (const Cycle at : {1u, 2u, 255u, 256u, 257u, 1000u, 100000u}) {
    WarpQueue queue;
    queue.reset(3);
    queue.set(1, at, IssuePort::core, Slot::branch);
    std::uint32_t warp = 0;
    CHECK(queue.next(warp) == at);
    CHECK(warp == 1);
    queue.advance(at - 1);
    CHECK(queue.ready(IssuePort::core) == 0);
    queue.advance(at);
    CHECK(queue.ready(IssuePort::core) == 0b010);
    CHECK(queue.next(warp) == never);
  }
}

TEST_CASE("Setting a warp again forgets where it stood") {
  WarpQueue queue;
  queue.reset(2);
  queue.set(0, 50, IssuePort::core, Slot::branch);
  queue.set(0, never, IssuePort::core, Slot::memory_result);
  queue.advance(100);
  CHECK(queue.ready(IssuePort::core) == 0);
  std::uint32_t warp = 9;
  CHECK(queue.reason_without_end(warp) == Slot::memory_result);
  CHECK(warp == 0);
  queue.set(0, 90, IssuePort::memory, Slot::memory_result);
  CHECK(queue.ready(IssuePort::memory) == 0b01);
  queue.set(0, 5000, IssuePort::core, Slot::branch);
  CHECK(queue.ready(IssuePort::memory) == 0);
}

TEST_CASE("A barrier is named only when every warp that waits without end is at one") {
  WarpQueue queue;
  queue.reset(3);
  queue.set(0, never, IssuePort::control, Slot::barrier);
  std::uint32_t warp = 9;
  CHECK(queue.reason_without_end(warp) == Slot::barrier);
  CHECK(warp == 0);
  queue.set(2, never, IssuePort::control, Slot::memory_result);
  CHECK(queue.reason_without_end(warp) == Slot::memory_result);
  CHECK(warp == 2);
}

TEST_CASE("The queue agrees with a plain list over random changes and jumps in time") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t warps = 1 + static_cast<std::uint32_t>(random() % 64);
    WarpQueue queue;
    queue.reset(warps);
    std::vector<Cycle> ready(warps, never);
    Cycle now = 0;
    for (int step = 0; step < 300; ++step) {
      if (random() % 3 != 0) {
        const auto warp = static_cast<std::uint32_t>(random() % warps);
        const Cycle range = random() % 2 ? 40 : random() % 2 ? 600 : 5000;
        ready[warp] = random() % 8 == 0 ? never : now + random() % range;
        queue.set(warp, ready[warp], IssuePort::core, Slot::branch);
      } else {
        now += random() % 4 == 0 ? random() % 2000 : random() % 5;
        queue.advance(now);
      }
      std::uint64_t expected = 0;
      Cycle next = never;
      for (std::uint32_t w = 0; w < warps; ++w) {
        if (ready[w] <= now) {
          expected |= std::uint64_t{1} << w;
        } else {
          next = std::min(next, ready[w]);
        }
      }
      std::uint32_t warp = 0;
      REQUIRE(queue.ready(IssuePort::core) == expected);
      REQUIRE(queue.next(warp) == next);
      if (next != never) REQUIRE(ready[warp] == next);
    }
  }
}

}  // namespace lockstep::warp_queue_test
