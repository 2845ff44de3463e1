// How a launch ends when nothing can proceed: what is the kernel's fault and what the simulator's, with a memory behind the
// SMs that loses what it is told to lose.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "sim/gpu/launch_run.hpp"
#include "sim/gpu/launch_shape.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// Answers a request 300 cycles after it left, unless it has the fault.
class FaultyMemory {
 public:
  enum class Fault {
    none,
    loses_request,  ///< Forgets it: nothing is owed.
    keeps_request,  ///< Has it and does nothing.
    keeps_credit,   ///< Answers, but gives no credit back.
    spins           ///< Has it and is busy for ever.
  };
  explicit FaultyMemory(Fault fault) : fault_(fault) {}

  Cycle round_trip() const { return 300; }
  void collect(std::uint32_t sm, std::vector<noc::Request>& outbox) {
    for (const noc::Request& request : outbox) waiting_.emplace_back(sm, request);
    collected_ += outbox.size();
    outbox.clear();
  }
  void run_until(Cycle end, engine::WorkerPool&) {
    now_ = end;
    std::vector<std::pair<std::uint32_t, noc::Request>> later;
    for (const auto& [sm, request] : waiting_) {
      if (request.cycle >= end || fault_ == Fault::keeps_request || fault_ == Fault::spins) {
        later.emplace_back(sm, request);
        continue;
      }
      ++answered_;
      last_ = request.cycle + round_trip();
      if (fault_ != Fault::loses_request) replies_.push_back({last_, request.token, request.slice, false, 0});
      if (fault_ != Fault::keeps_credit) replies_.push_back({last_, 0, request.slice, true, 0});
    }
    waiting_ = later;
  }
  const std::vector<std::uint32_t>& answered_sms() const { return first_sm_; }
  std::vector<noc::Reply>& replies(std::uint32_t sm) { return sm == 0 ? replies_ : none_; }
  Cycle next_event() const {
    if (waiting_.empty() || fault_ == Fault::keeps_request) return never;
    return fault_ == Fault::spins ? now_ : waiting_.front().second.cycle;
  }
  std::uint64_t outstanding() const { return collected_ - answered_; }
  std::uint64_t moved() const { return collected_ + answered_; }
  Cycle last_reply() const { return last_; }
  std::string describe_waits() const { return {}; }

 private:
  Fault fault_;
  std::vector<std::pair<std::uint32_t, noc::Request>> waiting_;
  std::vector<noc::Reply> replies_, none_;
  std::vector<std::uint32_t> first_sm_ = {0};
  std::uint64_t collected_ = 0, answered_ = 0;
  Cycle now_ = 0, last_ = 0;
};
using Fault = FaultyMemory::Fault;

gpu::GpuSpec one_sm() {
  gpu::GpuSpec spec = gtx580();
  spec.sms = 1;
  return spec;
}

Cycle run(const gpu::GpuSpec& spec, FakeTrace& fake, const machine::Program& program, Fault fault) {
  const trace::Launch& launch = fake.header().launches[0];
  const noc::SliceMap slices(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes);
  std::vector<std::unique_ptr<gpu::Sm>> sms;
  sms.push_back(std::make_unique<gpu::Sm>(spec, slices, 0));
  gpu::LaunchContext context;
  context.program = &program;
  context.windows = fake.header().windows;
  context.warps_per_block = launch.warps_per_block();
  context.resident_blocks = gpu::occupancy(spec.sm.occupancy, fake.kernel(), launch).blocks;
  context.scratchpad_bytes_per_block = gpu::scratchpad_bytes_per_block(spec.sm.occupancy, fake.kernel(), launch);
  context.maps = std::make_shared<const scratchpad::Maps>(
      scratchpad::make_maps(spec.sm.scratchpad, spec.sm.occupancy.scratchpad_bytes, "fake"));
  sms[0]->begin_launch(context);
  FaultyMemory memory(fault);
  engine::WorkerPool pool(1);
  return gpu::LaunchRun<FaultyMemory>(spec, fake, 0, sms, memory, pool).run([](std::uint64_t) {});
}

/// A warp that loads `count` words, a line each, and adds to the last.
Cycle load(Fault fault, int count = 1) {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64), v = fake.reg();
  for (int n = 0; n < count; ++n) fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.add("add.s32", {v}, {v});
  fake.control("exit", program::Control::exit);
  fake.execute = [count](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0);
    for (int n = 0; n < count; ++n) script.touch({(1u << 28) + 4096u * static_cast<unsigned>(n)});
  };
  gpu::GpuSpec spec = one_sm();
  spec.memory.noc.credits = 2;
  spec.memory.l2.slices = spec.memory.dram.channels = 1;
  return run(spec, fake, machine::lower(fake.kernel(), spec.target), fault);
}

}  // namespace

TEST_CASE("A launch whose memory answers ends; the reply decides when") {
  CHECK(load(Fault::none) > gtx580().sm.launch_latency + 300);
  CHECK(load(Fault::none, 5) > load(Fault::none));
}

