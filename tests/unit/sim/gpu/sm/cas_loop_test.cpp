// Scratchpad atomics that native units lack: loops around a compare-and-swap. Cycles by hand; values by a memory that
// really compares and swaps, filled in the order in which the instructions issued.

#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "isa/machine/lowering.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::cas_loop_test {

using namespace lockstep::test;
using gpu::GpuSpec;
using machine::Operation;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// One scheduler with a slot in every cycle, native atomics, and latencies whose sums can be told apart.
GpuSpec native() {
  GpuSpec spec = gtx580();
  spec.target = {"volta", machine::ScratchpadAtomics::native};
  spec.sm.schedulers = 1;
  spec.sm.scheduler_interval = 1;
  spec.sm.operations[Operation::floating].latency = 5;
  spec.sm.operations[Operation::compare].latency = 7;
  spec.sm.branch_taken_latency = 400;
  spec.sm.branch_not_taken_latency = 11;
  spec.sm.scratchpad.load_latency = 20;
  spec.sm.scratchpad.load_pass_spacing = 2;
  spec.sm.scratchpad.pass_interval = 1;
  spec.sm.scratchpad.atomic_latency = 50;
  spec.sm.scratchpad.atomic_interval = 8;
  spec.sm.scratchpad.atomic_lane_interval = spec.sm.scratchpad.atomic_lane_spacing = 3;
  return spec;
}

struct Outcome {
  std::vector<gpu::Issue> issues;
  gpu::SmCounters sm;
};

Outcome replay(const GpuSpec& spec, FakeTrace& fake) {
  Outcome outcome;
  gpu::Options options;
  options.issues = &outcome.issues;
  outcome.sm = gpu::simulate(spec, fake, options).counters.sm;
  return outcome;
}

/// One warp adds to an f32 at each of these addresses and ends.
Outcome add(const GpuSpec& spec, const Lanes& addresses, MemorySpace space = MemorySpace::shared,
            std::uint8_t bytes = 4) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  const std::string mnemonic = space == MemorySpace::shared ? "red.shared.add.f32" : "red.add.f32";
  fake.access(mnemonic, AccessKind::reduction, space, {}, {a, v}, bytes);
  fake.control("exit", program::Control::exit);
  fake.launch().dynamic_shared_bytes = 16384;
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(addresses); };
  return replay(spec, fake);
}

/// What registers the lanes of a loop, and where they meet, a cycle each.
constexpr Cycle around = 2;

Cycle until_exit(const Outcome& outcome) {
  return outcome.issues.back().cycle - outcome.issues.front().cycle;
}

}  // namespace

TEST_CASE("A compare-and-swap loop without conflict takes one iteration") {
  const Outcome outcome = add(native(), strided(0, 1));
  // What registers the lanes stands in front, where they meet behind.
  const std::vector<std::pair<Operation, Cycle>> expected = {{Operation::integer, 0},
                                                             {Operation::scratchpad_load, 1},
                                                             {Operation::floating, 1 + 20},
                                                             {Operation::scratchpad_atomic, 1 + 20 + 5},
                                                             {Operation::compare, 1 + 20 + 5 + 50},
                                                             {Operation::branch, 1 + 20 + 5 + 50 + 7},
                                                             {Operation::integer, 1 + 20 + 5 + 50 + 7 + 11},
                                                             {Operation::exit, 1 + 20 + 5 + 50 + 7 + 11 + 1}};
  REQUIRE(outcome.issues.size() == expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) {
    INFO(n);
    CHECK(outcome.issues[n].operation == expected[n].first);
    CHECK(outcome.issues[n].cycle - outcome.issues[0].cycle == expected[n].second);
  }
  CHECK(outcome.issues[3].acquired == ~0u);
  CHECK(outcome.sm.scratchpad_atomics == 1);
  CHECK(outcome.sm.cas_atomics == 1);
  CHECK(outcome.sm.cas_iterations == 1);
  CHECK(outcome.sm.cas_lanes == 32);
  CHECK(outcome.sm.cas_lost_position + outcome.sm.cas_lost_update == 0);
  // The loop's accesses are no loads of the program.
  CHECK(outcome.sm.scratchpad_loads == 0);
  CHECK(outcome.sm.cas_load_passes == 1);
  CHECK(outcome.sm.scratchpad_atomic_passes == 1);
}

