// The workload of asynchronous copies and mbarriers: results, checks, and what its ways come to in time.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/checks/findings.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"

namespace lockstep::pipeline_test {

using namespace lockstep::workload;

namespace {

struct Outcome {
  CheckResult check;
  std::size_t findings = 0;
  gpu::Result replay;
};

Outcome run(const std::string& variant, const std::string& gpu, const std::string& blocks = "3") {
  const Workload workload = Workload::load(source_dir() + "/traces/workloads/pipelines/pipeline.yaml");
  const ArgumentOverrides overrides = {{"variant", variant}, {"blocks", blocks}, {"tiles", "9"}, {"size", "128"}};
  Outcome outcome;
  exec::Machine machine(workload.build(overrides));
  outcome.replay = gpu::simulate(config::load_gpu(gpu), machine);
  machine.finish();
  outcome.check = workload.check(overrides, machine);
  auto task = workload.build(overrides);
  task->checks = exec::CheckSet().with(exec::Check::race).with(exec::Check::sync).with(exec::Check::init);
  exec::Machine checked(std::move(task));
  checked.finish();
  outcome.findings = checked.findings().size();
  return outcome;
}

}  // namespace

TEST_CASE("Every way to fill the buffer of a pipeline gives the sums without a race, and copies overlap with work") {
  std::map<std::string, Cycle> cycles;
  for (const std::string variant : {"none", "groups", "mbarriers", "specialized"}) {
    CAPTURE(variant);
    const Outcome outcome = run(variant, "h200");
    CHECK(outcome.check.message == "");
    CHECK(outcome.check.checked);
    CHECK(outcome.check.passed);
    CHECK(outcome.findings == 0);
    // 3 thread blocks read 9 tiles of 4 warps each.
    CHECK(outcome.replay.counters.sm.global_loads == 3 * 9 * 4);
    cycles[variant] = outcome.replay.cycles;
  }
  // By hand, from what was measured on an H200 (configs/gpus): a load from memory takes 663 cycles in the mean, 525 to 715 by
  // the place of its line, and 535 more while memory is refreshed.
  // - none: the threads of a thread block have one tile in flight, which waits for memory 9 times: 9 * 663.
  // - the others: 3 tiles are on their way while the next one is awaited, so that the 9 come in three rounds: 3 * 715 at most,
  //   and one of them late by 535.
  // - work on a tile that nothing hides: none has st.shared (2), a barrier (14), ld.shared (23), an addition (4) and a barrier
  //   (14), 57 in all. groups has no more: a barrier, ld.shared, an addition. mbarriers waits twice for the result of a test
  //   (23), a branch (13 + 5), loads, adds and begins the copy (5): 114. specialized does the same in two warps, one behind
  //   the other: test and branch (41) with four copies and their addresses (40), test and branch, load and addition (68): 149. Its
  //   four copies are a loop that ptxas unrolls: three comparisons that a branch waits for (13 each), once not taken (5), twice
  //   taken (10), where lanes meet (10), and a subtraction (4): 78 more.
  // - mbarriers tests in loops of its loop, so that ptxas 13.0 for sm_90 has two parameters loaded anew there (LDC c[0x0][0x220],
  //   LDC.64 c[0x0][0x218]): one in each of 12 rounds, 3 of which only begin copies, and one for each of 9 tiles; 28 cycles at most.
  const Cycle parameters = 28 * (12 + 9);
  const auto saved = [](Cycle work) { return 9 * (663 + 57) - (3 * 715 + 535 + work); };
  for (const auto& [variant, work] : std::map<std::string, Cycle>{
           {"groups", 9 * 57}, {"mbarriers", 9 * 114 + parameters}, {"specialized", 9 * (149 + 78)}}) {
    CAPTURE(variant, cycles[variant], cycles["none"]);
    CHECK(cycles["none"] - cycles[variant] >= saved(work));
    // Data do not come sooner than three rounds take at the least.
    CHECK(cycles[variant] >= 3 * 525);
  }
}

TEST_CASE("Before Hopper copies of a pipeline are loads and stores, and mbarriers are refused") {
  CHECK(run("groups", "v100").replay.counters.sm.scratchpad_stores == 3 * 9 * 4);
  CHECK_THROWS_WITH(run("mbarriers", "v100"),
                    Catch::Contains("mbarrier.init") && Catch::Contains("compute capability 8.0"));
}

}  // namespace lockstep::pipeline_test
