// The scratchpad unit by itself: passes, bank conflicts and locks by hand.

#include <catch2/catch.hpp>

#include <list>

#include "sim/gpu/sm/scratchpad/scratchpad_unit.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::scratchpad_unit_test {

using namespace lockstep::test;
using gpu::AtomicLoop;
using gpu::ScratchpadAccess;
using gpu::ScratchpadResult;

namespace {

scratchpad::Spec spec_by_hand() {
  scratchpad::Spec spec{};
  spec.banks = 32;
  spec.bank_bytes = 4;
  spec.locks = 64;
  spec.request_lanes = 32;
  spec.broadcast = scratchpad::Broadcast{};
  spec.bank_hash = spec.lock_hash = "mod";
  spec.load_latency = 40;
  spec.load_pass_spacing = 6;
  spec.store_pass_spacing = 7;
  spec.pass_interval = 2;
  spec.store_latency = 20;
  spec.load_lock_latency = 50;
  spec.store_unlock_latency = 30;
  spec.atomic_latency = 60;
  spec.atomic_interval = 3;
  spec.atomic_lane_interval = 5;
  spec.atomic_lane_spacing = 4;
  spec.swap_passes = 1;
  spec.lock_watchdog = 1000;
  return spec;
}

struct Bench {
  explicit Bench(const scratchpad::Spec& spec = spec_by_hand(), bool swaps = false) : unit(spec, 16384, counters) {
    unit.begin_launch(std::make_shared<const scratchpad::Maps>(scratchpad::make_maps(spec, 16384, "kernel")), swaps);
  }
  /// Of words; the lists live as long as the bench.
  ScratchpadAccess access(const Lanes& bytes) {
    lists.push_back(bytes);
    lists.back().resize(32);
    return {lists.back().data(), bytes.size() == 32 ? ~0u : (1u << bytes.size()) - 1, 4, 0};
  }

  gpu::SmCounters counters;
  gpu::ScratchpadUnit unit;
  std::list<Lanes> lists;
};

}  // namespace

TEST_CASE(
    "scratchpad unit: a load takes a pass for every word of a bank, and each pass beyond the first is a conflict") {
  Bench b;
  const ScratchpadResult free = b.unit.load(b.access(strided(0, 1)), 100);
  CHECK(free.occupied == 2);
  CHECK(free.until == 140);
  CHECK(b.counters.scratchpad_bank_conflicts == 0);
  const ScratchpadResult four = b.unit.load(b.access(strided(0, 4)), 100);  // Every bank of eight has four words.
  CHECK(four.occupied == 4 * 2);
  CHECK(four.until == 140 + 3 * 6);
  CHECK(b.counters.scratchpad_bank_conflicts == 3);
  CHECK(b.counters.scratchpad_degree[1] == 1);
  CHECK(b.counters.scratchpad_degree[4] == 1);
  CHECK(b.counters.scratchpad_loads == 2);
  CHECK(b.counters.scratchpad_load_passes == 5);
}

TEST_CASE("scratchpad unit: a store holds its warp until its last pass; one without lanes holds nobody") {
  Bench b;
  CHECK(b.unit.store(b.access(strided(0, 2)), true, 100).until == 100 + 20 + 7);
  CHECK(b.counters.scratchpad_store_passes == 2);
  const ScratchpadResult none = b.unit.store(b.access({}), true, 100);
  CHECK(none.until == 0);
  CHECK(none.occupied == 2);
  CHECK(b.counters.scratchpad_stores == 1);
}

TEST_CASE("scratchpad unit: a lock loop serves one lane of a lock at a time, and names each refusal") {
  Bench b;
  // Lanes 0 and 1 on word 0, lane 2 on word 64, which shares its lock, lane 3 elsewhere.
  const ScratchpadAccess access = b.access(words({0, 0, 64, 5}));
  AtomicLoop loop;
  loop.lanes_left = 0xf;
  b.unit.load_lock(loop, access, 7, 100);
  CHECK(loop.active);
  CHECK(loop.lanes_acquired == 0b1001);
  CHECK(b.counters.lock_failed_position == 1);
  CHECK(b.counters.lock_failed_alias == 1);
  // Another warp is refused until the store-unlock has passed.
  AtomicLoop other;
  other.lanes_left = 1;
  b.unit.load_lock(other, access, 8, 110);
  CHECK(other.lanes_acquired == 0);
  CHECK(other.refused_since == 110);
  CHECK(b.counters.lock_failed_warp == 1);
  const ScratchpadResult stored = b.unit.store_unlock(loop, access, 150);
  CHECK(stored.until == 150 + 30);
  CHECK(loop.lanes_left == 0b0110);
  b.unit.load_lock(other, access, 8, 151);
  CHECK(other.lanes_acquired == 1);
  CHECK(other.refused_since == never);
  CHECK(b.counters.load_locks == 3);
  CHECK(b.counters.scratchpad_atomics == 2);
}

