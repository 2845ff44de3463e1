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

using namespace lockstep;
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
  // One tile after the other waits for memory nine times, at least 500 cycles; with three tiles ahead that is three times, and
  // the last of them may be late by one more.
  for (const std::string variant : {"groups", "mbarriers", "specialized"}) {
    CAPTURE(variant, cycles[variant], cycles["none"]);
    CHECK(cycles[variant] + 5 * 500 < cycles["none"]);
  }
}

TEST_CASE("Before Hopper copies of a pipeline are loads and stores, and mbarriers are refused") {
  CHECK(run("groups", "v100").replay.counters.sm.scratchpad_stores == 3 * 9 * 4);
  CHECK_THROWS_WITH(run("mbarriers", "v100"),
                    Catch::Contains("mbarrier.init") && Catch::Contains("compute capability 8.0"));
}
