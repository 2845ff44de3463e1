#include <catch2/catch.hpp>

#include "sim/gpu/sm/front_end/scoreboard.hpp"

namespace lockstep::scoreboard_test {

using gpu::Crossing;
using gpu::Producer;
using gpu::Scoreboard;
using gpu::Slot;

namespace {

machine::Instruction instruction(std::vector<std::uint16_t> destinations, std::vector<std::uint16_t> sources) {
  machine::Instruction i;
  std::copy(destinations.begin(), destinations.end(), i.destinations);
  std::copy(sources.begin(), sources.end(), i.sources);
  i.destination_count = static_cast<std::uint8_t>(destinations.size());
  i.source_count = static_cast<std::uint8_t>(sources.size());
  return i;
}

/// As the issue table lists up to four operands, and leaves longer lists to the instruction.
gpu::IssueNeeds listed(std::array<std::uint16_t, 4> operands) {
  gpu::IssueNeeds needs;
  needs.listed = true;
  needs.operands = operands;
  return needs;
}

}  // namespace

TEST_CASE("scoreboard: an instruction waits for the latest of its sources and destinations, and names the producer") {
  Scoreboard board(0, 0);
  board.begin_launch(2, 8);
  board.set_ready(1, instruction({3}, {}), 40, Producer::arithmetic);
  board.set_ready(1, instruction({4, 5}, {}), 90, Producer::scratchpad);
  board.set_ready(1, instruction({6}, {}), 70, Producer::memory);
  const machine::Instruction reads = instruction({6}, {3, 5});
  for (const gpu::IssueNeeds& needs : {listed({3, 5, 6, 6}), gpu::IssueNeeds{}}) {
    const Scoreboard::Entry latest = board.latest(1, reads, needs);
    CHECK(Scoreboard::cycle_of(latest) == 90);
    CHECK(Scoreboard::reason_of(latest) == Slot::scratchpad_result);
    CHECK(Scoreboard::cycle_of(board.latest(0, reads, needs)) == 0);  // Of another warp.
  }
  // A write waits for the write before it.
  CHECK(Scoreboard::cycle_of(board.latest(1, instruction({6}, {}), {})) == 70);
  CHECK(Scoreboard::reason_of(board.latest(1, instruction({6}, {}), {})) == Slot::memory_result);
}

TEST_CASE("scoreboard: a register without a known end is later than every cycle") {
  Scoreboard board(0, 0);
  board.begin_launch(1, 2);
  board.set_ready(0, instruction({0}, {}), Scoreboard::pending, Producer::memory);
  board.set_ready(0, instruction({1}, {}), 1'000'000'000, Producer::arithmetic);
  const Scoreboard::Entry latest = board.latest(0, instruction({}, {0, 1}), {});
  CHECK(Scoreboard::cycle_of(latest) == Scoreboard::pending);
  CHECK(Scoreboard::reason_of(latest) == Slot::memory_result);
}

TEST_CASE("scoreboard: a new warp finds all registers ready") {
  Scoreboard board(0, 0);
  board.begin_launch(2, 4);
  board.set_ready(1, instruction({2}, {}), 50, Producer::memory);
  board.clear(1);
  CHECK(board.latest(1, instruction({}, {2}), {}) == 0);
}

TEST_CASE("scoreboard: an instruction waits longer for what another pipeline has written") {
  Scoreboard board(0, 1);
  board.begin_launch(1, 4);
  board.set_ready(0, instruction({1}, {}), 50, Producer::arithmetic, Crossing::cores | Crossing::load_store);
  board.set_ready(0, instruction({2}, {}), 50, Producer::memory);
  const machine::Instruction i = instruction({3}, {2, 1});
  gpu::IssueNeeds needs;
  needs.pipeline = Crossing::cores;
  needs.crossing = 0b10;
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 51);
  CHECK(board.latest_register(0, i, needs).first == 1);
  needs.crossing = 0;
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 50);
  // The same where all operands are listed.
  needs.delayed = true;
  needs.operands = {2, 1, 3, 3};
  needs.crossings = {0, Crossing::cores, 0, 0};
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 51);
  needs.crossings = {0, Crossing::integer_units, 0, 0};
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 50);
  // Who has written it last decides.
  needs.crossings = {0, Crossing::cores, 0, 0};
  board.set_ready(0, instruction({1}, {}), 50, Producer::arithmetic, Crossing::integer_units);
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 50);
}

TEST_CASE("scoreboard: an instruction waits for its guard longer than for another source") {
  constexpr Cycle guard_latency = 9;
  Scoreboard board(guard_latency, 0);
  board.begin_launch(1, 4);
  board.set_ready(0, instruction({1}, {}), 50, Producer::arithmetic);  // The guard.
  machine::Instruction i = instruction({3}, {2, 1});
  i.guard = 1;
  gpu::IssueNeeds needs;
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 50);
  needs.awaits_guard = true;
  board.set_ready(0, instruction({2}, {}), 40, Producer::memory);
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 50 + guard_latency);
  CHECK(Scoreboard::reason_of(board.latest(0, i, needs)) == Slot::arithmetic_result);
  board.set_ready(0, instruction({2}, {}), 60, Producer::memory);
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) == 60);
  CHECK(Scoreboard::reason_of(board.latest(0, i, needs)) == Slot::memory_result);
}

TEST_CASE("scoreboard: a guard without a known end is later than every cycle") {
  Scoreboard board(9, 0);
  board.begin_launch(1, 2);
  board.set_ready(0, instruction({1}, {}), Scoreboard::pending, Producer::memory);
  machine::Instruction i = instruction({0}, {1});
  i.guard = 1;
  gpu::IssueNeeds needs;
  needs.awaits_guard = true;
  CHECK(Scoreboard::cycle_of(board.latest(0, i, needs)) >= Scoreboard::pending);
  CHECK(Scoreboard::reason_of(board.latest(0, i, needs)) == Slot::memory_result);
}

}  // namespace lockstep::scoreboard_test
