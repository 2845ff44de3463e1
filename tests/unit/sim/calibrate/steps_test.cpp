// Which steps use which measurements.
#include <catch2/catch.hpp>

#include "sim/calibrate/steps.hpp"
#include "sim/config/parameter.hpp"
#include "sim/workload/workload.hpp"

using namespace lockstep;
using namespace lockstep::calibrate;

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
