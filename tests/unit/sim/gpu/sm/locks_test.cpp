// What lock bits must guarantee whatever order warps issue in: one holder at a time, no update lost, and an explanation
// when a lock is never freed. The expected memory is computed by adding up, without any lock.

#include <catch2/catch.hpp>

#include <bit>
#include <map>
#include <random>

#include "isa/error.hpp"
#include "isa/machine/lowering.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/probe/probe.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::locks_test {

using namespace lockstep::test;
using Catch::Matchers::Contains;
using machine::Operation;
using program::AccessKind;
using program::MemorySpace;

namespace {

constexpr std::uint32_t words_of_memory = 4096, locks = 1024, rounds = 4;

/// The words that every lane of every warp adds one to, round by round. `crowd` words are wanted in all: the smaller, the
/// fiercer the contention; some of them share a lock.
using Votes = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>>;  // by warp and round
Votes votes(std::uint32_t warps, std::uint32_t crowd, unsigned seed) {
  std::mt19937 random(seed);
  Votes all;
  for (std::uint32_t w = 0; w < warps; ++w) {
    for (std::uint32_t r = 0; r < rounds; ++r) {
      std::vector<std::uint64_t>& words = all[{w, r}];
      for (int lane = 0; lane < 32; ++lane) words.push_back(random() % crowd + random() % 2 * locks);
    }
  }
  return all;
}

/// One thread block whose warps vote, and everything that was issued.
std::vector<gpu::Issue> vote(const gpu::GpuSpec& spec, const Votes& all, std::uint32_t warps) {
  FakeTrace fake;
  fake.launch().block = {32 * warps, 1, 1};
  fake.launch().dynamic_shared_bytes = words_of_memory * 4;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a, v});
  fake.execute = [&](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    for (std::uint32_t r = 0; r < rounds; ++r) script.enter(0).touch(words(all.at({warp, r})));
  };
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(spec, fake, options);
  return issues;
}

/// What happened to the data: load-locks read the moment they issue, store-unlocks write in their last pass at the
/// latest. Follows both in order of time, checks every lock, and returns the memory.
std::vector<std::uint32_t> memory_after(const gpu::GpuSpec& spec, const std::vector<gpu::Issue>& issues,
                                        const Votes& all) {
  struct Event {
    Cycle cycle;
    bool writes;
    std::uint32_t warp, round, lanes;
  };
  std::vector<Event> events;
  std::map<std::uint32_t, std::uint32_t> round_of, done_of;  // by warp
  for (const gpu::Issue& issue : issues) {
    const std::uint32_t round = round_of[issue.warp];
    if (issue.operation == Operation::load_lock)
      events.push_back({issue.cycle, false, issue.warp, round, issue.acquired});
    if (issue.operation != Operation::store_unlock || issue.lanes == 0) continue;
    // Distinct words of the lanes in one bank: further passes.
    std::map<std::uint64_t, std::uint32_t> in_bank;
    std::uint32_t passes = 1;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (issue.lanes >> lane & 1) passes = std::max(passes, ++in_bank[all.at({issue.warp, round})[lane] % 32]);
    events.push_back(
        {issue.cycle + (passes - 1) * spec.sm.scratchpad.store_pass_spacing, true, issue.warp, round, issue.lanes});
    if ((done_of[issue.warp] |= issue.lanes) == ~0u) {
      done_of[issue.warp] = 0;
      ++round_of[issue.warp];
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& x, const Event& y) { return x.cycle < y.cycle; });

  std::vector<std::uint32_t> memory(words_of_memory, 0);
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> holder;  // of a lock: warp and lane
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> loaded;  // by warp and lane
  for (const Event& event : events) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((event.lanes >> lane & 1) == 0) continue;
      const std::uint64_t word = all.at({event.warp, event.round})[lane];
      const std::pair<std::uint32_t, std::uint32_t> me{event.warp, lane};
      if (event.writes) {
        REQUIRE(holder.at(word % locks) == me);
        holder.erase(word % locks);
        memory[word] = loaded.at(me) + 1;
      } else {
        REQUIRE(holder.count(word % locks) == 0);  // Two never hold one lock.
        holder[word % locks] = me;
        loaded[me] = memory[word];
      }
    }
  }
  CHECK(holder.empty());
  return memory;
}

std::vector<std::uint32_t> added_up(const Votes& all) {
  std::vector<std::uint32_t> memory(words_of_memory, 0);
  for (const auto& [key, words] : all)
    for (const std::uint64_t word : words) ++memory[word];
  return memory;
}

gpu::GpuSpec random_gpu(std::uint64_t seed) {
  gpu::GpuSpec spec = config::load_gpu("gtx580");
  spec.sm.policy = "random";
  spec.sm.policy_seed = seed;
  return spec;
}

/// Two warps of one thread block: warp 0 executes the first program line, warp 1 an ordinary atomic at the same word.
void hold_for_ever(bool waits_at_barrier, Cycle watchdog) {
  FakeTrace fake;
  fake.launch().block = {64, 1, 1};
  fake.launch().dynamic_shared_bytes = 8192;
  const std::uint32_t a = fake.reg();
  fake.block();
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a});
  if (waits_at_barrier) fake.control("bar.sync", program::Control::barrier);
  fake.control("exit", program::Control::exit);
  fake.block();
  for (int i = 0; i < 20; ++i) fake.add("add.u32", {a}, {a});  // Comes later.
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a});
  if (waits_at_barrier) fake.control("bar.sync", program::Control::barrier);
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    script.enter(warp).touch(words({1100}));
  };
  gpu::GpuSpec spec = config::load_gpu("gtx580");
  spec.sm.scratchpad.lock_watchdog = watchdog;
  machine::Program program = machine::lower(fake.kernel(), spec.target);
  // In the first block, only the load-lock is left of the loop.
  for (std::uint32_t n = program.blocks[0].first; n < program.blocks[0].end; ++n) {
    machine::Instruction& i = program.instructions[n];
    if (i.operation == Operation::load_lock || i.operation == Operation::barrier) continue;
    i = machine::Instruction{};
  }
  gpu::simulate_lowered(spec, fake, {program});
}

}  // namespace

