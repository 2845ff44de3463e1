// Ranges, and paths that take values together.

#include <catch2/catch.hpp>

#include "sim/experiment/experiment.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::swept_values_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;
using test::mistake;

namespace {

std::string experiment_text(const std::string& sweep, const std::string& more = "") {
  return "gpu: gtx580\nworkload: vector-add\n" + more + "sweep:\n  " + sweep + "\n";
}

/// The values of the only axis.
std::vector<std::string> values(const std::string& range) {
  const File file(experiment_text("sm.scratchpad.pass_interval: " + range));
  const Experiment experiment = load_experiment(file.path());
  std::vector<std::string> texts;
  for (const config::Value& value : experiment.axes.at(0).values) texts.push_back(value.text);
  return texts;
}

std::vector<std::string> labels(const std::string& text) {
  const File file(text);
  std::vector<std::string> all;
  for (const Point& point : expand(load_experiment(file.path()))) all.push_back(point.label());
  return all;
}

}  // namespace

TEST_CASE("A range has its begin, steps or factors, and its end where it is reached") {
  using Texts = std::vector<std::string>;
  CHECK(values("{from: 2, to: 5}") == Texts{"2", "3", "4", "5"});
  CHECK(values("{from: 2, to: 9, step: 3}") == Texts{"2", "5", "8"});
  CHECK(values("{from: 4, to: 64, times: 4}") == Texts{"4", "16", "64"});
  CHECK(values("{from: 0, to: 0.3, step: 0.1}").size() == 4);
  CHECK(values("{from: 7, to: 7}") == Texts{"7"});
}

TEST_CASE("A range that is none says why") {
  const auto error = [](const std::string& range) { return mistake(experiment_text("args.length: " + range)); };
  CHECK_THAT(error("{from: 2}"), Contains(":4:16: a range needs both 'from' and 'to'"));
  CHECK_THAT(error("{from: 2, to: 1}"), Contains("'to' is below 'from', which is 2"));
  CHECK_THAT(error("{from: 1, to: 8, step: 0}"), Contains("'step' is above 0"));
  CHECK_THAT(error("{from: 1, to: 8, times: 1}"), Contains("'times' is above 1"));
  CHECK_THAT(error("{from: 1, to: 8, step: 1, times: 2}"), Contains("not both"));
  CHECK_THAT(error("{form: 1, to: 8}"), Contains("did you mean 'from'?"));
  CHECK_THAT(error("{from: 1, to: 1000000000}"), Contains("more than 100000 values"));
}

TEST_CASE("Arguments that are swept together take only the listed combinations") {
  CHECK(labels(experiment_text("args.length, args.blocks: [[256, 2], [512, 2], [512, 8]]\n  sms: [1, 2]")) ==
        std::vector<std::string>{"args.length=256 args.blocks=2 sms=1", "args.length=256 args.blocks=2 sms=2",
                                 "args.length=512 args.blocks=2 sms=1", "args.length=512 args.blocks=2 sms=2",
                                 "args.length=512 args.blocks=8 sms=1", "args.length=512 args.blocks=8 sms=2"});
  // A condition holds besides.
  CHECK(labels(experiment_text("args.length, args.blocks: [[256, 2], [512, 8]]", "only: length > 300\n")) ==
        std::vector<std::string>{"args.length=512 args.blocks=8"});
}

TEST_CASE("What cannot be swept together says why") {
  const auto error = [](const std::string& sweep) { return mistake(experiment_text(sweep)); };
  CHECK_THAT(error("args.length, sms: [[1, 2]]"), Contains("'sms' cannot be swept together with others"));
  CHECK_THAT(error("args.length, args.blocks: [[1, 2], [3]]"), Contains("expected a list of 2 numbers"));
  CHECK_THAT(error("args.length, args.blocks: [1, 2]"), Contains("expected a list of 2 numbers"));
  CHECK_THAT(error("args.length, args.blocks: [[1, two]]"), Contains("'two' is no number"));
  CHECK_THAT(error("args.length, args.blokcs: [[1, 2]]"), Contains("did you mean 'args.blocks'?"));
  CHECK_THAT(error("args.length, args.length: [[1, 2]]"), Contains("swept twice"));
}

}  // namespace lockstep::swept_values_test
