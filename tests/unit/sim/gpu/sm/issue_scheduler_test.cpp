// One warp scheduler by itself: which warp it chooses in which slot, and what it calls the slots in which it does not.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/gpu/sm/front_end/issue_scheduler.hpp"
#include "sim/gpu/sm/front_end/issue_table.hpp"
#include "sim/gpu/sm/front_end/load_counters.hpp"
#include "sim/gpu/sm/front_end/scoreboard.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::issue_scheduler_test {

using namespace lockstep::test;
using gpu::IssuePort;
using gpu::IssueScheduler;
using gpu::Slot;

namespace {

gpu::SmSpec sm_of(Cycle interval, std::uint32_t schedulers) {
  gpu::SmSpec spec = gtx580().sm;
  spec.scheduler_interval = interval;
  spec.schedulers = schedulers;
  spec.policy = "loose_round_robin";
  return spec;
}

/// Scheduler `id` with warps 10, 11, ... in its slots.
struct Bench {
  explicit Bench(Cycle interval = 2, std::uint32_t schedulers = 2, std::uint32_t id = 0, std::uint32_t warps = 3)
      : Bench(sm_of(interval, schedulers), id, warps) {}
  Bench(const gpu::SmSpec& sm, std::uint32_t id, std::uint32_t warps)
      : spec(sm),
        units(spec),
        table(0, false, counters),
        scoreboard(0, 0),
        profile(table, scoreboard, load_counters, needs),
        scheduler(spec, id, 0, units.ports_of(id), profile) {
    units.begin_launch();
    scheduler.begin_launch(8, false);
    for (std::uint32_t slot = 0; slot < warps; ++slot) scheduler.add_warp(slot, 10 + slot, slot);
  }
  std::uint64_t slots(Slot slot) const { return scheduler.slots()[static_cast<std::size_t>(slot)]; }

  gpu::SmSpec spec;
  gpu::SmCounters counters;
  gpu::FunctionalUnits units;
  gpu::WarpTable table;
  gpu::Scoreboard scoreboard;
  gpu::LoadCounters load_counters;
  gpu::IssueTable needs;
  gpu::InstructionProfile profile;
  IssueScheduler scheduler;
};

}  // namespace

TEST_CASE("issue scheduler: its slots come every interval, from its phase on") {
  for (const std::uint32_t id : {0u, 1u, 2u}) {
    for (const Cycle interval : {1u, 3u, 4u}) {
      Bench b(interval, 3, id, 1);
      b.scheduler.set_ready(0, 17, IssuePort::core, Slot::arithmetic_result);
      b.scheduler.wake_up(0);
      const Cycle at = b.scheduler.next_attempt();
      CHECK(at >= 17);
      CHECK(at < 17 + interval);
      CHECK((at - id * interval / 3) % interval == 0);
    }
  }
}

TEST_CASE("issue scheduler: of several ready warps the policy chooses, and idle slots have the nearest warp's reason") {
  Bench b(2, 1);
  b.scheduler.set_ready(0, 10, IssuePort::core, Slot::arithmetic_result);
  b.scheduler.set_ready(1, 8, IssuePort::core, Slot::scratchpad_result);
  b.scheduler.set_ready(2, never, IssuePort::control, Slot::barrier);
  b.scheduler.wake_up(0);
  REQUIRE(b.scheduler.next_attempt() == 8);
  CHECK(b.scheduler.choose_warp(8) == 11);
  CHECK(b.slots(Slot::scratchpad_result) == 4);  // At 0, 2, 4 and 6.
  CHECK(b.slots(Slot::issued) == 1);
  b.scheduler.set_ready(1, 10, IssuePort::core, Slot::arithmetic_result);
  b.scheduler.plan_next_slot();
  REQUIRE(b.scheduler.next_attempt() == 10);
  CHECK(b.scheduler.choose_warp(10) == 10);  // Round robin: behind slot 1 comes slot 0, as slot 2 waits.
}

TEST_CASE("issue scheduler: a ready warp whose unit is taken waits for it, and the slots say so") {
  Bench b(2, 1);
  b.scheduler.ports().unit(IssuePort::special_function).occupy(12, 0);
  b.scheduler.set_ready(0, 4, IssuePort::special_function, Slot::arithmetic_result);
  b.scheduler.wake_up(4);
  CHECK(b.scheduler.next_attempt() == 12);
  CHECK(b.scheduler.choose_warp(12) == 10);
  CHECK(b.slots(Slot::no_warp) == 2);
  CHECK(b.slots(Slot::special_function_busy) == 4);
}

TEST_CASE("issue scheduler: a port blocked without end is the memory's queue, until something changes") {
  Bench b(2, 1);
  b.units.block(IssuePort::memory, never);
  b.scheduler.set_ready(0, 0, IssuePort::memory, Slot::arithmetic_result);
  b.scheduler.wake_up(0);
  CHECK(b.scheduler.next_attempt() == never);
  CHECK(b.scheduler.could_issue_at() == never);
  b.units.block(IssuePort::memory, 30);
  CHECK(b.scheduler.next_attempt() == never);
  CHECK(b.scheduler.could_issue_at() == 30);  // Whoever finds these two apart has found a missed wake-up.
  b.scheduler.wake_up(20);
  CHECK(b.scheduler.next_attempt() == 30);
  CHECK(b.scheduler.choose_warp(30) == 10);
  CHECK(b.slots(Slot::memory_queue) == 15);
}

