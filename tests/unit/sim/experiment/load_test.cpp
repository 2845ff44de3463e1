#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/experiment/experiment.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::load_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;
using test::mistake;

TEST_CASE("Every combination is a point, the last axis fastest, GPUs and workloads first") {
  const File file(
      "gpus: [gtx580, {extends: x, name: Small, sms: 2}]\n"
      "workload: vector-add\n"
      "set: {args.blocks: 8, sm.schedulers: 1}\n"
      "sweep:\n  args.length: [10, 20]\n  memory.dram.latency: [100, 200, 300]\n");
  // `extends` belongs to files; inside one it is an unknown parameter.
  CHECK_THROWS_WITH(expand(load_experiment(file.path())), Contains("unknown parameter 'extends'"));
  const File good(
      "gpus: [gtx580, {name: Small, sms: 2}]\n"
      "workload: vector-add\n"
      "set: {args.blocks: 8, sm.schedulers: 1}\n"
      "sweep:\n  args.length: [10, 20]\n  memory.dram.latency: [100, 200, 300]\n");
  const auto points = expand(load_experiment(good.path()));
  REQUIRE(points.size() == 12);
  CHECK(points[0].label() == "gpu=GTX 580 args.length=10 memory.dram.latency=100");
  CHECK(points[1].label() == "gpu=GTX 580 args.length=10 memory.dram.latency=200");
  CHECK(points[3].label() == "gpu=GTX 580 args.length=20 memory.dram.latency=100");
  CHECK(points[11].label() == "gpu=Small args.length=20 memory.dram.latency=300");
  CHECK(points[0].gpu.sms == 16);
  CHECK(points[11].gpu.sms == 2);
  CHECK(points[11].gpu.memory.dram.latency == 300);
  std::set<std::string> labels;
  for (const Point& point : points) {
    CHECK(labels.insert(point.label()).second);
    CHECK(point.gpu.sm.schedulers == 1);
    CHECK(point.arguments.size() == 2);
  }
}

TEST_CASE("An override on the command line beats the file, and narrows a swept path") {
  const File file(
      "gpu: gtx580\nworkload: vector-add\nset: {args.blocks: 8}\nsweep: {args.length: [10, 20], sms: [1, 2]}\n");
  const auto experiment =
      load_experiment(file.path(), {config::parse_override("args.blocks=4"), config::parse_override("sms=3"),
                                    config::parse_override("memory.dram.latency=99")});
  const auto points = expand(experiment);
  REQUIRE(points.size() == 2);
  CHECK(points[1].label() == "args.length=20 sms=3");
  CHECK(points[1].gpu.sms == 3);
  CHECK(points[1].gpu.memory.dram.latency == 99);
  const workload::ArgumentOverrides expected = {{"blocks", "4"}, {"length", "20"}};
  CHECK(points[1].arguments == expected);
  CHECK_THROWS_WITH(load_experiment(file.path(), {config::parse_override("args.blokcs=4")}),
                    Contains("-s args.blokcs=4: ") && Contains("did you mean 'args.blocks'?"));
}

TEST_CASE("The effective configuration has the same points and is its own effective configuration") {
  const File file(
      "title: 'odd: \"title\" # x'\ntext: |\n  two\n  lines\n"
      "gpus: [gtx580, {name: 'Small: 2', sms: 2}]\nworkload: histogram\n"
      "set: {args.bins: '64', sm.scratchpad.banks: 16}\n"
      "sweep: {args.layout: [bin-major, hist-major], memory.dram.bytes_per_dram_cycle: [1.5, 2]}\n"
      "baseline: {gpu: GTX 580, args.layout: hist-major}\n"
      "table: [gpu, {column: cycles, header: 'c: 1', decimals: 2}, {column: derived.occupancy, percent: true}]\n");
  const Experiment experiment = load_experiment(file.path());
  const std::string yaml = effective_yaml(experiment);
  INFO(yaml);
  const File again(yaml);
  const Experiment second = load_experiment(again.path());
  CHECK(effective_yaml(second) == yaml);
  CHECK(second.text == "two\nlines\n");
  const auto points = expand(experiment), same = expand(second);
  REQUIRE(points.size() == 8);
  REQUIRE(same.size() == points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i].label() == same[i].label());
    CHECK(points[i].arguments == same[i].arguments);
    CHECK(config::effective_yaml(points[i].gpu) == config::effective_yaml(same[i].gpu));
  }
  REQUIRE(second.columns.size() == 3);
  CHECK(second.columns[1].header == "c: 1");
  CHECK(second.columns[1].decimals == 2);
  CHECK(second.columns[2].unit == "%");
}

