#include <csignal>
#include <thread>

#include "sim/experiment/results/database.hpp"
#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::experiment_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Vector additions: `lengths` and `latencies` as YAML lists.
std::string vector_experiment(const std::string& lengths, const std::string& latencies) {
  return "name: vectors\n"
         "gpu: gtx580\n"
         "workload: vector-add\n"
         "set: {args.blocks: 16}\n"
         "sweep:\n"
         "  args.length: " +
         lengths + "\n  sm.floating.latency: " + latencies +
         "\nbaseline: {sm.floating.latency: 18}\n"
         "table: [args.length, sm.floating.latency, cycles, derived.speedup, sm.issue.slots]\n";
}

/// The bytes of results.json without the lines that tell how long the simulator took.
std::string without_wall_time(const std::string& path) {
  std::istringstream text(contents(path));
  std::string result;
  for (std::string line; std::getline(text, line);) {
    if (line.find("\"wall_s\"") == std::string::npos) result += line + '\n';
  }
  return result;
}

}  // namespace

TEST_CASE("An experiment runs its points, and leaves table, JSON, CSV, configuration and provenance") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_experiment("[1000, 5000]", "[18, 36]"));
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json", "-j", "1"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out == contents(folder / "out/results.json"));
  const Json json = parse_json(outcome.out);
  CHECK(value(json, "schema") == "lockstep.run/1");
  const Json& points = at(json, "points");
  REQUIRE(points.size() == 4);
  auto point = points.begin();
  for (const char* length : {"1000", "5000"}) {
    std::uint64_t base = 0;
    for (const char* latency : {"18", "36"}) {
      INFO(length << " elements, latency " << latency);
      const Json& p = (point++)->second;
      CHECK(value(at(p, "point"), "args.length") == length);
      CHECK(value(at(p, "point"), "sm.floating.latency") == latency);
      CHECK(value(p, "gpu") == "GTX 580");
      CHECK(value(p, "status") == "done");
      CHECK(value(p, "output_checked") == "true");
      const auto cycles = value<std::uint64_t>(p, "cycles");
      if (base == 0) base = cycles;
      CHECK(value<double>(p, "time_ms") == Approx(static_cast<double>(cycles) / 1544e3));
      CHECK(value<double>(at(p, "derived"), "speedup") ==
            Approx(static_cast<double>(base) / static_cast<double>(cycles)));
      CHECK(value<std::uint64_t>(at(p, "stats"), "sm.thread_blocks") == 16);
    }
  }
  const Json provenance = parse_json(contents(folder / "out/provenance.json"));
  CHECK(value(provenance, "schema") == "lockstep.provenance/1");
  CHECK(value(at(provenance, "program"), "sha1").size() == 40);
  CHECK(at(provenance, "inputs").size() == 4);
  const std::string csv = contents(folder / "out/results.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);  // header and four points
  CHECK_THAT(csv, Catch::StartsWith("args.length,sm.floating.latency,gpu,"));

  const Outcome again = run({"run", folder / "out/effective.yaml", "-o", folder / "again", "--quiet"});
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.err.empty());
  CHECK_THAT(again.out, Contains("sm.floating.latency") && Contains("derived.speedup"));
  CHECK(contents(folder / "again/results.csv") == csv);
  CHECK(contents(folder / "again/effective.yaml") == contents(folder / "out/effective.yaml"));
}

TEST_CASE("Results are the same bytes for any number of threads") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_experiment("[300, 4000]", "[18, 19, 20]"));
  const Outcome one = run({"run", file, "-o", folder / "one", "-j", "1", "--quiet"});
  const Outcome two = run({"run", file, "-o", folder / "two", "-j", "2", "--quiet"});
  const Outcome many = run({"run", file, "-o", folder / "many", "-j", "12", "--quiet"});
  REQUIRE(one.code == 0);
  CHECK(two.code == 0);
  CHECK(one.out == two.out);
  CHECK(one.out == many.out);
  for (const char* other : {"two", "many"}) {
    CHECK(contents(folder / "one/results.csv") == contents(folder / std::string(other) + "/results.csv"));
    CHECK(without_wall_time(folder / "one/results.json") ==
          without_wall_time(folder / std::string(other) + "/results.json"));
    CHECK(contents(folder / "one/effective.yaml") == contents(folder / std::string(other) + "/effective.yaml"));
  }
}