TEST_CASE("Lanes that add to one word succeed one per iteration") {
  for (const std::uint32_t lanes : {2u, 3u, 32u}) {
    INFO(lanes);
    const Outcome outcome = add(native(), Lanes(lanes, 64));
    // However many lanes are left, the swap takes one pass, as one of them succeeds; all but the last go back.
    Cycle expected = around;
    for (std::uint32_t left = lanes; left > 0; --left) expected += 20 + 5 + 50 + 7 + (left > 1 ? 400 : 11);
    CHECK(until_exit(outcome) == expected);
    CHECK(outcome.sm.scratchpad_atomics == 1);
    CHECK(outcome.sm.cas_iterations == lanes);
    CHECK(outcome.sm.cas_lanes == lanes * (lanes + 1) / 2);
    CHECK(outcome.sm.cas_lost_position == lanes * (lanes - 1) / 2);
    CHECK(outcome.sm.cas_lost_update == 0);
    // In lane order.
    std::uint32_t next = 0;
    for (const gpu::Issue& issue : outcome.issues)
      if (issue.operation == Operation::scratchpad_atomic) CHECK(issue.acquired == 1u << next++);
  }
}

TEST_CASE("Iterations are as many as lanes want the most wanted word, and only lanes that are left make passes") {
  // Words 0 (three lanes) and 32 share a bank: two load passes at first, one when only word 0 is left.
  const Outcome outcome = add(native(), words({0, 32, 0, 0}));
  const Cycle first = (20 + 2) + 5 + (50 + 2) + 7 + 400;
  CHECK(until_exit(outcome) == around + first + (20 + 5 + 50 + 7 + 400) + (20 + 5 + 50 + 7 + 11));
  CHECK(outcome.sm.cas_iterations == 3);
  CHECK(outcome.sm.cas_load_passes == 2 + 1 + 1);
  CHECK(outcome.sm.cas_lost_position == 2 + 1);
}

TEST_CASE("Of a generic atomic, the loop serves the lanes in the scratchpad and the memory the others") {
  const std::uint64_t window = program::AddressWindows{}.shared_base, global = 0x1000'0000;
  const auto count = [](const Outcome& outcome, Operation operation) {
    return std::count_if(outcome.issues.begin(), outcome.issues.end(),
                         [&](const gpu::Issue& issue) { return issue.operation == operation; });
  };
  const Outcome both = add(native(), {window, global, window, global + 4, window}, MemorySpace::generic);
  CHECK(both.sm.cas_iterations == 3);
  CHECK(both.sm.cas_lanes == 3 + 2 + 1);
  CHECK(count(both, Operation::global_reduction) == 1);
  CHECK(both.sm.global_atomics == 1);
  const Outcome outside = add(native(), {global, global}, MemorySpace::generic);
  CHECK(outside.sm.cas_atomics == 0);
  CHECK(count(outside, Operation::scratchpad_atomic) == 0);
  CHECK(count(outside, Operation::compare) == 0);
  CHECK(count(outside, Operation::global_reduction) == 1);
}

TEST_CASE("A guard that holds for no lane leaves the loop after one way through, without an access") {
  const Outcome outcome = add(native(), {});
  CHECK(outcome.issues.size() == 8);
  CHECK(outcome.sm.scratchpad_atomics == 0);
  CHECK(outcome.sm.cas_iterations == 0);
}

TEST_CASE("A swap fails when another warp's store came between, and not when it came before") {
  for (const bool same_word : {true, false}) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), v = fake.reg();
    fake.access("red.shared.add.f32", AccessKind::reduction, MemorySpace::shared, {}, {a, v});
    fake.block();
    const std::uint32_t w = fake.reg();
    fake.add("add.s32", {w}, {w});  // While the other warp registers its lanes.
    fake.access("st.shared.f32", AccessKind::store, MemorySpace::shared, {}, {a, v});
    fake.launch().block = {64, 1, 1};
    fake.launch().dynamic_shared_bytes = 16384;
    const auto both = [&](std::uint32_t adds, std::uint32_t stores) {
      fake.execute = [=](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
        if (warp == adds) script.enter(0).touch(words({5}));
        if (warp == stores) script.enter(1).touch(words({same_word ? 5u : 6u}));
      };
      return replay(native(), fake).sm.cas_lost_update;
    };
    // Warp 0 issues first: its load is followed by the store of warp 1, or its store by the load of warp 1.
    CHECK(both(0, 1) == (same_word ? 1 : 0));
    CHECK(both(1, 0) == 0);
  }
}

