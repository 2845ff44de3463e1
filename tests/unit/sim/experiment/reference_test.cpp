#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/experiment/running/measure.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/sim/experiment/file.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::reference_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;
using test::mistake;

namespace {

const std::string compared =
    "gpu: gtx580\nset: {args.length: 700}\nworkloads:\n"
    "  - workload: vector-add\n"
    "    name: ADD\n"
    "    set: {args.blocks: 8}\n"
    "    reference:\n"
    "      - {workload: vector-add, gpu: gtx480, set: {args.threads: [32, 64], args.blocks: [1, 2, 4]}}\n"
    "      - {workload: transpose, set: {sms: 2}}\n"
    "  - transpose\n";

ReferenceResult run_of(const std::string& name, std::uint64_t cycles, double time_ms) {
  ReferenceResult one{name, "a GPU", cycles, 5, time_ms, {}};
  for (std::size_t i = 0; i < stats::derived_statistics().size(); ++i)
    one.derived.push_back(i == 0 ? std::optional(time_ms / 4) : std::nullopt);
  return one;
}

PointResult done_in(double time_ms) {
  PointResult result;
  result.status = Status::done;
  result.time_ms = time_ms;
  result.statistics.resize(stats::statistics().size());
  result.derived.resize(stats::derived_statistics().size());
  return result;
}

}  // namespace

TEST_CASE("A reference runs every combination of its settings, on its own GPU or the point's") {
  const File file(compared);
  const auto points = expand(load_experiment(file.path()));
  REQUIRE(points.size() == 2);
  CHECK(points[1].references.empty());
  const std::vector<Point>& runs = points[0].references;
  REQUIRE(runs.size() == 7);
  CHECK(reference_name(runs[0]) == "vector-add args.threads=32 args.blocks=1");
  CHECK(reference_name(runs[1]) == "vector-add args.threads=32 args.blocks=2");
  CHECK(reference_name(runs[3]) == "vector-add args.threads=64 args.blocks=1");
  CHECK(reference_name(runs[6]) == "transpose sms=2");
  CHECK(points[0].gpu.name == "GTX 580");
  for (std::size_t i = 0; i < 6; ++i) CHECK(runs[i].gpu.name == "GTX 480");
  CHECK(runs[6].gpu.name == "GTX 580");
  CHECK(runs[6].gpu.sms == 2);
}

TEST_CASE("A reference has the point's settings as far as its workload knows them, then its own") {
  const File file(compared);
  const auto points = expand(load_experiment(file.path(), {config::parse_override("sm.schedulers=1")}));
  const workload::ArgumentOverrides own = {{"length", "700"}, {"threads", "64"}, {"blocks", "4"}}, none;
  CHECK(points[0].references[5].arguments == own);
  CHECK(points[0].references[6].arguments == none);  // A transposition has neither length nor blocks.
  for (const Point& run : points[0].references) CHECK(run.gpu.sm.schedulers == 1);
  CHECK(points[0].gpu.sms == 16);
}

TEST_CASE("The effective configuration keeps what points are compared with") {
  const File file(compared);
  const Experiment experiment = load_experiment(file.path(), {config::parse_override("memory.dram.latency=77")});
  const std::string yaml = effective_yaml(experiment);
  INFO(yaml);
  const File again(yaml);
  const Experiment second = load_experiment(again.path());
  CHECK(effective_yaml(second) == yaml);
  const auto points = expand(experiment), same = expand(second);
  REQUIRE(same.size() == 2);
  REQUIRE(same[0].references.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    const Point &one = points[0].references[i], &other = same[0].references[i];
    CHECK(reference_name(one) == reference_name(other));
    CHECK(one.arguments == other.arguments);
    CHECK(one.gpu.memory.dram.latency == 77);
    CHECK(config::effective_yaml(one.gpu) == config::effective_yaml(other.gpu));
  }
  CHECK(point_digest(points[0]) == point_digest(same[0]));
}