TEST_CASE("Results are the same bytes whatever room there is for traces that points share") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml",
                                        "gpus: [gtx580, gtx480]\nworkload: vector-add\n"
                                        "set: {args.blocks: 16}\nsweep:\n  args.length: [300, 40000]\n"
                                        "  sm.floating.latency: [18, 19]\n");
  REQUIRE(run({"run", file, "-o", folder / "kept", "-j", "4", "--quiet"}).code == 0);
  for (const auto& [memory, disk] : {std::pair{"0", "0"}, std::pair{"0", "64"}, std::pair{"1", "0"}}) {
    for (const char* jobs : {"1", "4"}) {
      const std::string out = folder / (std::string(memory) + "-" + disk + "-" + jobs);
      const Outcome outcome =
          run({"run", file, "-o", out, "-j", jobs, "--quiet", "--trace-memory", memory, "--trace-disk", disk});
      INFO(outcome.err);
      CHECK(outcome.code == 0);
      CHECK(contents(out + "/results.csv") == contents(folder / "kept/results.csv"));
      CHECK(without_wall_time(out + "/results.json") == without_wall_time(folder / "kept/results.json"));
    }
  }
  CHECK_THAT(run({"run", "-h"}).out, Contains("--trace-memory") && Contains("--trace-disk") && Contains("$TMPDIR"));
  CHECK(run({"run", file, "-o", folder / "wrong", "--trace-memory", "-1"}).code == 2);
}

