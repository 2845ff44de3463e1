// Executions shared by the points of an experiment.

#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/experiment/results/output.hpp"
#include "sim/experiment/runner.hpp"
#include "sim/experiment/running/measure.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::sweep_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

/// What a run of an experiment leaves.
struct Ran {
  std::uint64_t executions = 0;
  std::string csv;
  std::vector<PointResult> results;
};

Ran ran(const std::string& text, const trace::TraceLimits& traces = {plenty, 0}, unsigned jobs = 1) {
  const File file(text);
  const Experiment experiment = load_experiment(file.path());
  const std::vector<Point> points = expand(experiment);
  const test::TemporaryFolder folder;
  RunOptions options;
  options.folder = folder.path();
  options.jobs = jobs;
  options.traces = traces;
  RunOutcome outcome = run(experiment, points, options);
  return {outcome.executions, results_csv(experiment, points, outcome), std::move(outcome.results)};
}

const std::string vectors =
    "gpus: [gtx580, gtx480]\nworkload: vector-add\nset: {args.blocks: 4}\n"
    "sweep: {args.length: [100, 5000], sm.floating.latency: [18, 36]}\n";

const std::string tiled =
    "set: {args.variant: tiled, args.tile: 16, args.width: 64, args.height: 64, args.block_rows: 16}\n";

}  // namespace

TEST_CASE("Points with the same workload and arguments share one execution, on every GPU") {
  const Ran shared = ran(vectors);
  CHECK(shared.results.size() == 8);
  CHECK(shared.executions == 2);  // A length each.
  for (const PointResult& result : shared.results) {
    CHECK(result.status == Status::done);
    CHECK(result.checked);
  }
}

TEST_CASE("Results are the same bytes whether traces are kept in memory, on disk, in part or not at all") {
  const std::string csv = ran(vectors).csv;
  const Ran on_disk = ran(vectors, {0, plenty});
  CHECK(on_disk.executions == 2);
  CHECK(on_disk.csv == csv);
  const Ran live = ran(vectors, {0, 0});
  CHECK(live.executions == 8);
  CHECK(live.csv == csv);
  const Ran too_small = ran(vectors, {1, 1});  // The attempts count as executions.
  CHECK(too_small.executions == 10);
  CHECK(too_small.csv == csv);
  for (const unsigned jobs : {2U, 4U}) {
    const Ran several = ran(vectors, {plenty, 0}, jobs);
    CHECK(several.executions == 2);
    CHECK(several.csv == csv);
    CHECK(ran(vectors, {0, 0}, jobs).csv == csv);
  }
}

TEST_CASE("A hash is searched on the same execution that is replayed") {
  const std::string text = "gpu: gtx480\nworkload: transpose\n" + tiled +
                           "hashes: {none: mod, best: {family: bits-xor, method: mih}}\n"
                           "sweep: {sm.scratchpad.bank_hash: [mod, hashes.none, hashes.best]}\n";
  const Ran shared = ran(text);
  CHECK(shared.executions == 1);
  CHECK(shared.csv == ran(text, {0, 0}).csv);
  const Ran trained = ran("gpu: gtx480\nworkload: transpose\n" + tiled +
                          "hashes: {other: {family: bits-xor, method: mih, train: {args.tile: 32}}}\n"
                          "sweep: {sm.scratchpad.bank_hash: [mod, hashes.other], sms: [14, 15]}\n");
  CHECK(trained.executions == 2);
}

TEST_CASE("A hash in software is part of what is executed; the same one on two GPUs is executed once") {
  const std::string text = "gpus: [gtx480, gtx580]\nworkload: transpose\n" + tiled +
                           "hashes: {best: {family: bits-xor, method: mih}}\n"
                           "sweep: {args.software_hash: [mod, hashes.best]}\n";
  for (const unsigned jobs : {1U, 2U, 4U}) {
    const Ran shared = ran(text, {plenty, 0}, jobs);
    REQUIRE(shared.results.size() == 4);
    REQUIRE(shared.results[1].hashes.size() == 1);
    CHECK(shared.results[1].hashes[0].spec == shared.results[3].hashes[0].spec);
    CHECK(shared.executions == 2);  // Without a hash, and with it.
    CHECK(shared.results[1].warp_instructions > shared.results[0].warp_instructions);
    CHECK(shared.csv == ran(text, {0, 0}).csv);
  }
  // 16 banks need another hash than 32: nothing to share but the execution without one.
  const Ran banks = ran("gpus: [gtx480, gtx280]\nworkload: transpose\n" + tiled +
                        "hashes: {best: {family: bits-xor, method: mih}}\n"
                        "sweep: {args.software_hash: [mod, hashes.best]}\n");
  CHECK(banks.executions == 3);
}

