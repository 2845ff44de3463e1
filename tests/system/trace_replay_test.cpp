#include <algorithm>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::trace_replay_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// A histogram of a small photograph.
std::vector<std::string> small_histogram(const std::string& file) {
  return {"trace", "histogram",     "-s", "args.image=raccoon-small", "-s", "args.bins=64",
          "-s",    "args.blocks=4", "-s", "args.threads=256",         "-o", file};
}

}  // namespace

TEST_CASE("A traced workload replays, to the same cycles for any number of threads") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  auto words = small_histogram(file);
  words.emplace_back("--json");
  const Outcome traced = run(words);
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  const Json trace = parse_json(traced.out);
  CHECK(value(trace, "schema") == "lockstep.trace/1");
  CHECK(value(trace, "output_matches") == "true");
  CHECK(value<std::uintmax_t>(trace, "bytes") == std::filesystem::file_size(file));

  const Outcome replayed = run({"replay", file, "--gpu", "GTX580", "--json", "-j", "1"});
  INFO(replayed.err);
  REQUIRE(replayed.code == 0);
  const Json replay = parse_json(replayed.out);
  CHECK(value(replay, "schema") == "lockstep.replay/1");
  CHECK(value(replay, "gpu") == "GTX 580");
  CHECK(value(replay, "workload") == "histogram");
  const auto cycles = value<std::uint64_t>(replay, "cycles");
  CHECK(replay.count("activity") == 0);
  CHECK(cycles > 0);
  CHECK(value<double>(replay, "time_ms") == Approx(static_cast<double>(cycles) / 1544e3));
  CHECK(value<std::uint64_t>(replay, "warp_instructions") == value<std::uint64_t>(trace, "warp_instructions"));
  CHECK(at(replay, "wall_s").get_value<double>() >= 0);
  const Json& stats = at(replay, "stats");
  CHECK(value<std::uint64_t>(stats, "sm.warp_instructions") == value<std::uint64_t>(replay, "warp_instructions"));
  CHECK(value<std::uint64_t>(stats, "sm.thread_blocks") == 4);
  CHECK(value<double>(at(replay, "derived"), "lock_iterations") >= 1);

  const Json threads = parse_json(run({"replay", file, "--gpu", "gtx580", "--json", "-j", "3"}).out);
  CHECK(value(threads, "cycles") == value(replay, "cycles"));
  CHECK(at(threads, "stats") == stats);

  const Json info = parse_json(run({"info", file, "--json"}).out);
  CHECK(value(info, "kind") == "trace");
  CHECK(value(at(info, "arguments"), "bins") == "64");
  CHECK(value<int>(info, "thread_blocks") == 4);
  CHECK_THAT(run({"info", file}).out, Contains("histogram") && Contains("bins = 64"));
}

TEST_CASE("An override changes the replay, and the table names the unit of what it shows") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  REQUIRE(run(small_histogram(file)).code == 0);
  const Json slow =
      parse_json(run({"replay", file, "--gpu", "gtx580", "--json", "-s", "memory.dram.latency=5000"}).out);
  const Json fast = parse_json(run({"replay", file, "--gpu", "gtx580", "--json", "-s", "memory.dram.latency=100"}).out);
  CHECK(value<std::uint64_t>(slow, "cycles") > value<std::uint64_t>(fast, "cycles"));
  const Outcome table = run({"replay", file, "--gpu", "gtx580", "--quiet"});
  CHECK_THAT(table.out, Contains("cycles") && Contains("sm.issue.slots") && Contains("instructions/cycle"));
  CHECK(table.err.empty());
}

TEST_CASE("Activity over time has an entry per interval, and its sum does not depend on the interval") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  REQUIRE(run(small_histogram(file)).code == 0);
  const auto sum = [&](const std::string& interval) {
    const Json replay =
        parse_json(run({"replay", file, "--gpu", "gtx580", "--json", "--quiet", "--activity", interval}).out);
    const Json& launch = at(replay, "activity").front().second;
    CHECK(value(launch, "interval") == interval);
    std::uint64_t operations = 0, intervals = 0;
    for (const auto& [name, series] : at(launch, "all_sms")) {
      intervals = series.size();
      for (const auto& [key, count] : series) operations += count.get_value<std::uint64_t>();
    }
    const std::uint64_t cycles = value<std::uint64_t>(replay, "cycles"), width = std::stoull(interval);
    CHECK(intervals <= cycles / width + 1);
    CHECK(at(at(launch, "sm_0"), "integer").size() == intervals);
    return operations;
  };
  const std::uint64_t all = sum("1000");
  CHECK(all > 0);
  CHECK(sum("333") == all);
  CHECK_THAT(run({"replay", file, "--gpu", "gtx580", "--activity", "1000", "--quiet"}).out,
             Contains("all SMs: load-store"));
  CHECK(run({"replay", file, "--gpu", "gtx580", "--activity", "0"}).code == 2);
}

