// What a warp waits for, what took a unit, and what slots and accesses come to, told by hand of warps that execute nothing.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/gpu/sm/front_end/instruction_profile.hpp"
#include "sim/gpu/sm/front_end/issue_table.hpp"
#include "sim/gpu/sm/front_end/load_counters.hpp"
#include "sim/gpu/sm/front_end/scoreboard.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::instruction_profile_test {

using gpu::IssuePort;
using gpu::Producer;
using gpu::Slot;
using machine::Operation;

namespace {

/// The instructions by number; one that computes or loads writes the register of its number.
constexpr std::uint32_t add = 0, shared_load = 1, global_load = 2, sum = 3, shared_store = 4, copy = 5, fence = 6,
                        copy_wait = 7, branch = 8, barrier = 9, count = 10;

/// Thread block 5 with two warps, before two schedulers.
struct Bench {
  Bench() : units(test::gtx580().sm) {
    const Operation operations[] = {Operation::integer,  Operation::scratchpad_load,  Operation::global_load,
                                    Operation::floating, Operation::scratchpad_store, Operation::async_copy,
                                    Operation::fence,    Operation::copy_wait,        Operation::branch,
                                    Operation::barrier};
    const std::vector<std::uint16_t> sources[count] = {{}, {add}, {add}, {shared_load, global_load}, {sum}};
    for (std::uint32_t n = 0; n < count; ++n) {
      if (n == barrier) fake.block();
      fake.add("any");
      machine::Instruction& i = program.instructions.emplace_back();
      i.operation = operations[n];
      i.static_index = n;
      i.source_count = static_cast<std::uint8_t>(sources[n].size());
      std::copy(sources[n].begin(), sources[n].end(), i.sources);
      i.destination_count = n <= sum ? 1 : 0;
      i.destinations[0] = static_cast<std::uint16_t>(n);
      i.element_bytes = 4;
    }
    fake.launch().block = {64, 1, 1};
    program.kernel = &fake.kernel();
    program.instructions[global_load].counter = 1;
    program.instructions[fence].fence.waits = true;
    program.register_bits.assign(sum + 1, 32);
    needs.begin_launch(test::gtx580().sm, units, program);
    table.begin_launch({&program, {}, 2, 1, 0, {}});
    table.start_block(fake.open(0, 5), 5, 0);
    board.begin_launch(2, sum + 1);
    loads.begin_launch(2);
    profile.begin_launch(program, 2, 2);
  }
  /// Warp `w` has issued an instruction, whose result comes at `ready`.
  void issue(std::uint32_t w, std::uint32_t n, Cycle ready, Producer by = Producer::arithmetic) {
    board.set_ready(w, program.instructions[n], ready, by);
    profile.after_issue(w, program.instructions[n], 0, needs[n].port, false, {});
  }
  /// For whom it waits before an instruction, until `hold` at least.
  std::uint32_t cause(std::uint32_t w, std::uint32_t n, Slot reason, Cycle hold = 10) {
    table[w].pc = n;
    table[w].hold = hold;
    return profile.cause_of(w, reason);
  }

  test::FakeTrace fake;
  machine::Program program;
  gpu::SmCounters counters;
  gpu::FunctionalUnits units;
  gpu::WarpTable table{0, false, counters};
  gpu::Scoreboard board{0, 0};
  gpu::LoadCounters loads;
  gpu::IssueTable needs;
  gpu::InstructionProfile profile{table, board, loads, needs};
};

}  // namespace

TEST_CASE("instruction profile: a warp waits for the writer of its latest operand, or for its last issue") {
  Bench b;
  b.issue(0, shared_load, 40, Producer::scratchpad);
  b.issue(0, global_load, gpu::Scoreboard::pending, Producer::memory);
  b.issue(0, add, 20);
  CHECK(b.cause(0, sum, Slot::memory_result) == global_load);
  b.board.set_ready(0, b.program.instructions[global_load], 39, Producer::memory);
  CHECK(b.cause(0, sum, Slot::scratchpad_result, 39) == shared_load);
  CHECK(b.cause(0, sum, Slot::arithmetic_result, 40) == add);
  // Another warp, and one that begins, have written nothing.
  b.board.set_ready(1, b.program.instructions[global_load], 90, Producer::memory);
  CHECK(b.cause(1, sum, Slot::memory_result) == sum);
  b.profile.start_warp(0);
  CHECK(b.cause(0, sum, Slot::scratchpad_result) == sum);
  CHECK(b.cause(0, sum, Slot::branch) == sum);
}

TEST_CASE("instruction profile: a held warp waits for its last issue, and for itself where none is to blame") {
  Bench b;
  b.issue(0, add, 20);
  b.issue(0, branch, 0);
  for (const Slot slot : {Slot::branch, Slot::barrier, Slot::scratchpad_store}) CHECK(b.cause(0, sum, slot) == branch);
  for (const Slot slot : {Slot::launch, Slot::fetch, Slot::memory_queue}) CHECK(b.cause(0, sum, slot) == sum);
  b.issue(0, global_load, 30, Producer::memory);
  b.issue(0, copy, 0);
  b.issue(0, shared_store, 0);
  b.table[0].outstanding = 1;
  CHECK(b.cause(0, fence, Slot::memory_result) == global_load);  // These two wait for accesses of their kind.
  CHECK(b.cause(0, copy_wait, Slot::memory_result) == copy);
  b.table[0].outstanding = 0;
  CHECK(b.cause(0, fence, Slot::arithmetic_result) == shared_store);
  b.table[0].at_end = true;  // It stands behind the last instruction of all.
  CHECK(b.cause(0, count, Slot::barrier) == barrier);
}

