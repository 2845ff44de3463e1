// The benchmarks on the functional machine against their references: at the sizes they have by themselves, and at the
// edges of what their arguments allow.
#include <catch2/catch.hpp>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::benchmark_kernels_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

CheckResult execute(const std::string& path_or_name, const ArgumentOverrides& overrides) {
  const Workload workload = Workload::load(path_or_name);
  exec::Machine machine(workload.build(overrides));
  machine.finish();
  return workload.check(overrides, machine);
}

void run(const std::string& name, const ArgumentOverrides& overrides = {}) {
  std::string shown = name;
  for (const auto& [argument, value] : overrides) shown += " " + argument + "=" + value;
  CAPTURE(shown);
  const CheckResult result = execute(name, overrides);
  CHECK(result.checked);
  CHECK(result.message == "");
  CHECK(result.passed);
}

}  // namespace

TEST_CASE("every benchmark leaves what its reference says", "[long]") {
  for (const char* name : {"LUD_1", "LUD_2", "matrix_scan", "MRI-grid_1", "MRI-grid_2", "MRI-grid_3", "MRI-grid_4",
                           "NW_1", "NW_2", "reduction", "back_propagation", "srad", "hotspot", "hough"}) {
    run(name);
  }
  run("transpose", {{"variant", "tiled"}, {"tile", "16"}, {"block_rows", "16"}});
}

TEST_CASE("the LU decomposition is whole when all its kernels take turns") {
  run("LUD", {{"size", "32"}});
  run("LUD", {{"size", "112"}, {"seed", "7"}});
  run("LUD_1", {{"tiles", "1"}});
  run("LUD_2", {{"size", "32"}});
  CHECK_THROWS_WITH(run("LUD", {{"size", "40"}}), Contains("whole tiles"));
}

TEST_CASE("scans and sums are right with padding, with few threads, and with a last block that is not full") {
  for (const char* padding : {"0", "1"}) {
    for (const char* threads : {"1", "33", "256"}) {
      run("matrix_scan", {{"padding", padding}, {"threads", threads}, {"rows", "3"}});
    }
    for (const char* threads : {"32", "512"}) {
      for (const char* length : {"1", "1023", "3000"}) {
        run("MRI-grid_1", {{"padding", padding}, {"threads", threads}, {"length", length}});
      }
    }
    run("MRI-grid_2", {{"padding", padding}, {"length", "32768"}});
    run("MRI-grid_3", {{"padding", padding}, {"length", "32768"}});
  }
  for (const char* addressing : {"interleaved", "sequential"}) {
    for (const char* threads : {"32", "256", "1024"}) {
      run("reduction", {{"addressing", addressing}, {"threads", threads}, {"length", "2500"}});
    }
  }
}

TEST_CASE("keys go to their places, whichever digit and however few blocks") {
  for (const char* shift : {"0", "12", "24"}) {
    for (const char* seed : {"1", "5"}) run("MRI-grid_4", {{"shift", shift}, {"seed", seed}, {"blocks", "3"}});
  }
  run("MRI-grid_4", {{"blocks", "1"}});
}

TEST_CASE("both halves of the alignment make a whole one") {
  for (const char* tiles : {"2", "5"}) {
    run("NW_1", {{"tiles", tiles}});
    run("NW_2", {{"tiles", tiles}, {"penalty", "0"}});
  }
  const test::TemporaryFolder folder;
  const std::string home = source_dir();
  const std::string whole =
      folder.write("whole.yaml", "extends: " + home + "/traces/workloads/bank_conflicts/NW_1.yaml\n" + R"(
launches:
  - repeat: tiles
    entry: nw_upper_left
    grid: iteration + 1
    parameters: [similarity, scores, width, penalty]
  - repeat: tiles - 1
    entry: nw_lower_right
    grid: tiles - 1 - iteration
    parameters: [similarity, scores, width, penalty, tiles]
let: {last_diagonal: 2 * tiles - 2}
)");
  const CheckResult result = execute(whole, {{"tiles", "4"}});
  CHECK(result.checked);
  CHECK(result.message == "");
}

TEST_CASE("stencils are right at the edges and over several launches") {
  run("srad", {{"size", "16"}});
  run("srad", {{"size", "48"}, {"steps", "2"}, {"lambda", "1"}});
  run("srad", {{"size", "32"}, {"steps", "3"}, {"speckle", "0.5"}});
  for (const char* steps : {"1", "2", "7"}) {
    for (const char* size : {"1", "16", "37"}) run("hotspot", {{"size", size}, {"steps", steps}, {"launches", "3"}});
  }
  run("hotspot", {{"size", "20"}, {"launches", "2"}});
}

TEST_CASE("a layer of any number of whole groups is right, forward and backward") {
  run("back_propagation", {{"inputs", "16"}});
  run("back_propagation", {{"inputs", "208"}, {"rate", "0.9"}, {"momentum", "0"}});
}

TEST_CASE("lines get their votes in every layout, and with no points at all") {
  const ArgumentOverrides small{
      {"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}, {"angles", "7"}, {"bins", "212"}};
  for (const char* layout : {"line-major", "line-major-padded", "bin-major"}) {
    for (const char* replication : {"1", "5", "32"}) {
      for (const char* threads : {"33", "256"}) {
        ArgumentOverrides overrides = small;
        overrides.insert(overrides.end(), {{"layout", layout}, {"replication", replication}, {"threads", threads}});
        run("hough", overrides);
      }
    }
  }
  ArgumentOverrides narrow = small;  // Most points have no bin.
  narrow.back().second = "100";
  run("hough", narrow);
  ArgumentOverrides dark = small;
  dark.emplace_back("threshold", "32760");
  run("hough", dark);
}

TEST_CASE("tiles of 16x16 transpose every shape of matrix") {
  for (const char* variant : {"naive", "tiled", "padded"}) {
    for (const auto& [width, height] : {std::pair{"1", "1"}, std::pair{"17", "40"}, std::pair{"64", "16"}}) {
      for (const char* rows : {"4", "16"}) {
        run("transpose",
            {{"variant", variant}, {"tile", "16"}, {"width", width}, {"height", height}, {"block_rows", rows}});
      }
    }
  }
  CHECK_THROWS_WITH(run("transpose", {{"tile", "16"}, {"block_rows", "17"}}), Contains("as many rows as a tile"));
}

}  // namespace lockstep::benchmark_kernels_test
