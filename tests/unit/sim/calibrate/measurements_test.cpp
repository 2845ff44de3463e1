// Reading files of measurements, and which steps use their rows.
#include <catch2/catch.hpp>

#include "sim/calibrate/steps.hpp"
#include "sim/config/parameter.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

using namespace lockstep;
using namespace lockstep::calibrate;
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
  CHECK_THAT(both, Contains("m.csv:2:7: 'many' is no number of cycles") && Contains("m.csv:3:3: 'a' is no setting") &&
                       Contains("m.csv:4:1: has 2 cells") && Contains("m.csv:5:1: names no workload") &&
                       Contains("m.csv:6:7: '-4'") && Contains("m.csv:7:7: 'nan'"));
  CHECK_THROWS_AS(load_measurements("/no/such/file.csv"), InputError);
  CHECK_THROWS_AS(load_measurements("/"), InputError);
}

TEST_CASE("A selection has the measurements of its workload with one of the values at each name") {
  const Selection selection{"micro-chase", "cache=ca footprint=4096,8192"};
  const auto row = [](const std::string& workload, std::vector<std::pair<std::string, std::string>> settings) {
    return Measurement{workload, std::move(settings), 5, {}};
  };
  CHECK(selection.has(row("micro-chase", {{"footprint", "8192"}, {"cache", "ca"}, {"length", "64"}})));
  CHECK_FALSE(selection.has(row("micro-chase", {{"footprint", "81920"}, {"cache", "ca"}})));
  CHECK_FALSE(selection.has(row("micro-chase", {{"footprint", "8192"}})));
  CHECK_FALSE(selection.has(row("micro-barrier", {{"footprint", "8192"}, {"cache", "ca"}})));
}

TEST_CASE(
    "Every step names numeric parameters and ranges within theirs, and microbenchmarks with arguments they have") {
  for (const Step& step : steps()) {
    REQUIRE_FALSE(step.parameters.empty());
    for (const Range& range : step.parameters) {
      INFO(range.path);
      const config::Parameter* parameter = config::find_gpu_parameter(range.path);
      REQUIRE(parameter != nullptr);
      const bool whole = parameter->type == config::Parameter::Type::whole;
      REQUIRE((whole || parameter->type == config::Parameter::Type::number));
      CHECK(range.least >= (whole ? static_cast<double>(parameter->minimum) : parameter->number_minimum));
      CHECK(range.most <= (whole ? static_cast<double>(parameter->maximum) : parameter->number_maximum));
      CHECK(range.least < range.most);
    }
    for (const Selection& selection : step.points) {
      INFO(selection.workload << " " << selection.settings);
      CHECK(selection.workload.starts_with("micro-"));
      const workload::Workload workload = workload::Workload::load(std::string(selection.workload));
      std::istringstream words{std::string(selection.settings)};
      for (std::string word; words >> word;) {
        const std::string name = word.substr(0, word.find('='));
        const auto known = workload.arguments();
        CHECK(std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.name == name; }));
      }
    }
  }
}