TEST_CASE("A reply that nobody owes any more is the simulator's fault, named with its SM") {
  CHECK_THROWS_AS(load(Fault::loses_request), Bug);
  CHECK_THROWS_WITH(load(Fault::loses_request),
                    Contains("sm 0 / memory unit") && Contains("replies to 1 requests, but the memory owes 0") &&
                        Contains("thread block 0, warp 0") && Contains("waits for 1 memory accesses"));
}

TEST_CASE("A memory that has a request and does nothing is the simulator's fault") {
  CHECK_THROWS_AS(load(Fault::keeps_request), Bug);
  CHECK_THROWS_WITH(load(Fault::keeps_request),
                    Contains("memory system") && Contains("1 requests are in it, but it does nothing"));
}

TEST_CASE("A credit that does not come back is the simulator's fault") {
  CHECK_THROWS_AS(load(Fault::keeps_credit, 5), Bug);
  CHECK_THROWS_WITH(load(Fault::keeps_credit, 5), Contains("sm 0 / request port") && Contains("credit"));
}

TEST_CASE("Events without progress end the run after a bounded number of windows") {
  CHECK_THROWS_AS(load(Fault::spins), Bug);
  CHECK_THROWS_WITH(load(Fault::spins), Contains("no instruction issued and no request moved") &&
                                            Contains("1 requests are in the memory") &&
                                            Contains("thread block 0, warp 0"));
}

TEST_CASE("A barrier that some warps never reach is the kernel's fault, whatever the memory does") {
  FakeTrace fake;
  fake.launch().block = {64, 1, 1};
  program::StaticInstruction& sync = fake.add("bar.sync");
  sync.control = program::Control::barrier;
  sync.access = AccessKind::barrier;
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    script.enter(0).touch(warp == 1 ? Lanes{} : Lanes(32, 3 | 64 << 8));
  };
  const gpu::GpuSpec spec = one_sm();
  const machine::Program program = machine::lower(fake.kernel(), spec.target);
  CHECK_THROWS_AS(run(spec, fake, program, Fault::none), InputError);
  CHECK_THROWS_WITH(run(spec, fake, program, Fault::keeps_request), Contains("barrier 3, where 1 of 2 warps"));
}

TEST_CASE("A lock whose holder waits for a reply that never comes is no deadlock of the kernel") {
  // Warp 0 takes the lock of word 1100 and then needs what it loads; warp 1 asks for the lock again and again.
  FakeTrace fake;
  fake.launch().block = {64, 1, 1};
  fake.launch().dynamic_shared_bytes = 8192;
  const std::uint32_t a = fake.reg(), p = fake.reg(64), v = fake.reg();
  fake.block();
  fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a, v});
  fake.control("exit", program::Control::exit);
  fake.block();
  for (int i = 0; i < 5; ++i) fake.add("add.u32", {a}, {a});  // Comes later.
  fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a, v});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    script.enter(warp);
    if (warp == 0) script.touch(words({1u << 26}));
    script.touch(words({1100}));
  };
  gpu::GpuSpec spec = one_sm();
  spec.sm.scratchpad.lock_watchdog = 5000;
  const machine::Program program = machine::lower(fake.kernel(), spec.target);
  CHECK(run(spec, fake, program, Fault::none) > spec.sm.launch_latency + 300);
  CHECK_THROWS_AS(run(spec, fake, program, Fault::loses_request), Bug);
  CHECK_THROWS_AS(run(spec, fake, program, Fault::keeps_request), Bug);
}

TEST_CASE("W is the smaller of round trip and launch latency, and never less than a cycle") {
  STATIC_REQUIRE(gpu::window_of(120, 200) == 120);
  STATIC_REQUIRE(gpu::window_of(400, 200) == 200);
  STATIC_REQUIRE(gpu::window_of(120, 0) == 1);
}

TEST_CASE("Without a launch latency a thread block's place is taken in the cycle in which it ends") {
  FakeTrace fake;
  fake.launch().grid = {40, 1, 1};
  const std::uint32_t r = fake.reg();
  for (int i = 0; i < 4; ++i) fake.add("add.s32", {r}, {r});
  fake.control("exit", program::Control::exit);
  gpu::GpuSpec spec = one_sm();
  spec.sm.occupancy.blocks = 1;
  const auto cycles = [&](Cycle latency) {
    spec.sm.launch_latency = latency;
    return gpu::simulate(spec, fake).cycles;
  };
  // All blocks take the same time, one after the other: each pays the latency once.
  const Cycle none = cycles(0);
  CHECK(cycles(2) == none + 40 * 2);
  CHECK(cycles(100) == none + 40 * 100);
  CHECK(cycles(200) == none + 40 * 200);
}