TEST_CASE("scratchpad unit: a store-unlock of nothing takes nothing of the load-store unit") {
  Bench b;
  AtomicLoop loop;
  loop.lanes_left = 1;
  const ScratchpadResult result = b.unit.store_unlock(loop, b.access(words({3})), 100);
  CHECK(result.occupied == 0);
  CHECK(b.counters.store_unlock_passes == 0);
  CHECK(loop.lanes_left == 1);
}

TEST_CASE("scratchpad unit: the watchdog expires when lock and refusal are both older than the limit") {
  Bench b;
  AtomicLoop holder, asker;
  holder.lanes_left = asker.lanes_left = 1;
  const ScratchpadAccess access = b.access(words({9}));
  b.unit.load_lock(holder, access, 0, 100);
  b.unit.load_lock(asker, access, 1, 1099);
  b.unit.load_lock(asker, access, 1, 1101);  // The lock is held for 1001 cycles, but refused for 2.
  CHECK_FALSE(b.unit.watchdog().expired());
  b.unit.load_lock(asker, access, 1, 2099);
  CHECK_FALSE(b.unit.watchdog().expired());
  b.unit.load_lock(asker, access, 1, 2100);
  CHECK(b.unit.watchdog().expired());
}

TEST_CASE("scratchpad unit: a native atomic serves lanes of one word one after the other") {
  Bench b;
  const ScratchpadResult one = b.unit.atomic(b.access(words({1, 2, 3})), false, false, 100);
  CHECK(one.occupied == 3);
  CHECK(one.until == 160);
  const ScratchpadResult three = b.unit.atomic(b.access(words({8, 8, 8})), false, false, 100);
  CHECK(three.occupied == 3 + 2 * 5);
  CHECK(three.until == 160 + 2 * 4);
  CHECK(b.counters.scratchpad_atomic_further_lanes == 2);
  CHECK(b.counters.scratchpad_atomics == 2);
}

TEST_CASE("scratchpad unit: additions of one are added up first where the unit does so") {
  scratchpad::Spec spec = spec_by_hand();
  spec.aggregate_increments = true;
  Bench b(spec);
  CHECK(b.unit.atomic(b.access(words({8, 8, 8})), true, false, 100).until == 160);
  CHECK(b.unit.atomic(b.access(words({8, 8, 8})), false, false, 100).until == 168);
}

TEST_CASE("scratchpad unit: a compare-and-swap takes the unit's time and the delays of another atomic several times") {
  scratchpad::Spec spec = spec_by_hand();
  spec.swap_passes = 2;
  Bench b(spec, true);
  const ScratchpadAccess access = b.access(words({8, 8, 40}));  // Two lanes on one word, and another of its bank.
  const ScratchpadResult addition = b.unit.atomic(access, false, false, 100);
  CHECK(addition.occupied == 3 + 2 + 5);
  CHECK(addition.until == 160 + 6 + 4);
  const ScratchpadResult swap = b.unit.atomic(access, false, true, 100);
  CHECK(swap.occupied == 2 * (3 + 2 + 5));
  CHECK(swap.until == 160 + 2 * (6 + 4));
  // So does that of a loop around it.
  AtomicLoop loop;
  loop.lanes_left = 0b111;
  b.unit.cas_load(loop, access, 200);
  const ScratchpadResult looped = b.unit.compare_and_swap(loop, access, 300);
  // But lanes on one word take no pass of their own: one of them succeeds.
  CHECK(looped.occupied == 2 * (3 + 2));
  CHECK(looped.until == 360 + 2 * 6);
}