TEST_CASE("A table whose columns show no swept path begins with all of them") {
  const auto headers = [](const std::string& table) {
    const File file(
        "gpu: gtx580\nworkload: histogram\nset: {args.bins: 64}\n"
        "sweep: {args.layout: [bin-major, hist-major], sm.scratchpad.banks: [16, 32]}\ntable: " +
        table + "\n");
    std::vector<std::string> names;
    for (const TableColumn& column : load_experiment(file.path()).columns) names.push_back(column.header);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(headers("[cycles, derived.ipc]") == Names{"args.layout", "sm.scratchpad.banks", "cycles", "derived.ipc"});
  CHECK(headers("[args.layout, cycles]") == Names{"args.layout", "cycles"});
}

TEST_CASE("What an experiment lacks or has twice is said") {
  CHECK_THAT(mistake("workload: vector-add\n"), Contains("there is no 'gpu'"));
  CHECK_THAT(mistake("gpu: gtx580\n"), Contains("there is no 'workload'"));
  CHECK_THAT(mistake("gpu: gtx580\ngpus: [gtx580]\nworkload: vector-add\n"), Contains("not both"));
  CHECK_THAT(mistake("gpus: [gtx580, GTX580]\nworkload: vector-add\n"), Contains("two GPUs are named 'GTX 580'"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nset: {sms: 1}\nsweep: {sms: [1, 2]}\n"),
             Contains("sms is both set and swept"));
  CHECK_THAT(mistake("name: a/b\ngpu: gtx580\nworkload: vector-add\n"), Contains(":1:7: an experiment's name"));
  CHECK_THAT(mistake("[1, 2]\n"), Contains("an experiment is a map"));
  CHECK_THAT(mistake(""), Contains("an experiment is a map"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nsweep: [sms]\n"), Contains("'sweep' is a map"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nsweep: {sms: [1, 0]}\n"),
             Contains(":3:18: sms is 0, but must be 1 to 1024"));
  CHECK(mistake("gpu: gtx580\nworkload: vector-add\n").empty());
}

TEST_CASE("Every committed experiment expands", "[long]") {
  const File file("");
  for (const std::string& name : config::list_named_files(experiment_folder)) {
    INFO(name);
    CHECK_FALSE(expand(load_experiment(name)).empty());
  }
}

TEST_CASE("A GPU's file beside the experiment is named with its ending, and an error says so") {
  const test::TemporaryFolder folder;
  folder.write("mine.yaml", "extends: gtx580\nname: Mine\nsms: 2\n");
  const std::string with = folder.write("with.yaml", "gpu: mine.yaml\nworkload: vector-add\n");
  CHECK(load_experiment(with).gpus[0].name() == "Mine");
  const std::string without = folder.write("without.yaml", "gpu: mine\nworkload: vector-add\n");
  CHECK_THROWS_WITH(load_experiment(without),
                    Contains("without.yaml:1:6: ") && Contains("beside this file stands mine.yaml"));
}

TEST_CASE("An experiment in a subfolder is found by its name alone") {
  const test::TemporaryFolder home;
  home.write("traces/workloads/kept.yaml", "");
  const std::string path =
      home.write("configs/experiments/some/deep.yaml",
                 "gpu: {name: Small, sms: 2}\nworkload: " + source_dir() + "/traces/workloads/vector-add.yaml\n");
  setenv("LOCKSTEP_HOME", home.path().c_str(), 1);
  CHECK(load_experiment("deep").file == path);
  CHECK_THROWS_WITH(load_experiment("deap"), Contains("did you mean 'deep'?"));
  home.write("configs/experiments/deep.yaml", "");
  CHECK_THROWS_WITH(load_experiment("deep"), Contains("two files are named 'deep'"));
  unsetenv("LOCKSTEP_HOME");
}

}  // namespace lockstep::load_test