TEST_CASE(
    "issue scheduler: a warp that waits for nobody known is named by what it waits for; a barrier only when all do") {
  Bench b(2, 1, 0, 2);
  b.scheduler.set_ready(0, never, IssuePort::control, Slot::barrier);
  b.scheduler.set_ready(1, never, IssuePort::control, Slot::memory_result);
  b.scheduler.wake_up(0);
  b.scheduler.set_ready(1, never, IssuePort::control, Slot::barrier);
  b.scheduler.wake_up(10);
  b.scheduler.end_launch(16, 0);
  CHECK(b.slots(Slot::memory_result) == 5);
  CHECK(b.slots(Slot::barrier) == 3);
}

TEST_CASE("issue scheduler: a wake-up that is marked takes place once; all can be woken at once") {
  Bench b(2, 1, 0, 1);
  b.scheduler.set_ready(0, 6, IssuePort::core, Slot::memory_result);
  b.scheduler.wake_up_if_due(false, 2);
  CHECK(b.scheduler.next_attempt() == never);
  b.scheduler.mark_woken();
  b.scheduler.wake_up_if_due(false, 2);
  CHECK(b.scheduler.next_attempt() == 6);
  b.scheduler.set_ready(0, 20, IssuePort::core, Slot::memory_result);
  b.scheduler.wake_up_if_due(false, 4);
  CHECK(b.scheduler.next_attempt() == 6);
  b.scheduler.wake_up_if_due(true, 4);
  CHECK(b.scheduler.next_attempt() == 20);
}

TEST_CASE("issue scheduler: a warp that has ended leaves no slot but no_warp") {
  Bench b(2, 1, 0, 1);
  b.scheduler.set_ready(0, 4, IssuePort::core, Slot::launch);
  b.scheduler.wake_up(0);
  REQUIRE(b.scheduler.choose_warp(4) == 10);
  b.scheduler.remove_warp(0);
  b.scheduler.plan_next_slot();
  CHECK(b.scheduler.next_attempt() == never);
  b.scheduler.end_launch(20, 0);
  CHECK(b.slots(Slot::launch) == 2);
  CHECK(b.slots(Slot::issued) == 1);
  CHECK(b.slots(Slot::no_warp) == 7);
  CHECK(b.scheduler.live() == 0);
}

TEST_CASE(
    "issue scheduler: registers that the register file does not deliver in time cost slots, and fractions add up") {
  const auto slots_lost = [](Cycle interval, std::uint32_t reads, std::uint32_t per_instruction,
                             std::uint32_t instructions) {
    gpu::SmSpec spec = sm_of(interval, 1);
    spec.register_file.reads = reads;
    Bench b(spec, 0, 1);
    b.scheduler.set_ready(0, 0, IssuePort::core, Slot::arithmetic_result);
    b.scheduler.wake_up(0);
    Cycle now = 0;
    for (std::uint32_t i = 0; i < instructions; ++i) {
      now = b.scheduler.next_attempt();
      REQUIRE(b.scheduler.choose_warp(now) == 10);
      b.scheduler.set_ready(0, now + interval, IssuePort::core, Slot::arithmetic_result);
      b.scheduler.read_registers(per_instruction, now, 0);
      b.scheduler.plan_next_slot();
    }
    const std::uint64_t lost = b.slots(Slot::operand_read);
    CHECK(b.scheduler.next_attempt() == (instructions + lost) * interval);
    return lost;
  };
  CHECK(slots_lost(1, 2, 2, 100) == 0);
  CHECK(slots_lost(1, 2, 3, 100) == 50);    // 1.5 cycles each.
  CHECK(slots_lost(1, 2, 6, 100) == 200);   // 3 cycles each.
  CHECK(slots_lost(1, 3, 4, 99) == 33);     // 4 cycles for 3.
  CHECK(slots_lost(1, 2, 12, 100) == 500);  // 6 cycles each.
  CHECK(slots_lost(2, 2, 4, 100) == 0);
  CHECK(slots_lost(2, 2, 6, 100) == 50);  // 3 cycles each, 2 to a slot.
}

TEST_CASE("issue scheduler: two instructions of one slot read as one that reads as much") {
  for (const std::uint32_t first : {0u, 1u, 5u, 9u}) {
    gpu::SmSpec spec = sm_of(2, 1);
    spec.register_file.reads = 2;
    Bench b(spec, 0, 1);
    b.scheduler.set_ready(0, 0, IssuePort::core, Slot::arithmetic_result);
    b.scheduler.wake_up(0);
    REQUIRE(b.scheduler.choose_warp(0) == 10);
    b.scheduler.set_ready(0, 2, IssuePort::core, Slot::arithmetic_result);
    b.scheduler.read_registers(first, 0, 0);
    b.scheduler.read_registers(14 - first, 0, 0);
    b.scheduler.plan_next_slot();
    CHECK(b.slots(Slot::operand_read) == 2);  // At 2 and 4: 14 registers take 7 cycles, of which the last two may wait.
    CHECK(b.scheduler.next_attempt() == 6);
  }
}

}  // namespace lockstep::issue_scheduler_test