TEST_CASE("The fastest reference counts, by time and not by cycles, the first of equal ones") {
  Experiment experiment;
  std::vector<Point> points(2);
  PointResult with = done_in(2), without = done_in(2);
  with.references = {run_of("slow", 100, 9), run_of("first", 900, 6), run_of("second", 300, 6)};
  const auto found = gains(experiment, points, {with, without});
  CHECK(found[0].speedup == 3.0);
  CHECK_FALSE(found[0].conflicts_removed.has_value());
  CHECK_FALSE(found[1].speedup.has_value());
  const auto shown = [&](const std::string& name, const PointResult& result) {
    return TableColumn(column(name)).cell(row_of(points[0], result));
  };
  const auto number = [&](const std::string& name) { return column(name).number(row_of(points[0], with)); };
  CHECK(shown("reference.name", with) == "first");
  CHECK(shown("reference.gpu", with) == "a GPU");
  CHECK(shown("reference.cycles", with) == "900");
  CHECK(shown("reference.time_ms", with) == "6.000");
  CHECK(shown("reference.derived.ipc", with) == "1.500");
  CHECK(shown("reference.derived.occupancy", with) == "-");
  CHECK(number("reference.cycles") == 900.0);
  CHECK(number("reference.derived.ipc") == 1.5);
  CHECK_FALSE(number("reference.name").has_value());
  for (const Column& one : columns())
    if (one.group == Column::Group::reference) CHECK(shown(one.name, without) == "-");
  with.references[0].time_ms = 5;
  CHECK(gains(experiment, points, {with, without})[0].speedup == 2.5);
  with.status = Status::refused;
  CHECK_FALSE(gains(experiment, points, {with, without})[0].speedup.has_value());
}

TEST_CASE("References are stored with their point and shown in JSON and CSV") {
  const test::TemporaryFolder folder;
  PointResult result = done_in(2);
  result.references = {run_of("a, b", 100, 9), run_of("c", 900, 6.25)};
  {
    Database database = Database::open(folder / "results.db", "e");
    database.store({"", result});
    const auto stored = database.find("");
    REQUIRE(stored.has_value());
    REQUIRE(stored->result.references.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      const ReferenceResult &before = result.references[i], &after = stored->result.references[i];
      CHECK(after.name == before.name);
      CHECK(after.gpu == before.gpu);
      CHECK(after.cycles == before.cycles);
      CHECK(after.warp_instructions == before.warp_instructions);
      CHECK(after.time_ms == before.time_ms);
      CHECK(after.derived == before.derived);
    }
    result.references.pop_back();
    database.store({"", result});
    CHECK(database.find("")->result.references.size() == 1);
  }

  std::vector<Point> points(1);
  points[0].references.resize(1);
  RunOutcome outcome;
  outcome.results = {result};
  const std::string csv = results_csv({}, points, outcome);
  CHECK_THAT(csv, Contains(",reference.name,reference.gpu,reference.cycles,reference.time_ms\n"));
  CHECK_THAT(csv, Catch::EndsWith(",\"a, b\",a GPU,100,9\n"));
  const std::string json = results_json({}, points, outcome);
  CHECK_THAT(json, Contains("\"speedup\": 4.5") && Contains("\"name\": \"a, b\""));
}

TEST_CASE("A point's digest covers what it is compared with") {
  const auto digest = [](const std::string& reference) {
    const File file("gpu: gtx580\nworkload: {workload: vector-add, reference: " + reference + "}\n");
    return point_digest(expand(load_experiment(file.path()))[0]);
  };
  const std::string one = digest("{workload: vector-add, set: {args.blocks: 2}}");
  CHECK(one.size() == 40);
  CHECK(one == digest("[{workload: vector-add, set: {args.blocks: 2}}]"));
  CHECK(one != digest("{workload: vector-add, set: {args.blocks: 3}}"));
  CHECK(one != digest("{workload: vector-add, gpu: gtx480, set: {args.blocks: 2}}"));
  CHECK(one != digest("{workload: vector-add, set: {args.blocks: [2, 3]}}"));
}