TEST_CASE("A run that is killed while it keeps traces on disk leaves none, and --resume ends it") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "tmp");
  std::string latencies = "[18";
  for (int latency = 19; latency < 40; ++latency) latencies += ", " + std::to_string(latency);
  const std::string file = folder.write("vectors.yaml", vector_experiment("[60000, 60001]", latencies + "]"));
  setenv("TMPDIR", (folder / "tmp").c_str(), 1);
  const pid_t child =
      start({"run", file, "-o", folder / "killed", "-j", "2", "--trace-memory", "0"}, folder / "out", folder / "err");
  unsetenv("TMPDIR");
  std::size_t stored = 0;
  while (stored < 1) {
    int status = 0;
    REQUIRE(waitpid(child, &status, WNOHANG) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    try {
      stored = lockstep::experiment::Database::read(folder / "killed/results.db").all().size();
    } catch (const std::exception&) {  // not there yet
    }
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(std::filesystem::is_empty(folder / "tmp"));
  const Outcome resumed = run({"run", file, "-o", folder / "killed", "--resume", "--quiet"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  REQUIRE(run({"run", file, "-o", folder / "whole", "--quiet", "--trace-memory", "0", "--trace-disk", "0"}).code == 0);
  CHECK(contents(folder / "killed/results.csv") == contents(folder / "whole/results.csv"));
}

TEST_CASE("A killed run continues where it stopped, and ends with the same results") {
  const TemporaryFolder folder;
  std::string latencies = "[18";
  for (int latency = 19; latency < 48; ++latency) latencies += ", " + std::to_string(latency);
  const std::string file = folder.write("vectors.yaml", vector_experiment("[60000]", latencies + "]"));
  const pid_t child = start({"run", file, "-o", folder / "killed", "-j", "1"}, folder / "out", folder / "err");
  std::size_t stored = 0;
  while (stored < 2) {
    int status = 0;
    REQUIRE(waitpid(child, &status, WNOHANG) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    try {
      stored = lockstep::experiment::Database::read(folder / "killed/results.db").all().size();
    } catch (const std::exception&) {  // not there yet
    }
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(std::filesystem::exists(folder / "killed/results.json"));
  const std::size_t survived = lockstep::experiment::Database::read(folder / "killed/results.db").all().size();
  REQUIRE(survived >= stored);
  REQUIRE(survived < 30);

  const Outcome resumed = run({"run", file, "-o", folder / "killed", "--resume"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains(std::to_string(survived) + " of 30 points taken over"));
  const Outcome whole = run({"run", file, "-o", folder / "whole"});
  REQUIRE(whole.code == 0);
  CHECK(contents(folder / "killed/results.csv") == contents(folder / "whole/results.csv"));
}

TEST_CASE("Finished points are taken over, changed ones computed again, and --resume refuses that") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_experiment("[500]", "[18, 20]"));
  const std::string out = folder / "out";
  REQUIRE(run({"run", file, "-o", out}).code == 0);
  CHECK_THAT(run({"run", file, "-o", out}).err, Contains("2 of 2 points taken over"));
  const Outcome more = run({"run", file, "-o", out, "-s", "sm.floating.latency=21", "--resume"});
  CHECK(more.code == 0);  // a new point; nothing is lost
  CHECK_THAT(run({"run", file, "-o", out}).err, Contains("2 of 2 points taken over"));
  const Outcome refused = run({"run", file, "-o", out, "-s", "args.seed=9", "--resume"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("2 of 2 points were computed with another configuration"));
  const Outcome anew = run({"run", file, "-o", out, "-s", "args.seed=9"});
  CHECK(anew.code == 0);
  CHECK_THAT(anew.err, Contains("2 points are computed anew"));
  const Outcome fresh = run({"run", file, "-o", folder / "fresh", "--resume"});
  CHECK(fresh.code == 0);  // nothing to continue from: from the start

  const std::string other = folder.write("other.yaml", "extends: vectors.yaml\nname: other\n");
  const Outcome mixed = run({"run", other, "-o", out});
  CHECK(mixed.code == 2);
  CHECK_THAT(mixed.err, Contains("holds results of the experiment 'vectors'"));
}

TEST_CASE("Who sweeps over GPUs or workloads reads where they are listed") {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "swept.yaml", "gpu: gtx580\nworkload: vector-add\nsweep: {gpu: [gtx580, v100], workloads: [transpose]}\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err,
             Contains(":3:9: 'gpu' has no path; several stand in a list, 'gpus: [...]', at the top of the file"));
  CHECK_THAT(outcome.err, Contains(":3:30: 'workloads' has no path; several stand in a list, 'workloads: [...]'"));
}

TEST_CASE("All errors of an experiment file are reported with their places") {
  const TemporaryFolder folder;
  const std::string file = folder.write("wrong.yaml",
                                        "gpu: gtx508\n"
                                        "workload: vector-add\n"
                                        "swep: {}\n"
                                        "set: {sm.scratchpad.bnaks: 3, args.lenght: 4, args.seed: [1]}\n"
                                        "sweep: {sms: [1, 2, 1], args.blocks: []}\n"
                                        "baseline: {sms: 3, args.seed: 1}\n"
                                        "table: [cylces, {column: cycles, decimals: 20}]\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out"});
  CHECK(outcome.code == 2);
  for (const char* message :
       {":1:6: ", "did you mean 'gtx580'?", ":3:1: unknown key 'swep'; did you mean 'sweep'?",
        ":4:7: 'sm.scratchpad.bnaks' is not a GPU parameter or argument; did you mean 'sm.scratchpad.banks'?",
        ":4:31: 'args.lenght' is not an argument of the workload; did you mean 'args.length'?",
        ":4:58: args.seed needs a single value", ":5:21: the value '1' appears twice",
        "args.blocks has no values to sweep", ":6:17: '3' is not a value of sms", ":6:20: 'args.seed' is not swept",
        ":7:9: 'cylces' is neither swept nor a statistic; did you mean 'cycles'?", "decimals is 20"}) {
    CHECK_THAT(outcome.err, Contains(message));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_CASE("A swept value that breaks the GPU's rules is refused before anything runs") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("rules.yaml", "gpu: gtx580\nworkload: vector-add\nsweep:\n  sm.occupancy.warps: [48, 16]\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("sm.occupancy.warps=16") && Contains("threads_per_block is 1024"));
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_CASE("One point that cannot run does not keep the others from running") {
  const TemporaryFolder folder;
  // 4096 bins of 4 bytes, 32 times, are more than the 48 KiB of a thread block.
  const std::string file = folder.write("large.yaml",
                                        "gpu: gtx580\nworkload: histogram\n"
                                        "set: {args.bins: 4096, args.image: raccoon-small}\n"
                                        "sweep: {args.replication: [32, 1]}\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("lockstep: error: point args.replication=32: "));
  const Json json = parse_json(outcome.out);
  const Json& points = at(json, "points");
  REQUIRE(points.size() == 2);
  CHECK(value(points.front().second, "status") == "refused");
  CHECK(points.front().second.find("cycles") == points.front().second.not_found());
  CHECK(value(points.back().second, "status") == "done");
}

TEST_CASE("A point whose output is wrong is a result, and the exit code says so") {
  const TemporaryFolder folder;
  folder.write("zeros.raw", std::string(4 * 1024, '\0'));
  folder.write("adds.yaml",
               "buffers:\n"
               "  a: {random: 1024, min: 1, max: 2, seed: 1, type: f32}\n"
               "  c: {zero: 1024, type: f32}\n"
               "kernel: " +
                   source_dir() +
                   "/traces/kernels/vector_add.ptx\n"
                   "grid: 4\nblock: 256\nparameters: [a, a, c, 1024]\nexpect:\n  c: {file: zeros.raw}\n");
  const std::string file = folder.write("wrong.yaml", "gpu: gtx580\nworkload: adds.yaml\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("the output is not the expected one"));
  const Json json = parse_json(outcome.out);
  const Json& point = at(json, "points").front().second;
  CHECK(value(point, "status") == "failed");
  CHECK(value<std::uint64_t>(point, "cycles") > 0);
  CHECK(run({"run", file, "-o", folder / "out"}).code == 1);  // not taken over as if it were done
}

TEST_CASE("A replacement policy is a dimension of an experiment on several GPUs") {
  const TemporaryFolder folder;
  // 160 lines in 32 sets of four: a chase touches the five lines of a set in turn. The line that is needed next is the one
  // that was used, and filled, longest ago; the best possible policy keeps three of four.
  const std::string file = folder.write("replacement.yaml",
                                        "gpus: [gtx580, k80]\nworkload: micro-chase\n"
                                        "set: {args.length: 4096, args.footprint: 20 KiB, sm.l1.cache.bytes: 16 KiB}\n"
                                        "sweep: {sm.l1.cache.replacement: [lru, fifo, random]}\n"
                                        "table: [gpu, sm.l1.cache.replacement, cycles]\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::map<std::string, std::map<std::string, double>> hit_rates;
  const Json json = parse_json(outcome.out);
  for (const auto& [key, point] : at(json, "points"))
    hit_rates[value(point, "gpu")][value(at(point, "point"), "sm.l1.cache.replacement")] =
        value<double>(at(point, "derived"), "l1_cache_global_hit_rate");
  REQUIRE(hit_rates.size() == 2);
  for (auto& [gpu, of] : hit_rates) {
    INFO(gpu);
    REQUIRE(of.size() == 3);
    CHECK(of["lru"] == 0);
    CHECK(of["fifo"] == 0);
    CHECK((of["random"] > 0 && of["random"] <= 0.75));
  }
}

TEST_CASE("Two runs never write to the same folder at the same time") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_experiment("[500]", "[18]"));
  REQUIRE(run({"run", file, "-o", folder / "out"}).code == 0);
  const auto held = lockstep::experiment::Database::open(folder / "out/results.db", "vectors");
  const Outcome second = run({"run", file, "-o", folder / "out"});
  CHECK(second.code == 3);
  CHECK_THAT(second.err, Contains("another run is writing to this folder"));
}

TEST_CASE("A folder that cannot be made or a database that is none is told apart") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_experiment("[500]", "[18]"));
  CHECK(run({"run", file, "-o", "/proc/none"}).code == 3);
  std::filesystem::create_directories(folder / "out");
  folder.write("out/results.db", std::string(5000, 'x'));
  const Outcome outcome = run({"run", file, "-o", folder / "out"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("results.db"));
}

TEST_CASE("Results can be looked at while and after they are made") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_experiment("[500]", "[18, 20]"));
  REQUIRE(run({"run", file, "-o", folder / "out"}).code == 0);
  const Json info = parse_json(run({"info", folder / "out/results.db", "--json"}).out);
  CHECK(value(info, "kind") == "results");
  CHECK(value(info, "experiment") == "vectors");
  CHECK(at(info, "points").size() == 2);
  CHECK_THAT(run({"info", folder / "out"}).out, Contains("sm.floating.latency=20") && Contains("done"));
}

TEST_CASE("A point is compared with the fastest of its references, and a run takes that over") {
  const TemporaryFolder folder;
  const std::string file = folder.write("compared.yaml",
                                        "gpu: gtx480\nworkload:\n  workload: convolution\n"
                                        "  set: {args.image: raccoon-small, args.variant: tiled}\n"
                                        "  reference:\n"
                                        "    - {workload: convolution, set: {args.variant: [global, tiled], "
                                        "args.block_height: [1, 4]}}\n"
                                        "table: [cycles, reference.name, reference.cycles, derived.speedup]\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = parse_json(outcome.out);
  const Json& point = at(json, "points").front().second;
  const Json& reference = at(point, "reference");
  // Each variant is timed as if it were a point itself.
  const std::string alone = folder.write("alone.yaml",
                                         "gpu: gtx480\nworkload: convolution\nset: {args.image: raccoon-small}\n"
                                         "sweep: {args.variant: [global, tiled], args.block_height: [1, 4]}\n");
  const Json single = parse_json(run({"run", alone, "-o", folder / "alone", "--json"}).out);
  REQUIRE(at(reference, "variants").size() == 4);
  auto variant = at(reference, "variants").begin();
  auto least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [key, own] : at(single, "points")) {
    CHECK(value(variant->second, "cycles") == value(own, "cycles"));
    CHECK(value(variant->second, "name") == "convolution args.variant=" + value(at(own, "point"), "args.variant") +
                                                " args.block_height=" + value(at(own, "point"), "args.block_height"));
    least = std::min(least, value<std::uint64_t>(own, "cycles"));
    ++variant;
  }
  CHECK(value<std::uint64_t>(reference, "cycles") == least);
  CHECK(value<double>(at(point, "derived"), "speedup") ==
        Approx(static_cast<double>(least) / value<double>(point, "cycles")));

  const Outcome again = run({"run", file, "-o", folder / "out", "--json", "--resume"});
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Contains("1 of 1 points taken over"));
  CHECK(again.out == outcome.out);
  const Outcome changed = run({"run", file, "-o", folder / "out", "--resume", "-s", "memory.dram.latency=99"});
  CHECK(changed.code == 2);
  const Outcome effective = run({"run", folder / "out/effective.yaml", "-o", folder / "effective", "--quiet"});
  CHECK(effective.code == 0);
  CHECK(contents(folder / "effective/results.csv") == contents(folder / "out/results.csv"));
}

TEST_CASE("A reference whose output is wrong, or that cannot run, is an error of its point") {
  const TemporaryFolder folder;
  folder.write("zeros.raw", std::string(4 * 1024, '\0'));
  folder.write("adds.yaml",
               "buffers:\n"
               "  a: {random: 1024, min: 1, max: 2, seed: 1, type: f32}\n"
               "  c: {zero: 1024, type: f32}\n"
               "kernel: " +
                   source_dir() +
                   "/traces/kernels/vector_add.ptx\n"
                   "grid: 4\nblock: 256\nparameters: [a, a, c, 1024]\nexpect:\n  c: {file: zeros.raw}\n");
  const std::string start = "gpu: gtx580\nworkload: {workload: vector-add, set: {args.length: 100}, reference: ";
  const std::string wrong = folder.write("wrong.yaml", start + "[vector-add, adds.yaml]}\n");
  const Outcome failed = run({"run", wrong, "-o", folder / "wrong", "--json"});
  CHECK(failed.code == 1);
  CHECK_THAT(failed.err, Contains("reference adds: "));
  const Json json = parse_json(failed.out);
  const Json& point = at(json, "points").front().second;
  CHECK(value(point, "status") == "failed");
  CHECK(point.find("reference") == point.not_found());
  CHECK(at(point, "derived").find("speedup") == at(point, "derived").not_found());

  const std::string large =
      folder.write("large.yaml", start + "{workload: vector-add, set: {args.threads: [32, 5000]}}}\n");
  const Outcome refused = run({"run", large, "-o", folder / "large"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("reference vector-add args.threads=5000: "));
}

}  // namespace lockstep::experiment_test
