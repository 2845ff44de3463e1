// What is written down of issues, thread blocks, reads of the clock and activity, told by hand of warps that execute nothing.
#include <catch2/catch.hpp>

#include "sim/gpu/sm/observers/issue_observers.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::issue_observers_test {

using gpu::Slot;
using machine::Operation;

namespace {

using Cycles = std::vector<Cycle>;
using Logged = std::vector<std::array<std::uint64_t, 3>>;  ///< (thread block, warp, cycle) of issues.

machine::Instruction instruction(Operation operation, std::uint32_t number) {
  machine::Instruction i;
  i.operation = operation;
  i.static_index = number;
  return i;
}

/// SM 6 with three thread blocks of two warps. The kernel: an addition, a read of the clock that two machine instructions make,
/// another read, and a load; in its second basic block, a read.
struct Bench {
  explicit Bench(bool reads_clock = true) {
    for (int n = 0; n < 4; ++n) fake.add("any");
    fake.block().add("any");
    for (const std::uint32_t n : {1u, 2u, 4u}) fake.kernel().instructions[n].reads_clock = reads_clock;
    fake.launch().block = {64, 1, 1};
    program.kernel = &fake.kernel();
    program.instructions = {instruction(Operation::integer, 0),          instruction(Operation::special_register, 1),
                            instruction(Operation::special_register, 1), instruction(Operation::special_register, 2),
                            instruction(Operation::global_load, 3),      instruction(Operation::special_register, 4)};
    program.blocks = {{0, 5, 1}, {5, 6, 1}};
    table.begin_launch({&program, {}, 2, 3, 0, {}});
  }
  void begin() { observers.begin_launch(program); }
  void start(std::uint64_t number, Cycle at) {
    const std::uint32_t slot = table.start_block(fake.open(0, number), number, at);
    for (std::uint32_t w = table.first_warp(slot); w < table.first_warp(slot + 1); ++w) table[w].basic_block = 0;
    observers.block_started(slot, number, at);
  }
  void issue(std::uint32_t warp, Cycle at, std::uint32_t n = 0) {
    observers.issued(warp, program.instructions[n], at, at - 3, Slot::branch, at + 18);
  }
  Logged logged() {
    Logged all;
    for (const gpu::Issue& i : observers.issues()) all.push_back({i.thread_block, i.warp, i.cycle});
    return all;
  }

  Cycles done() {
    Cycles all;
    for (const gpu::Issue& i : observers.issues()) all.push_back(i.done);
    return all;
  }

  test::FakeTrace fake;
  machine::Program program;
  gpu::SmCounters counters;
  gpu::WarpTable table{6, false, counters};
  gpu::IssueObservers observers{6, table};
};

}  // namespace

TEST_CASE("issue observers: a window has its first cycle and not its last, of the warps that are asked for") {
  Bench b(false);
  b.observers.log_issues(100, 200, {{8, 1, 1}, {9}});
  b.begin();
  CHECK(b.observers.on());
  for (const std::uint64_t number : {7u, 8u, 9u}) b.start(number, 50);
  for (const Cycle at : {99u, 100u, 199u, 200u})
    for (std::uint32_t warp = 0; warp < b.table.size(); ++warp) b.issue(warp, at);
  CHECK(b.logged() == Logged{{8, 1, 100}, {9, 0, 100}, {9, 1, 100}, {8, 1, 199}, {9, 0, 199}, {9, 1, 199}});
  const gpu::Issue& first = b.observers.issues()[0];
  CHECK((first.sm == 6 && first.ready == 97 && first.waited_for == Slot::branch && first.done == 118));
  b.observers.log_issues(200, 200);
  b.begin();
  CHECK_FALSE(b.observers.on());
}

TEST_CASE(
    "issue observers: where blocks are logged, so is the next issue of each warp whose block began in the window") {
  Bench b;
  b.observers.log_blocks();
  b.observers.log_issues(100, 200);
  b.begin();
  b.start(7, 10);
  b.start(8, 199);
  b.start(9, 200);
  for (const Cycle at : {201u, 205u})
    for (const std::uint32_t warp : {0u, 2u, 4u}) b.issue(warp, at);
  b.issue(1, 5000);  // However late it is.
  CHECK(b.logged() == Logged{{7, 0, 201}, {8, 0, 201}, {7, 1, 5000}});
  // In the next launch the same thread block issues for the first time again.
  b.begin();
  CHECK(b.observers.blocks().empty());
  b.observers.block_started(0, 7, 20);
  b.issue(0, 300);
  CHECK(b.logged() == Logged{{7, 0, 300}});
}