TEST_CASE("scratchpad unit: a compare-and-swap may have a latency of its own, and that of a loop another") {
  scratchpad::Spec spec = spec_by_hand();
  spec.swap_latency = 70;
  Bench b(spec, true);
  const ScratchpadAccess access = b.access(words({8}));
  CHECK(b.unit.atomic(access, false, false, 100).until == 160);
  CHECK(b.unit.atomic(access, false, true, 100).until == 170);
  const auto in_a_loop = [&](Bench& bench) {
    AtomicLoop loop;
    loop.lanes_left = 1;
    bench.unit.cas_load(loop, access, 200);
    return bench.unit.compare_and_swap(loop, access, 300).until;
  };
  CHECK(in_a_loop(b) == 370);
  spec.loop_swap_latency = 90;
  Bench other(spec, true);
  CHECK(in_a_loop(other) == 390);
}

TEST_CASE("scratchpad unit: a warp's own next access waits for the passes of its atomic, which others may interleave") {
  Bench b;
  CHECK(b.unit.atomic(b.access(words({1, 2, 3})), false, false, 100).own == 100);
  // Three lanes on one word, four cycles apart for the warp.
  CHECK(b.unit.atomic(b.access(words({8, 8, 8})), false, false, 100).own == 100 + 3 * 4);
}

TEST_CASE("scratchpad unit: a swap fails where the word was updated after it was loaded") {
  Bench b(spec_by_hand(), true);
  const ScratchpadAccess two = b.access(words({4, 5})), one = b.access(words({5}));
  AtomicLoop loop;
  loop.lanes_left = 0b11;
  b.unit.cas_load(loop, two, 100);
  b.unit.store(one, true, 110);
  b.unit.compare_and_swap(loop, two, 120);
  CHECK(loop.lanes_acquired == 0b01);
  CHECK(loop.lanes_left == 0b10);
  CHECK(b.counters.cas_lost_update == 1);
  b.unit.cas_load(loop, two, 130);
  ScratchpadAccess rest = two;
  rest.lanes = loop.lanes_left;
  b.unit.compare_and_swap(loop, rest, 140);
  CHECK(loop.lanes_left == 0);
  CHECK(b.counters.cas_iterations == 2);
  CHECK(b.counters.cas_atomics == 1);
}

TEST_CASE("scratchpad unit: rows of matrices are served eight at a time, whatever they share") {
  scratchpad::Spec spec = spec_by_hand();
  spec.neighbours_share = true;
  Bench b(spec);
  const auto rows = [&](std::uint64_t first, std::uint64_t apart, std::uint32_t lanes) {
    ScratchpadAccess access = b.access(strided(first, 0));
    for (std::uint32_t lane = 0; lane < 32; ++lane) b.lists.back()[lane] = 4 * (first + lane * apart);
    access.lanes = lanes;
    access.bytes_per_lane = 16;
    access.matrix_rows = true;
    return access;
  };
  // Rows one behind the other take all banks once; 128 bytes apart they lie in the same four.
  CHECK(b.unit.load(rows(0, 4, 0xff), 100).occupied == 2);
  CHECK(b.unit.load(rows(0, 4, ~0u), 100).occupied == 4 * 2);
  CHECK(b.counters.scratchpad_bank_conflicts == 0);
  CHECK(b.unit.load(rows(0, 32, 0xffff), 100).occupied == 2 * 8 * 2);
  CHECK(b.counters.scratchpad_bank_conflicts == 2 * 7);
  CHECK(b.counters.scratchpad_degree[8] == 1);
  // One row for all: no conflict, but no fewer requests, where a load of 16 bytes per lane takes one.
  CHECK(b.unit.load(rows(0, 0, ~0u), 100).occupied == 4 * 2);
  ScratchpadAccess plain = rows(0, 0, ~0u);
  plain.matrix_rows = false;
  CHECK(b.unit.load(plain, 100).occupied < 4 * 2);
}

TEST_CASE("scratchpad unit: further matrices of a load come at their spacing, or as the unit takes them") {
  scratchpad::Spec spec = spec_by_hand();
  for (const Cycle spacing : {Cycle{0}, Cycle{5}}) {
    spec.matrix_spacing = spacing;
    Bench b(spec);
    ScratchpadAccess access = b.access(strided(0, 4));
    access.bytes_per_lane = 16;
    access.matrix_rows = true;
    access.lanes = 0xff;
    CHECK(b.unit.load(access, 100).until == 140);
    access.lanes = ~0u;
    CHECK(b.unit.load(access, 100).until == 140 + 3 * (spacing == 0 ? spec.pass_interval : spacing));
  }
}

}  // namespace lockstep::scratchpad_unit_test