TEST_CASE("instruction profile: a native atomic and a counter of loads hold a warp longer than operands") {
  Bench b;
  b.issue(0, shared_load, 5, Producer::scratchpad);
  b.issue(0, sum, 50, Producer::scratchpad);
  b.table[0].scratchpad_hold = 51;
  CHECK(b.cause(0, shared_store, Slot::scratchpad_result) == shared_load);
  b.table[0].scratchpad_hold = 50;
  CHECK(b.cause(0, shared_store, Slot::scratchpad_result) == sum);
  b.program.instructions[add].awaits_counters = 1;  // Though it needs nothing that is loaded.
  b.issue(0, add, 60);
  b.loads.count(0, b.program.instructions[global_load]);
  CHECK(b.cause(0, add, Slot::memory_result) == global_load);
  b.loads.count_back(0, b.program.instructions[global_load], 60);
  CHECK(b.cause(0, add, Slot::arithmetic_result) == add);
}

TEST_CASE("instruction profile: a unit was taken by its last instruction, of any scheduler where they share it") {
  Bench b;
  const auto issue = [&](std::uint32_t n, std::uint32_t scheduler, IssuePort port, bool shared) {
    b.profile.after_issue(0, b.program.instructions[n], scheduler, port, shared, {});
  };
  b.table[1].pc = branch;
  issue(add, 0, IssuePort::core, false);
  issue(sum, 1, IssuePort::core, false);
  issue(shared_load, 1, IssuePort::scratchpad, true);
  CHECK(b.profile.user_of(0, IssuePort::core, 1) == add);
  CHECK(b.profile.user_of(1, IssuePort::core, 1) == sum);
  CHECK(b.profile.user_of(0, IssuePort::memory, 1) == shared_load);  // The load-store unit is that of the scratchpad.
  CHECK(b.profile.user_of(0, IssuePort::texture_memory, 1) == branch);
  b.profile.begin_launch(b.program, 2, 2);
  CHECK(b.profile.user_of(1, IssuePort::core, 1) == branch);
}

TEST_CASE("instruction profile: each slot with a warp is at an instruction and has a cause, or it is a bug") {
  Bench b;
  b.profile.count_issue(add);
  b.profile.count_idle(sum, global_load, Slot::memory_result, 6);
  b.profile.count_idle(sum, sum, Slot::no_warp, 100);
  for (const std::uint32_t lanes : {32u, 8u}) b.profile.count_block(0, lanes);
  b.profile.count_block(1, 1);
  b.profile.end_launch(1000, 3, 7);
  CHECK_THROWS_AS(b.profile.end_launch(1000, 3, 8), Bug);
  std::vector<gpu::InstructionCounters> all;
  for (int launch = 0; launch < 2; ++launch) b.profile.add_to(all);
  constexpr auto memory = static_cast<std::size_t>(Slot::memory_result);
  CHECK((all[sum].slots[memory] == 12 && all[sum].caused[memory] == 0));
  CHECK((all[global_load].slots[memory] == 0 && all[global_load].caused[memory] == 12));
  CHECK((all[branch].executed == 4 && all[branch].lanes == 80));
  CHECK((all[barrier].executed == 2 && all[barrier].lanes == 2));
}

TEST_CASE("instruction profile: of each instruction the costliest access is kept, with the lanes that took part") {
  Bench b;
  gpu::Warp& warp = b.table[1];
  gpu::AccessCounters so_far;
  const auto access = [&](std::uint64_t passes, std::uint64_t transactions, std::uint64_t address) {
    b.profile.before_issue(so_far);
    so_far.scratchpad_passes += passes;
    so_far.memory_accesses += transactions > 0 ? 1 : 0;
    so_far.transactions += transactions;
    warp.access.address[4] = address;
    b.profile.after_issue(1, b.program.instructions[global_load], 0, IssuePort::memory, false, so_far);
    return b.profile.examples().contains(global_load) ? b.profile.examples().at(global_load) : gpu::AccessExample{};
  };
  warp.mask = 0xffff;  // A generic load, which a guard leaves out in some lanes.
  warp.global_lanes = 0x70;
  warp.local_lanes = 0x80;
  warp.shared_lanes = 0x01;
  CHECK(access(0, 0, 1000).lanes == 0);
  const gpu::AccessExample first = access(0, 3, 2000);
  CHECK((first.thread_block == 5 && first.warp == 1 && first.bytes_per_lane == 4 && first.cost == 3));
  CHECK(first.lanes == 0xf0);
  CHECK(access(0, 3, 3000).address[4] == 2000);  // The first of equal ones.
  CHECK(access(0, 4, 4000).address[4] == 4000);
  CHECK(access(1, 0, 5000).lanes == 0x01);  // One of the scratchpad tells more, even without a conflict.
  CHECK(access(0, 32, 6000).address[4] == 5000);
  std::vector<gpu::InstructionCounters> all;
  b.profile.add_to(all);
  CHECK(all[global_load].accesses.transactions == 3 + 3 + 4 + 32);
}

}  // namespace lockstep::instruction_profile_test