TEST_CASE("An SM executes no more than its peak in any interval") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  REQUIRE(run(small_histogram(file)).code == 0);
  for (const char* gpu : {"gtx580", "gtx560ti", "k20", "v100"}) {
    INFO(gpu);
    const Json replay = parse_json(run({"replay", file, "--gpu", gpu, "--json", "--quiet", "--activity", "50"}).out);
    const Json& launch = at(replay, "activity").front().second;
    const auto peak = value<double>(launch, "sm_peak_per_cycle");
    std::vector<std::uint64_t> sums(at(at(launch, "sm_0"), "integer").size());
    for (const auto& [name, series] : at(launch, "sm_0")) {
      std::size_t i = 0;
      for (const auto& [key, count] : series) sums[i++] += count.get_value<std::uint64_t>();
    }
    const std::uint64_t most = *std::max_element(sums.begin(), sums.end());
    CHECK(most > 0);
    CHECK(static_cast<double>(most) <= 50 * peak);
  }
}

TEST_CASE("Activity over time is drawn beside its table, for any number of threads the same") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace", chart = folder / "one.svg", again = folder / "two.svg";
  REQUIRE(run(small_histogram(file)).code == 0);
  const Outcome drawn =
      run({"replay", file, "--gpu", "gtx580", "--activity", "100", "--chart", chart, "--quiet", "-j", "1"});
  CHECK(drawn.code == 0);
  CHECK_THAT(drawn.out, Contains("all SMs: load-store"));
  const std::string svg = contents(chart);
  CHECK_THAT(svg, Contains("<svg") && Contains("histogram on GTX 580") && Contains("peak: 32") && Contains("ld/st"));
  const Outcome json = run({"replay", file, "--gpu", "gtx580", "--activity", "100", "--chart", again, "--json"});
  CHECK(json.code == 0);
  CHECK(at(parse_json(json.out), "activity").size() == 1);
  CHECK(contents(again) == svg);
}

TEST_CASE("A chart without activity is wrong input, one that cannot be written a failed resource") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace", chart = folder / "h.svg", nowhere = folder / "no/such/folder.svg";
  REQUIRE(run(small_histogram(file)).code == 0);
  const Outcome lonely = run({"replay", file, "--gpu", "gtx580", "--chart", chart});
  CHECK(lonely.code == 2);
  CHECK_THAT(lonely.err, Contains("--chart requires --activity"));
  CHECK_FALSE(std::filesystem::exists(chart));
  const Outcome full = run({"replay", file, "--gpu", "gtx580", "--activity", "100", "--chart", nowhere, "--json"});
  CHECK(full.code == 3);
  CHECK_THAT(full.err, Contains(nowhere));
  CHECK(value<std::uint64_t>(parse_json(full.out), "cycles") > 0);  // the result is not lost
}

TEST_CASE("A kernel that does not fit on the GPU is wrong input") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  REQUIRE(run(small_histogram(file)).code == 0);
  const Outcome refused = run({"replay", file, "--gpu", "gtx580", "-s", "sm.occupancy.threads_per_block=128"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("128"));
}

TEST_CASE("A damaged trace is wrong input") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  REQUIRE(run(small_histogram(file)).code == 0);
  std::string bytes = contents(file);
  folder.write("half", bytes.substr(0, bytes.size() / 2));
  CHECK(run({"replay", folder / "half", "--gpu", "gtx580"}).code == 2);
  bytes[bytes.size() / 2] ^= 0x10;
  folder.write("flipped", bytes);
  CHECK(run({"replay", folder / "flipped", "--gpu", "gtx580"}).code == 2);
  CHECK(run({"info", folder / "flipped"}).code == 2);
}

TEST_CASE("A trace whose output is not the expected one is not kept, unless asked for") {
  const TemporaryFolder folder;
  // Both addends are at least 1, so no sum is the zero that the file expects.
  folder.write("zeros.raw", std::string(4 * 4096, '\0'));
  const std::string workload = folder.write("wrong.yaml",
                                            "description: adds, but expects zeros\n"
                                            "arguments:\n  length: {default: 4096}\n"
                                            "buffers:\n"
                                            "  a: {random: length, min: 1, max: 2, seed: 1, type: f32}\n"
                                            "  b: {random: length, min: 1, max: 2, seed: 2, type: f32}\n"
                                            "  c: {zero: length, type: f32}\n"
                                            "kernel: " +
                                                source_dir() +
                                                "/traces/kernels/vector_add.ptx\n"
                                                "grid: 16\nblock: 256\n"
                                                "parameters: [a, b, c, length]\n"
                                                "expect:\n  c: {file: zeros.raw}\n");
  const std::string file = folder / "wrong.trace";
  const Outcome dropped = run({"trace", workload, "-o", file});
  INFO(dropped.err);
  CHECK(dropped.code == 1);
  CHECK_THAT(dropped.err, Contains("differs from the expected result") && Contains("not written"));
  CHECK_FALSE(std::filesystem::exists(file));
  const Outcome kept = run({"trace", workload, "-o", file, "--keep-on-mismatch", "--json"});
  CHECK(kept.code == 1);
  CHECK(value(parse_json(kept.out), "output_matches") == "false");
  CHECK(std::filesystem::exists(file));
  CHECK(run({"replay", file, "--gpu", "gtx580"}).code == 0);
}

TEST_CASE("A trace that cannot be written is a failed resource") {
  CHECK(run(small_histogram("/no/such/folder/h.trace")).code == 3);
}

}  // namespace lockstep::trace_replay_test