namespace {

constexpr std::uint32_t rounds = 3;
/// The words that every warp adds to, by warp and access: even accesses are loops, odd ones native atomics.
using Plan = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>>;

Plan plan(std::uint32_t warps, std::uint32_t crowd, unsigned seed) {
  std::mt19937 random(seed);
  Plan all;
  for (std::uint32_t w = 0; w < warps; ++w)
    for (std::uint32_t n = 0; n < 2 * rounds; ++n)
      for (int lane = 0; lane < 32; ++lane) all[{w, n}].push_back(random() % crowd);
  return all;
}

Outcome run(const GpuSpec& spec, const Plan& all, std::uint32_t warps) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("red.shared.add.f32", AccessKind::reduction, MemorySpace::shared, {}, {a, v});
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a, v});
  fake.launch().block = {32 * warps, 1, 1};
  fake.launch().dynamic_shared_bytes = 16384;
  fake.execute = [&](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    for (std::uint32_t n = 0; n < 2 * rounds; n += 2)
      script.enter(0).touch(words(all.at({warp, n}))).touch(words(all.at({warp, n + 1})));
  };
  return replay(spec, fake);
}

/// Does what the issues say to a memory: every lane's swap must succeed exactly when its word holds what it loaded.
/// Adding one never brings a value back, so nothing else can tell the two apart.
std::vector<std::uint64_t> memory_after(const Outcome& outcome, const Plan& all) {
  std::vector<std::uint64_t> memory(4096, 0);
  struct Progress {
    std::uint32_t access = 0, left = ~0u;
    std::uint64_t loaded[32] = {};
  };
  std::map<std::uint32_t, Progress> progress;  // by warp
  bool as_compared = true, as_left = true;
  for (const gpu::Issue& issue : outcome.issues) {
    Progress& warp = progress[issue.warp];
    const auto& wanted = [&]() -> const std::vector<std::uint64_t>& { return all.at({issue.warp, warp.access}); };
    if (issue.operation == Operation::scratchpad_load) {
      as_left = as_left && issue.lanes == warp.left;
      for (std::uint32_t lane = 0; lane < 32; ++lane) warp.loaded[lane] = memory[wanted()[lane]];
    } else if (issue.operation == Operation::scratchpad_atomic) {
      as_left = as_left && issue.lanes == warp.left;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((issue.lanes >> lane & 1) == 0) continue;
        std::uint64_t& value = memory[wanted()[lane]];
        const bool equal = value == warp.loaded[lane];
        as_compared = as_compared && equal == ((issue.acquired >> lane & 1) != 0);
        if (equal) ++value;
      }
      warp.left &= ~issue.acquired;
    } else if (issue.operation == Operation::branch && warp.left == 0) {
      ++warp.access;
      warp.left = ~0u;
    } else if (issue.operation == Operation::scratchpad_reduction) {
      for (const std::uint64_t word : wanted()) ++memory[word];
      ++warp.access;
    }
  }
  CHECK(as_compared);
  CHECK(as_left);
  return memory;
}

void check_no_update_is_lost(const GpuSpec& spec, std::uint32_t warps, std::uint32_t crowd, unsigned seed) {
  const Plan all = plan(warps, crowd, seed);
  const Outcome outcome = run(spec, all, warps);
  std::vector<std::uint64_t> expected(4096, 0);
  for (const auto& [key, wanted] : all)
    for (const std::uint64_t word : wanted) ++expected[word];
  CHECK(memory_after(outcome, all) == expected);
  // Every lane leaves every loop exactly once.
  const gpu::SmCounters& sm = outcome.sm;
  CHECK(sm.cas_lanes - sm.cas_lost_position - sm.cas_lost_update == std::uint64_t{warps} * rounds * 32);
  CHECK(sm.cas_atomics == warps * rounds);
  CHECK(sm.scratchpad_atomics == 2 * warps * rounds);
  CHECK(sm.cas_lost_update > 0);
}

}  // namespace

TEST_CASE("Two warps that add to one word lose no update, whatever order they issue in") {
  GpuSpec spec = native();
  spec.sm.policy = "random";
  for (const std::uint32_t schedulers : {1u, 2u}) {
    spec.sm.schedulers = schedulers;
    for (unsigned seed = 0; seed < 20; ++seed) {
      INFO(schedulers << " schedulers, seed " << seed);
      spec.sm.policy_seed = seed;
      check_no_update_is_lost(spec, 2, 1, seed);
    }
  }
}

TEST_CASE("Many warps that add to a few words lose no update on GPUs with native atomics") {
  for (const char* name : {"gtx750ti", "v100"}) {
    GpuSpec spec = config::load_gpu(name);
    for (const char* policy : {"random", "loose_round_robin", "greedy_then_oldest", "two_level"}) {
      INFO(name << ", policy " << policy);
      spec.sm.policy = policy;
      spec.sm.active_warps = 4;
      spec.sm.policy_seed = 7;
      check_no_update_is_lost(spec, 16, 8, 3);
      check_no_update_is_lost(spec, 16, 300, 4);
    }
  }
}

}  // namespace lockstep::cas_loop_test