TEST_CASE("issue observers: a thread block runs until it ends, whoever had its place before") {
  Bench b;
  b.begin();
  b.observers.block_started(0, 1, 5);  // Nobody has asked yet.
  b.observers.log_blocks();
  b.observers.block_started(1, 2, 10);
  b.observers.block_started(0, 3, 12);
  b.observers.block_ended(1, 80);
  b.observers.block_started(1, 4, 81);
  b.observers.block_ended(2, 90);  // Which began unseen.
  const std::vector<gpu::BlockRun>& runs = b.observers.blocks();
  REQUIRE(runs.size() == 3);
  CHECK((runs[0].thread_block == 2 && runs[0].start == 10 && runs[0].end == 80 && runs[0].sm == 6));
  CHECK((runs[1].thread_block == 3 && runs[1].slot == 0 && runs[1].end == never));
  CHECK((runs[2].thread_block == 4 && runs[2].slot == 1 && runs[2].end == never));
}

TEST_CASE("issue observers: an access is done when the memory answers, and an issue alone is what it was marked for") {
  Bench b;
  b.observers.log_issues(100);
  b.begin();
  b.start(0, 0);
  b.observers.set_pending(11);
  b.issue(0, 90, 4);  // Before the window.
  b.issue(0, 100, 0);
  b.observers.set_pending(12);
  b.issue(0, 102, 4);
  b.observers.set_pending(13);
  b.issue(1, 103, 4);
  CHECK(b.done() == Cycles{118, never, never});
  b.observers.completed(11, 500);
  b.observers.completed(13, 600);
  CHECK(b.done() == Cycles{118, never, 600});
  b.observers.completed(13, 700);  // The token is another access's by now.
  b.observers.completed(12, 800);
  CHECK(b.done() == Cycles{118, 800, 600});
  b.begin();
  b.observers.set_pending(14);
  b.issue(0, 900, 4);
  b.begin();
  b.issue(0, 100, 0);
  b.observers.completed(14, 950);  // Of the launch before.
  CHECK(b.done() == Cycles{118});
}

TEST_CASE("issue observers: of a chain that reads the clock the first instruction counts, and each read by itself") {
  Bench b;
  b.begin();
  CHECK(b.observers.on());  // The kernel reads it.
  for (const std::uint64_t number : {4u, 5u}) b.start(number, 0);
  for (std::uint32_t n = 0; n < 5; ++n) b.issue(3, 10 + n, n);
  b.table[3].basic_block = 1;
  b.program.instructions[4].static_index = 4;  // As where a copy of the block's code stands in front of it.
  b.issue(3, 30, 5);
  Logged reads;
  for (const gpu::ClockRead& read : b.observers.clock_reads())
    reads.push_back({read.instruction, read.thread_block * 10 + read.warp, read.cycle});
  CHECK(reads == Logged{{1, 51, 11}, {2, 51, 13}, {4, 51, 30}});
  b.begin();
  CHECK(b.observers.clock_reads().empty());
}

TEST_CASE("issue observers: activity counts the lanes that act, in the interval of the issue") {
  Bench b(false);
  b.observers.record_activity(10);
  b.begin();
  CHECK(b.observers.on());
  b.start(0, 0);
  gpu::Warp& warp = b.table[0];
  warp.mask = 0xff;
  warp.shared_lanes = 0x07;
  warp.loop.lanes_left = 0x03;
  warp.loop.lanes_acquired = 0x10;
  const auto issue = [&](Operation operation, Cycle at, bool cas_loop = false) {
    machine::Instruction i = instruction(operation, 0);
    i.cas_loop = cas_loop;
    b.observers.issued(0, i, at, at, Slot::issued, at);
  };
  issue(Operation::branch, 0);
  issue(Operation::conversion, 9);
  issue(Operation::double_precision, 10);
  issue(Operation::special_function, 19);
  issue(Operation::scratchpad_store, 40);         // Three lanes have an address in the scratchpad.
  issue(Operation::load_lock, 40);                // Two ask for a lock,
  issue(Operation::store_unlock, 41);             // one has got it.
  issue(Operation::scratchpad_atomic, 49, true);  // Two are left, and one has just swapped.
  issue(Operation::texture_load, 50);
  CHECK(b.observers.activity() == std::vector<gpu::Activity>{{16, 0, 0}, {0, 16, 0}, {}, {}, {0, 0, 9}, {0, 0, 8}});
  b.begin();
  CHECK(b.observers.activity().empty());
}

}  // namespace lockstep::issue_observers_test