TEST_CASE("Two warps never hold one lock and no update is lost, whatever order the scheduler chooses") {
  for (const std::uint32_t warps : {2u, 7u, 32u}) {
    for (const std::uint32_t crowd : {1u, 3u, 40u, 700u}) {
      for (unsigned seed = 0; seed < 2; ++seed) {
        CAPTURE(warps, crowd, seed);
        const Votes all = votes(warps, crowd, seed);
        const gpu::GpuSpec spec = random_gpu(seed);
        CHECK(memory_after(spec, vote(spec, all, warps), all) == added_up(all));
      }
    }
  }
}

TEST_CASE("No update is lost under the other policies either") {
  for (const auto policy : {"loose_round_robin", "greedy_then_oldest"}) {
    gpu::GpuSpec spec = config::load_gpu("gtx580");
    spec.sm.policy = policy;
    const Votes all = votes(8, 20, 3);
    CHECK(memory_after(spec, vote(spec, all, 8), all) == added_up(all));
  }
}

TEST_CASE("The random policy repeats itself with one seed and not with another") {
  const Votes all = votes(16, 40, 1);
  const auto order = [&](std::uint64_t seed) {
    std::vector<std::pair<Cycle, std::uint32_t>> issued;
    for (const gpu::Issue& issue : vote(random_gpu(seed), all, 16)) issued.emplace_back(issue.cycle, issue.warp);
    return issued;
  };
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
}

TEST_CASE("A lock that an ended warp left held is a deadlock with its holder and who waits") {
  CHECK_THROWS_WITH(hold_for_ever(false, 5000),
                    Contains("deadlock") && Contains("thread block 0, warp 0 holds lock 76") &&
                        Contains("acquired for word 1100") && Contains("it has ended without releasing it") &&
                        Contains("thread block 0, warp 1") &&
                        Contains("for lock 76, which thread block 0, warp 0 holds"));
}

TEST_CASE("A lock whose holder waits at a barrier for the warps that want it is a deadlock") {
  CHECK_THROWS_WITH(hold_for_ever(true, 5000), Contains("deadlock") && Contains("warp 0 holds lock 76") &&
                                                   Contains("waits at barrier 0, where 1 of 2 warps have arrived") &&
                                                   !Contains("it has ended without releasing it"));
}

TEST_CASE("A holder that a greedy scheduler starves for the warps that wait for it is a deadlock, named as such") {
  // Behind a barrier the youngest of 32 warps of one scheduler goes first; then the older ones ask for its locks again and
  // again and take every slot.
  gpu::GpuSpec spec = config::load_gpu("gtx580");
  spec.sm.schedulers = 1;
  spec.sm.scratchpad.lock_watchdog = 5000;
  analytic::WarpAccess access{~0u, {}};
  for (std::uint64_t lane = 0; lane < 32; ++lane) access.word[lane] = lane;
  spec.sm.policy = "greedy_then_oldest";
  CHECK_THROWS_WITH(probe::measure(spec, probe::AccessOperation::atomic, access, 32),
                    Contains("warp 31 holds lock 0") && Contains("and 31 more for which warps retry") &&
                        Contains("is ready, but its scheduler issues from other warps"));
  spec.sm.policy = "loose_round_robin";
  CHECK_NOTHROW(probe::measure(spec, probe::AccessOperation::atomic, access, 32));
}

TEST_CASE("The watchdog waits for its limit and no contention sets it off") {
  const auto cycle_of = [](Cycle limit) {
    try {
      hold_for_ever(false, limit);
    } catch (const InputError& error) {
      const std::string text = error.what(), head = "deadlock at cycle ";
      return std::stoull(text.substr(text.find(head) + head.size()));
    }
    return 0ull;
  };
  CHECK(cycle_of(2000) > 2000);
  CHECK(cycle_of(2000) < 4000);
  CHECK(cycle_of(50000) > 50000);
  // 32 warps on one word take a hundred thousand cycles; each holds the lock for less than five hundred.
  gpu::GpuSpec spec = config::load_gpu("gtx580");
  spec.sm.scratchpad.lock_watchdog = 500;
  const Votes all = votes(32, 1, 1);
  CHECK(memory_after(spec, vote(spec, all, 32), all) == added_up(all));
}

TEST_CASE("Locks of one launch do not hold up the next, whose cycles begin again") {
  FakeTrace fake;
  fake.launch().dynamic_shared_bytes = 4096;
  const std::uint32_t a = fake.reg();
  for (int i = 0; i < 100; ++i) fake.add("add.u32", {a}, {a});
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a});
  fake.block();
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a});
  auto& header = const_cast<trace::Header&>(fake.header());
  header.launches.push_back(header.launches[0]);
  int opened = 0;
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(opened++ == 0 ? 0 : 1).touch(words({3}));
  };
  const gpu::Result result = gpu::simulate(config::load_gpu("gtx580"), fake);
  CHECK(result.counters.sm.load_locks == 2);
  CHECK(result.counters.sm.lock_failed_warp == 0);
}

}  // namespace lockstep::locks_test
