// Tables that take their numbers from a file of measurements.

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "sim/measurements/measurements.hpp"
#include "sim/validate/suite.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::measured_rows_test {

using Catch::Matchers::Contains;

namespace {

const std::string rows =
    "workload,settings,clock_first_thread,us_min\n"
    "micro-barrier,warps=1 length=256,3627,5\n"
    "micro-barrier,warps=2 length=256,4139,6\n"
    "micro-barrier,length=512,7211,5\n"
    "micro-launch,blocks=1,,7\n";

const std::string head = "title: t\nsource: s\nplace: p\ngrade: A\nmethod: m\nmeasurements: m.csv\nset: {gpu: h200}\n";

/// A suite of tables (or other keys) beside the rows.
validate::Suite suite_of(const std::string& keys) {
  const test::TemporaryFolder folder;
  folder.write("m.csv", rows);
  return validate::load_suite(folder.write("tiny.yaml", head + keys));
}

std::string mistakes(const std::string& keys) {
  try {
    suite_of(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

std::string table(const std::string& name, const std::string& measured) {
  return "  - {name: " + name + ", unit: cycles, value: clock_first_warp, measured: {" + measured + "}}\n";
}

const std::string barriers = "column: clock_first_thread, workload: micro-barrier";

}  // namespace

TEST_CASE("A table takes the rows of its workload, named by what they set") {
  const validate::Suite suite = suite_of("tables:\n" + table("all", barriers));
  const validate::Table& all = suite.tables.at(0);
  REQUIRE(all.cells.size() == 3);
  CHECK(all.cell_name(all.cells[0]) == "all warps=1 length=256");
  CHECK(all.cell_name(all.cells[1]) == "all warps=2 length=256");
  CHECK(all.cell_name(all.cells[2]) == "all length=512");
  CHECK(all.cells[1].measured == 4139);
  CHECK(all.cells[1].where.line == 3);
}

TEST_CASE("A table that names no workload takes the rows of all, named by workload and what they set") {
  const test::TemporaryFolder folder;
  folder.write("m.csv",
               "workload,settings,clock_first_thread\nmicro-barrier,length=64,9\nmicro-launch,,7\nmicro-barrier,,8\n");
  const validate::Suite suite =
      validate::load_suite(folder.write("tiny.yaml", head + "tables:\n" + table("all", "column: clock_first_thread")));
  const validate::Table& all = suite.tables.at(0);
  REQUIRE(all.cells.size() == 3);
  CHECK(all.cell_name(all.cells[0]) == "all micro-barrier length=64");
  CHECK(all.cell_name(all.cells[1]) == "all micro-barrier");
  CHECK(all.cell_name(all.cells[2]) == "all micro-launch");
  CHECK(all.cells[2].measured == 7);
}

TEST_CASE("What was measured twice is compared twice") {
  const std::string twice =
      "workload,settings,clock_first_thread\nmicro-barrier,length=64,9\nmicro-barrier,warps=1 length=64,8\n";
  const test::TemporaryFolder folder;
  folder.write("m.csv", twice);
  const validate::Suite again = validate::load_suite(
      folder.write("tiny.yaml", head + "tables:\n" + table("a", barriers + ", args: {warps: 1, length: 64}")));
  REQUIRE(again.tables.at(0).cells.size() == 2);
  CHECK(again.tables.at(0).cell_name(again.tables.at(0).cells[1]) == "a again");
  CHECK(again.tables.at(0).cells[1].measured == 8);
}

TEST_CASE("A row goes to the first table that has it, once for each column") {
  // The last row has the default, one warp.
  const validate::Suite suite =
      suite_of("tables:\n" + table("one", barriers + ", args: {warps: [1, 4]}") + table("rest", barriers) +
               table("time", "column: us_min, workload: micro-barrier"));
  CHECK(suite.tables.at(0).cells.size() == 2);
  CHECK(suite.tables.at(1).cells.size() == 1);
  CHECK(suite.tables.at(2).cells.size() == 3);
  CHECK(suite.tables.at(2).cells[1].measured == 6);
}

TEST_CASE("A number that no table has is named, unless the suite says why its row is left out") {
  const std::string two = "tables:\n" + table("two", barriers + ", args: {warps: 2}");
  CHECK_THAT(mistakes(two), Contains("m.csv:2:1: no table compares 'clock_first_thread' of 'micro-barrier warps=1") &&
                                Contains("m.csv:4:1: ") && !Contains("micro-launch"));
  const validate::Suite suite =
      suite_of("left_out: [{workload: micro-barrier, args: {warps: [1, 4]}, reason: because}]\n" + two);
  CHECK(suite.left_out == 2);
  REQUIRE(suite.defects.size() == 1);
  CHECK(suite.defects[0] == "2 rows are left out (micro-barrier warps=1,4): because");
}

TEST_CASE("What is wrong in a table of measured rows is named with its place") {
  CHECK_THAT(mistakes("tables:\n" + table("a", barriers + ", args: {warp: 1}")),
             Contains("tiny.yaml:9:") && Contains("micro-barrier has no argument 'warp'; did you mean 'warps'?"));
  CHECK_THAT(mistakes("tables:\n" + table("a", barriers + ", args: {warps: 7}")),
             Contains("tiny.yaml:9:") && Contains("no row of") && Contains("'micro-barrier warps=7'"));
  CHECK_THAT(mistakes("tables:\n" + table("a", "column: clock, workload: micro-barrier")),
             Contains("no column 'clock'"));
  CHECK_THAT(mistakes("tables:\n" + table("a", "column: clock_first_thread, workload: micro-launch")),
             Contains("m.csv:5:1: 'micro-launch blocks=1' has no number in 'clock_first_thread'"));
  CHECK_THAT(mistakes("tables:\n  - {name: a, value: cycles, rows: gpu, measured: {" + barriers + "}}\n"),
             Contains("'measured' or has 'rows'"));
  CHECK_THAT(
      mistakes("tables:\n" + table("a", "column: us_min, workload: micro-barier")),
      Contains("tiny.yaml:9:") && Contains("no row of the workload 'micro-barier'; did you mean 'micro-barrier'?"));
}

TEST_CASE("Every row that was measured and is committed is compared, or its suite says why not") {
  std::set<std::string> files;
  std::set<std::pair<std::string, int>> compared_rows;
  std::size_t left_out = 0;
  for (const validate::Suite& suite : validate::load_suites({})) {
    for (const validate::Table& table : suite.tables)
      for (const validate::Cell& cell : table.cells)
        if (cell.where.file.ends_with(".csv")) compared_rows.insert({cell.where.file, cell.where.line});
    left_out += suite.left_out;
  }
  for (const auto& [file, line] : compared_rows) files.insert(file);
  const std::size_t compared = compared_rows.size() + left_out;
  CHECK(files.size() == 17);
  std::size_t measured = 0;
  for (const std::string& file : files) measured += measurements::load_measurements(file).rows.size();
  CHECK(measured > 1300);
  CHECK(compared == measured);
}

}  // namespace lockstep::measured_rows_test
