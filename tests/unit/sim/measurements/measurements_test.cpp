// Reading files of measurements.
#include <catch2/catch.hpp>

#include "sim/measurements/measurements.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

using namespace lockstep;
using namespace lockstep::measurements;
using Catch::Matchers::Contains;

namespace {

std::string mistake(const std::string& text) {
  const test::TemporaryFolder folder;
  try {
    load_measurements(folder.write("m.csv", text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("A file of measurements gives workload, settings and clock of each row, and the conditions at its head") {
  const test::TemporaryFolder folder;
  const Measurements all = load_measurements(
      folder.write("m.csv",
                   "# GPU: NVIDIA H200\n# a remark\nworkload,settings,clock_first_thread,us_min\n"
                   "micro-barrier,warps=2 length=256,4139,7.4\nmicro-launch,,,5\n\nmicro-chase,,0,5\n"));
  CHECK(all.condition("gpu") == "NVIDIA H200");
  CHECK(all.condition("driver").empty());
  REQUIRE(all.rows.size() == 3);
  CHECK(all.rows[0].label() == "micro-barrier warps=2 length=256");
  CHECK(all.rows[0].clock == 4139);
  CHECK(all.rows[0].where.line == 4);
  CHECK_FALSE(all.rows[1].clock);
  CHECK_FALSE(all.rows[2].clock);
}

TEST_CASE("The columns of a file of measurements may stand in any order") {
  const test::TemporaryFolder folder;
  const Measurements all =
      load_measurements(folder.write("m.csv", "clock_first_thread,registers,settings,workload\r\n7,16,a=1,x\r\n"));
  REQUIRE(all.rows.size() == 1);
  CHECK(all.rows[0].label() == "x a=1");
  CHECK(all.rows[0].clock == 7);
}

TEST_CASE("What is wrong in a file of measurements is named with its place, all of it together") {
  const std::string head = "workload,settings,clock_first_thread\n";
  CHECK_THAT(mistake(""), Contains("names of the columns"));
  CHECK_THAT(mistake("workload,settings\n"), Contains("m.csv:1:1: there is no column 'clock_first_thread'"));
  const std::string both = mistake(head + "x,a=1,many\nx,a,5\nx,a=1\n,a=1,3\nx,a=1,-4\nx,a=1,nan\n");
  CHECK_THAT(both, Contains("m.csv:2:7: 'many' is not a number from 0") &&
                       Contains("m.csv:3:3: 'a' is not a setting") && Contains("m.csv:4:1: has 2 cells") &&
                       Contains("m.csv:5:1: names no workload") && Contains("m.csv:6:7: '-4'") &&
                       Contains("m.csv:7:7: 'nan'"));
  CHECK_THROWS_AS(load_measurements("/no/such/file.csv"), InputError);
  CHECK_THROWS_AS(load_measurements("/"), InputError);
}

TEST_CASE("Any column is a number where a cell has one, and what is none is named with its place") {
  const test::TemporaryFolder folder;
  const Measurements all = load_measurements(
      folder.write("m.csv", "workload,settings,clock_first_thread,us_min\nx,a=1,7,2.5\nx,a=2,7,\nx,a=3,7,fast\n"));
  CHECK(all.number(all.rows[0], "us_min") == 2.5);
  CHECK_FALSE(all.number(all.rows[1], "us_min"));
  CHECK_THROWS_WITH(all.number(all.rows[2], "us_min"), Contains("m.csv:4:9: 'fast' is not a number"));
  CHECK_THROWS_WITH(all.number(all.rows[0], "us_max"), Contains("no column 'us_max'") && Contains("us_min"));
}
