// Every microbenchmark of traces/kernels/micro, memory and atomics on simulated GPUs: a replay reports the intervals between its
// clock reads.
#include <map>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::micro_replay_test {

using namespace lockstep::system_test;
namespace fs = std::filesystem;

TEST_CASE("Every microbenchmark replays on a GTX 580 and a V100 and reports its clock intervals") {
  const TemporaryFolder folder;
  const std::string file = folder / "micro.trace";
  std::size_t replays = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/traces/workloads/micro")) {
    const std::string name = entry.path().stem();
    CAPTURE(name);
    const Outcome traced = run({"trace", name, "-o", file});
    INFO(traced.err);
    REQUIRE(traced.code == 0);
    for (const char* gpu : {"gtx580", "v100"}) {
      CAPTURE(gpu);
      const Outcome replayed = run({"replay", file, "--gpu", gpu, "--json"});
      INFO(replayed.err);
      ++replays;
      if (name == "micro-mbarrier" || (name == "micro-matrix" && std::string(gpu) == "gtx580")) {
        CHECK(replayed.code == 2);  // It has no mbarriers, no tensor cores.
        continue;
      }
      REQUIRE(replayed.code == 0);
      const Json intervals = parse_json(replayed.out).get_child("clock_intervals");
      // Five read no clock: one atomic addition a thread, as its source has it, reductions of the whole GPU, blocks that do
      // nothing, stores of which the L2 cache's are counted, and additions to many lines.
      CHECK(intervals.empty() == (name == "micro-global-atomic-throughput" || name == "micro-reduction-region" ||
                                  name == "micro-launch" || name == "micro-records" || name == "micro-atomic-lines"));
      for (const auto& [key, interval] : intervals) {
        CHECK(value<std::uint64_t>(interval, "intervals") > 0);
        CHECK(value<std::uint64_t>(interval, "min") > 0);
      }
    }
  }
  CHECK(replays >= 24);
}

TEST_CASE("A constant or texel that is cached comes after the latency of its cache, one word after the other") {
  const TemporaryFolder folder;
  // Cycles of the interval of a chain of 256 links; less than one per link goes into the control of the rounds.
  const auto cycles = [&](std::vector<std::string> workload, const std::vector<std::string>& parameters) {
    const std::string file = folder / "c.trace";
    workload.insert(workload.begin(), "trace");
    workload.insert(workload.end(), {"-o", file});
    REQUIRE(run(workload).code == 0);
    std::vector<std::string> words{"replay", file, "--gpu", "v100", "--json"};
    for (const std::string& parameter : parameters) words.insert(words.end(), {"-s", parameter});
    const Outcome replayed = run(words);
    INFO(replayed.err);
    REQUIRE(replayed.code == 0);
    return value<std::int64_t>(parse_json(replayed.out).get_child("clock_intervals").front().second, "min");
  };
  const auto constant = [&](const std::string& distinct, const std::vector<std::string>& parameters) {
    return cycles(
        {"micro-constant", "-s", "args.stride=8", "-s", "args.footprint=256", "-s", "args.distinct=" + distinct},
        parameters);
  };
  const std::int64_t links = 256;
  const std::int64_t one = constant("1", {"sm.constant.latency=30", "sm.constant.interval=5"});
  CHECK(one / links == 30);
  CHECK(constant("1", {"sm.constant.latency=50", "sm.constant.interval=5"}) - one == 20 * links);
  CHECK(constant("4", {"sm.constant.latency=30", "sm.constant.interval=5"}) - one == 3 * 5 * links);
  const std::int64_t texel = cycles({"micro-texture"}, {"sm.texture.latency=100"});
  CHECK(texel / links == 100);
  CHECK(cycles({"micro-texture"}, {"sm.texture.latency=140"}) - texel == 40 * links);
}

TEST_CASE("A link of mbarriers takes their latency once, and a copy that is waited for that of a load and a store") {
  const TemporaryFolder folder;
  const std::int64_t links = 256;
  const auto cycles = [&](std::vector<std::string> workload, const std::vector<std::string>& parameters) {
    const std::string file = folder / "m.trace";
    workload.insert(workload.begin(), "trace");
    workload.insert(workload.end(), {"-o", file});
    REQUIRE(run(workload).code == 0);
    std::vector<std::string> words{"replay", file, "--gpu", "h200", "--json"};
    for (const std::string& parameter : parameters) words.insert(words.end(), {"-s", parameter});
    const Outcome replayed = run(words);
    INFO(replayed.err);
    REQUIRE(replayed.code == 0);
    return value<std::int64_t>(parse_json(replayed.out).get_child("clock_intervals").front().second, "min");
  };
  // The address of an arrival needs the result of the one before; a test needs that of the test before; a phase ends with its
  // arrival, which nobody awaits but the wait. A group of copies has no mbarrier, an arrival of copies one wait.
  for (const auto& [operation, waits] :
       std::map<std::string, int>{{"arrive", 1}, {"test", 1}, {"phase", 1}, {"group_cg", 0}, {"arrival_cg", 1}}) {
    CAPTURE(operation);
    const std::vector<std::string> workload = {"micro-mbarrier", "-s", "args.operation=" + operation};
    const std::int64_t one = cycles(workload, {"sm.mbarrier_latency=30"});
    CHECK(one / links >= 30 * waits);
    CHECK(cycles(workload, {"sm.mbarrier_latency=70"}) - one == 40 * waits * links);
  }
  for (const std::string cache : {"ca", "cg"}) {
    CAPTURE(cache);
    const std::int64_t load = cycles({"micro-chase", "-s", "args.footprint=4096", "-s", "args.stride=16", "-s",
                                      "args.length=256", "-s", "args.cache=" + cache},
                                     {});
    const std::int64_t copy = cycles({"micro-mbarrier", "-s", "args.operation=group_" + cache}, {});
    // 23 cycles for the load of the pointer that was copied; a store of 256 or 512 bytes; the wait.
    CHECK(copy - load >= (23 + 2) * links);
    CHECK(copy - load <= (23 + 4 + 20) * links);
  }
}

}  // namespace lockstep::micro_replay_test