TEST_CASE("What is wrong with a reference is said with its place") {
  const std::string start = "gpu: gtx580\nworkload:\n  workload: vector-add\n  reference: ";
  CHECK(mistake(start + "vector-add\n").empty());
  CHECK_THAT(mistake(start + "vector-ad\n"), Contains(":4:14: ") && Contains("did you mean 'vector-add'?"));
  CHECK_THAT(mistake(start + "{gpu: gtx480}\n"), Contains(":4:14: there is no 'workload'"));
  CHECK_THAT(mistake(start + "{workload: vector-add, sets: {}}\n"), Contains("unknown key 'sets'"));
  CHECK_THAT(mistake(start + "{workload: vector-add, gpu: gtx48}\n"), Contains(":4:42: "));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: {args.block: 1}}\n"),
             Contains(":4:43: 'args.block' is not a GPU parameter or argument of the workload vector-add; did you mean "
                      "'args.blocks'?"));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: {args.blocks: []}}\n"),
             Contains("args.blocks has no values"));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: {args.blocks: [1, 2, 1]}}\n"),
             Contains(":4:63: the value '1' appears twice"));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: {args.blocks: {a: 1}}}\n"), Contains("needs a single value"));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: [1]}\n"), Contains("'set' is a map"));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: {sm.scratchpad.bank_hash: hashes.a}}\n"),
             Contains("a reference takes no named hash"));
  CHECK_THAT(mistake(start + "[]\n"), Contains("has no workloads to compare with"));
  CHECK_THAT(mistake(start + "[vector-add, vector-add]\n"), Contains("two references") && Contains("vector-add"));
  CHECK_THAT(mistake(start + "{workload: vector-add, set: {sms: 0}}\n"), Contains("sms is 0, but must be 1 to 1024"));
  CHECK_THAT(mistake(start + "vector-add\nsweep: {sms: [1, 2]}\nbaseline: {sms: 1}\n"),
             Contains(":6:11: derived.speedup compares with one thing: a workload has a 'reference' already ("));
  CHECK_THAT(
      mistake(start + "[{workload: vector-add, gpu: {name: A, sms: 1}}, {workload: vector-add, gpu: {name: A}}]\n"),
      Contains("two GPUs are named 'A'"));
}

TEST_CASE("A point's digest covers the kernel that makes its expected output") {
  const test::TemporaryFolder folder;
  std::ifstream source(source_dir() + "/traces/references/sums.ptx", std::ios::binary);
  const std::string ptx{std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>()};
  folder.write("sums.ptx", ptx);
  folder.write("base.yaml", "kernel: " + source_dir() +
                                "/traces/references/sums.ptx\nentry: row_sums\nbuffers: {x: {iota: 8}, y: {zero: 8}}\n"
                                "grid: 1\nblock: 8\nparameters: [x, y, 8, 1]\nexpect:\n  y:\n    kernel: sums.ptx\n"
                                "    entry: row_sums\n    grid: 1\n    block: 8\n    parameters: [x, y, 8, 1]\n");
  folder.write("w.yaml", "extends: base.yaml\n");
  const std::string experiment = folder.write("e.yaml", "gpu: gtx580\nworkload: w.yaml\n");
  const auto digest = [&] { return point_digest(expand(load_experiment(experiment))[0]); };
  const std::string before = digest();
  CHECK(before.size() == 40);
  CHECK(before == digest());
  folder.write("sums.ptx", ptx + "// another\n");
  const std::string other_kernel = digest();
  CHECK(other_kernel != before);
  // So does what the descriptor extends: here, a tolerance.
  folder.write("base.yaml", "extends: second.yaml\n");
  folder.write("second.yaml",
               "kernel: sums.ptx\nentry: row_sums\nbuffers: {x: {iota: 8}, y: {zero: 8}}\ngrid: 1\n"
               "block: 8\nparameters: [x, y, 8, 1]\nexpect: {y: {each: i, absolute: 1}}\n");
  const std::string tolerant = digest();
  folder.write("second.yaml",
               "kernel: sums.ptx\nentry: row_sums\nbuffers: {x: {iota: 8}, y: {zero: 8}}\ngrid: 1\n"
               "block: 8\nparameters: [x, y, 8, 1]\nexpect: {y: {each: i, absolute: 2}}\n");
  CHECK(tolerant.size() == 40);
  CHECK(tolerant != digest());
}

}  // namespace lockstep::reference_test