namespace {

/// Cycle and SM of the only instruction of each thread block, by thread block; `work` additions come before it.
std::vector<std::pair<Cycle, std::uint32_t>> ends(const gpu::GpuSpec& spec, std::uint32_t blocks, int work = 0) {
  FakeTrace fake;
  fake.launch().grid = {blocks, 1, 1};
  const std::uint32_t r = fake.reg();
  for (int i = 0; i < work; ++i) fake.add("add.s32", {r}, {r});
  fake.control("exit", program::Control::exit, {r});
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(spec, fake, options);
  std::vector<std::pair<Cycle, std::uint32_t>> all(blocks);
  for (const gpu::Issue& issue : issues)
    if (issue.operation == machine::Operation::exit) all.at(issue.thread_block) = {issue.cycle, issue.sm};
  return all;
}

gpu::GpuSpec dispatching(std::uint32_t sms, std::uint32_t resident) {
  gpu::GpuSpec spec = gtx580();
  spec.sms = sms;
  spec.sm.schedulers = 1;
  spec.sm.scheduler_interval = 1;
  spec.sm.fetch.buffer = 0;
  spec.sm.occupancy.blocks = resident;
  spec.sm.launch_latency = 200;
  return spec;
}
using Ends = std::vector<std::pair<Cycle, std::uint32_t>>;

}  // namespace

TEST_CASE("Thread blocks are handed out to the SMs in turn, an interval apart, behind the launch's overhead") {
  gpu::GpuSpec spec = dispatching(3, 8);
  CHECK(ends(spec, 3) == Ends{{200, 0}, {200, 1}, {200, 2}});
  spec.launch_overhead = 1000;
  CHECK(ends(spec, 3) == Ends{{1200, 0}, {1200, 1}, {1200, 2}});
  spec.dispatch_interval = 2.5;  // 0, 2.5, 5, 7.5, 10, 12.5 and 15 cycles behind the overhead.
  CHECK(ends(spec, 7) == Ends{{1200, 0}, {1202, 1}, {1205, 2}, {1207, 0}, {1210, 1}, {1212, 2}, {1215, 0}});
}

// block_placement.cu: of 132 blocks each SM of an H200 has one, of 140 the eight of its first GPC have two.
TEST_CASE("GPCs have their turns, but no SM gets two thread blocks more than another while all fit") {
  gpu::GpuSpec spec = dispatching(4, 8);
  spec.dispatch = {"1 1 2", 2};
  const auto sms = [&](std::uint32_t blocks) {
    std::vector<std::uint32_t> all;
    for (const auto& [cycle, sm] : ends(spec, blocks)) all.push_back(sm);
    return all;
  };
  CHECK(sms(4) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(sms(5) == std::vector<std::uint32_t>{0, 1, 0, 2, 3});
  CHECK(sms(8) == std::vector<std::uint32_t>{0, 1, 0, 2, 3, 1, 2, 3});
}

TEST_CASE("A thread block that takes another one's place waits for both its end and its turn") {
  gpu::GpuSpec spec = dispatching(2, 1);
  spec.dispatch_interval = 1000;
  CHECK(ends(spec, 4) == Ends{{200, 0}, {1200, 1}, {2200, 0}, {3200, 1}});
  // Each block takes 100 additions of 18 cycles, and ends a cycle after its exit.
  spec.dispatch_interval = 10;
  const Cycle work = 100 * 18;
  const Cycle first = 200 + work, second = 210 + work;
  CHECK(ends(spec, 4, 100) == Ends{{first, 0}, {second, 1}, {first + 1 + 200 + work, 0}, {second + 1 + 200 + work, 1}});
}

TEST_CASE("A launch's overhead is part of its cycles, once for each launch") {
  gpu::GpuSpec spec = dispatching(1, 1);
  FakeTrace fake;
  fake.launch().grid = {3, 1, 1};
  fake.control("exit", program::Control::exit);
  auto& header = const_cast<trace::Header&>(fake.header());
  header.launches.push_back(header.launches[0]);
  const Cycle without = gpu::simulate(spec, fake).cycles;
  spec.launch_overhead = 777;
  CHECK(gpu::simulate(spec, fake).cycles == without + 2 * 777);
}

TEST_CASE("A kernel drains behind its last thread block") {
  gpu::GpuSpec spec = dispatching(2, 1);
  FakeTrace fake;
  fake.launch().grid = {3, 1, 1};
  fake.control("exit", program::Control::exit);
  const Cycle without = gpu::simulate(spec, fake).cycles;
  spec.drain_overhead = 333;
  CHECK(gpu::simulate(spec, fake).cycles == without + 333);
  spec.store_drain_overhead = 1000;  // Nothing is stored.
  CHECK(gpu::simulate(spec, fake).cycles == without + 333);
}

TEST_CASE("A kernel drains behind its last store, which outlives its thread block") {
  gpu::GpuSpec spec = dispatching(1, 1);
  spec.drain_overhead = 300;
  FakeTrace fake;
  fake.access("st.global.u32", AccessKind::store, MemorySpace::global, {}, {fake.reg(64), fake.reg()});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0);
    script.touch({1u << 28});
  };
  const Cycle behind_block = gpu::simulate(spec, fake).cycles;
  spec.store_drain_overhead = 5000;
  const Cycle behind_store = gpu::simulate(spec, fake).cycles;
  spec.store_drain_overhead = 6000;
  CHECK(gpu::simulate(spec, fake).cycles == behind_store + 1000);
  CHECK(behind_store >
        behind_block + 4700);  // The thread block drains for 300 cycles, its store is acknowledged behind it.
}