TEST_CASE("A run that several points are compared with is run once") {
  const std::string text =
      "gpu: gtx580\nworkload: {workload: vector-add, reference: {workload: transpose, set: {args.width: 64, "
      "args.height: 64}}}\nsweep: {args.length: [100, 200, 300]}\n";
  const Ran compared = ran(text);
  CHECK(compared.executions == 4);
  REQUIRE(compared.results.size() == 3);
  for (const PointResult& result : compared.results) {
    REQUIRE(result.references.size() == 1);
    CHECK(result.references[0].cycles == compared.results[0].references[0].cycles);
  }
  CHECK(compared.csv == ran(text, {0, 0}, 4).csv);
}

TEST_CASE("Every point that shares a wrong or impossible execution says so itself") {
  const std::string beyond = "gpus: [gtx580, gtx480]\nworkload: transpose\nset: {args.tile: 16, args.block_rows: 32}\n";
  const Ran kept = ran(beyond), live = ran(beyond, {0, 0});
  REQUIRE(kept.results.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(kept.results[i].status == Status::refused);
    CHECK_FALSE(kept.results[i].message.empty());
    CHECK(kept.results[i].message == live.results[i].message);
  }
  CHECK(kept.csv == live.csv);
}

TEST_CASE("Graphs in R-GPU mode are executed for every point, since no trace holds them") {
  const File file("gpu: gtx480-rgpu\nworkload: " + source_dir() +
                  "/configs/rgpu/histogram.yaml\nsweep: {memory.dram.latency: [100, 200]}\n");
  const std::vector<Point> points = expand(load_experiment(file.path()));
  Executions executions({plenty, 0});
  for (const Point& point : points) {
    const Task task = executions.task(point, point.arguments);
    executions.expect(task);
    CHECK_FALSE(executions.shared(task));
  }
  CHECK(executions.execution(executions.task(points[0], points[0].arguments)) == nullptr);
}

TEST_CASE("The fabric that a workload is made for, and its arguments, tell executions apart") {
  const auto key = [](const std::string& text) {
    const File file("workload: vector-add\n" + text);
    const Point point = expand(load_experiment(file.path()))[0];
    Executions executions({});
    return executions.task(point, point.arguments).key;
  };
  const std::string plain = key("gpu: gtx580\n");
  CHECK(key("gpu: k20\n") == plain);
  CHECK(key("gpu: gtx580\nset: {sm.scratchpad.bank_hash: xor}\n") == plain);
  CHECK(key("gpu: gtx580\nset: {args.software_hash: mod}\n") == plain);  // As if it were left out.
  CHECK(key("gpu: gtx580\nset: {args.software_hash: xor}\n") != plain);
  CHECK(key("gpu: gtx580\nset: {args.length: 3}\n") != plain);
  CHECK(key("gpu: gtx480-rgpu\n") != plain);
}

TEST_CASE("An execution is dropped after its last use") {
  const File file("gpu: gtx580\nworkload: vector-add\n");
  const Point point = expand(load_experiment(file.path()))[0];
  Executions executions({plenty, 0});
  const Task task = executions.task(point, point.arguments);
  executions.expect(task);
  CHECK_FALSE(executions.shared(task));  // One use: live.
  executions.expect(task);
  CHECK(executions.shared(task));
  std::weak_ptr<const Execution> execution = executions.execution(task);
  CHECK_FALSE(execution.expired());
  executions.done(task);
  CHECK(executions.execution(task) == execution.lock());
  executions.done(task);
  CHECK(execution.expired());
  CHECK(executions.executed() == 1);
  CHECK_THROWS_AS(executions.done(task), Bug);
}

}  // namespace lockstep::sweep_test
