#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::check_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;

namespace {

/// An experiment of six points, layout a and b by replication 1, 2, 4, with these cycles and these checks.
struct Checked {
  Experiment experiment;
  std::vector<Point> points;
  std::vector<PointResult> results;

  Checked(const std::vector<std::uint64_t>& cycles, const std::string& checks,
          const std::vector<config::Override>& overrides = {}) {
    const File file(
        "gpu: gtx580\nworkload: histogram\n"
        "sweep: {args.layout: [hist-major, bin-major], args.replication: [1, 2, 4]}\n"
        "baseline: {args.replication: 1}\nchecks:\n" +
        checks);
    experiment = load_experiment(file.path(), overrides);
    points = expand(experiment);
    for (std::size_t i = 0; i < points.size(); ++i) {
      PointResult result;
      result.status = Status::done;
      result.cycles = cycles.at(i);
      result.time_ms = static_cast<double>(cycles.at(i)) / 1000;
      result.statistics.resize(stats::statistics().size());
      result.derived.resize(stats::derived_statistics().size());
      results.push_back(result);
    }
  }
  std::vector<CheckOutcome> outcomes() const { return evaluate_checks(experiment, points, results); }
};

std::string mistake(const std::string& checks) {
  try {
    Checked({1, 1, 1, 1, 1, 1}, checks);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A check names the swept value at which a column is smallest or largest") {
  const std::string check =
      "  - says: four is best\n    source: a paper\n    values:\n"
      "      best: {at_minimum: cycles, of: args.replication, where: {args.layout: hist-major}, published: 4}\n"
      "      worst: {at_maximum: cycles, of: args.replication, where: {args.layout: hist-major}}\n"
      "    holds: best == 4 && worst == 1\n";
  const CheckOutcome right = Checked({30, 20, 10, 1, 2, 3}, check).outcomes().at(0);
  CHECK(right.holds == true);
  REQUIRE(right.values.size() == 2);
  CHECK(right.values[0].simulated == 4);
  CHECK(right.values[0].published == 4.0);
  CHECK_FALSE(right.values[1].published.has_value());
  const CheckOutcome wrong = Checked({30, 9, 10, 1, 2, 3}, check).outcomes().at(0);
  CHECK(wrong.holds == false);
  CHECK(wrong.values[0].simulated == 2);
  CHECK_THAT(to_text({wrong}), Contains("DOES NOT HOLD") && Contains("best = 2 (published 4)") && Contains("a paper"));
}

TEST_CASE("A check with for_each must hold in every case, and shows the first in which it does not") {
  const std::string check =
      "  - says: bin-major never costs\n    for_each: args.replication\n    values:\n"
      "      plain: {column: cycles, where: {args.layout: hist-major}}\n"
      "      other: {column: cycles, where: {args.layout: bin-major}}\n"
      "    holds: other <= plain\n";
  const CheckOutcome all = Checked({30, 20, 10, 30, 19, 1}, check).outcomes().at(0);
  CHECK(all.holds == true);
  CHECK(all.combinations == 3);
  const CheckOutcome one = Checked({30, 20, 10, 30, 21, 11}, check).outcomes().at(0);
  CHECK(one.holds == false);
  CHECK(one.at == "args.replication=2");
  CHECK(one.values.at(1).simulated == 21);
}

TEST_CASE("A check with for_each of some values must hold for these alone") {
  const std::string check =
      "  - says: fast with several sub-histograms\n    for_each: {args.layout: hist-major, "
      "args.replication: [2, 4]}\n    values: {own: {column: cycles}}\n    holds: own < 10\n";
  const CheckOutcome two = Checked({30, 9, 8, 30, 30, 30}, check).outcomes().at(0);
  CHECK(two.holds == true);
  CHECK(two.combinations == 2);
  CHECK(Checked({1, 9, 11, 1, 1, 1}, check).outcomes().at(0).at == "args.layout=hist-major args.replication=4");
  const CheckOutcome none = Checked({5, 5}, check, {config::parse_override("args.replication=1")}).outcomes().at(0);
  CHECK_FALSE(none.holds.has_value());
  CHECK_THAT(none.message, Contains("the run has no such point"));
  CHECK_THAT(mistake("  - {says: s, for_each: {args.layout: other}, values: {x: {column: cycles}}, holds: x > 1}\n"),
             Contains("'other' is not a value of args.layout"));
  CHECK_THAT(mistake("  - {says: s, for_each: {args.layout: []}, values: {x: {column: cycles}}, holds: x > 1}\n"),
             Contains("no value of args.layout is named"));
}

TEST_CASE("Means, extremes and speed-ups are over the points that belong") {
  const std::string check =
      "  - says: numbers\n    values:\n"
      "      mean: {mean: cycles, where: {args.layout: hist-major}}\n"
      "      gain: {geometric_mean: derived.speedup, where: {args.replication: [2, 4]}}\n"
      "      least: {minimum: cycles}\n      most: {maximum: cycles}\n"
      "    holds: mean == 7 && gain > 3.9999 && gain < 4.0001 && least == 1 && most == 16\n";
  // Speed-ups 2, 4 (hist-major: 12 / 6, 12 / 3) and 16, 2 (bin-major: 16 / 1, 16 / 8): geometric mean 256^(1/4) = 4.
  const CheckOutcome outcome = Checked({12, 6, 3, 16, 1, 8}, check).outcomes().at(0);
  CHECK(outcome.holds == true);
}

TEST_CASE("A statement that is known not to hold is shown with its reason, and is a failure once it holds") {
  const auto with = [](const std::string& holds, const std::string& deviates) {
    return Checked({1, 2, 3, 4, 5, 6},
                   "  - says: fast\n    values: {least: {minimum: cycles}}\n    holds: " + holds + deviates)
        .outcomes()
        .at(0);
  };
  const std::string because = "\n    deviates: \"it is: slow\"\n";
  CHECK(failed(with("least > 1", "\n")));
  CHECK(verdict(with("least > 1", "\n")) == "DOES NOT HOLD");
  const CheckOutcome known = with("least > 1", because);
  CHECK_FALSE(failed(known));
  CHECK(verdict(known) == "deviates");
  CHECK_THAT(to_text({known}), Contains("deviates") && Contains("known: it is: slow"));
  const CheckOutcome better = with("least == 1", because);
  CHECK(failed(better));
  CHECK_THAT(to_text({better}), Contains("HOLDS NOW") && Contains("take `deviates` away"));
  CHECK_THAT(mistake("  - {says: a, values: {v: {minimum: cycles}}, holds: v > 0, deviates: \"\"}\n"),
             Contains("says why the check is known not to hold"));
}

TEST_CASE("A check without its points has no answer and says why") {
  const std::string check =
      "  - says: one only\n    values: {x: {column: cycles, where: {args.layout: bin-major, args.replication: 2}}}\n"
      "    holds: x > 0\n"
      "  - says: too many\n    values: {x: {column: cycles}}\n    holds: x > 0\n";
  Checked narrowed({5, 5}, check, {config::parse_override("args.replication=1")});
  CHECK_FALSE(narrowed.outcomes().at(0).holds.has_value());
  CHECK_THAT(to_text(narrowed.outcomes()), Contains("no answer") && Contains("the run has no such point"));
  CHECK_THAT(narrowed.outcomes().at(1).message, Contains("2 points belong to it"));
  Checked refused({5, 5, 5, 5, 5, 5}, check);
  refused.results[4].status = Status::refused;
  CHECK_THAT(refused.outcomes().at(0).message, Contains("cycles has no value at"));
}

TEST_CASE("Errors in a check are named with their place") {
  const std::string good = "    values: {x: {column: cycles}}\n";
  CHECK_THAT(mistake("  - says: s\n" + good), Contains("there is no 'holds'"));
  CHECK_THAT(mistake("  - says: s\n" + good + "    holds: y > 1\n"), Contains("names 'y'; the values are: x"));
  CHECK_THAT(mistake("  - says: s\n" + good + "    holds: x >\n"), Contains("\"x >\""));
  CHECK_THAT(mistake("  - says: s\n    values: {x: {column: cycle}}\n    holds: x > 1\n"),
             Contains("did you mean 'cycles'?"));
  CHECK_THAT(mistake("  - says: s\n    values: {x: {at_minimum: cycles}}\n    holds: x > 1\n"), Contains("no 'of'"));
  CHECK_THAT(
      mistake("  - says: s\n    values: {x: {minimum: cycles, where: {args.layout: other}}}\n    holds: x > 1\n"),
      Contains("'other' is not a value of args.layout"));
  CHECK_THAT(mistake("  - says: s\n    for_each: args.bins\n" + good + "    holds: x > 1\n"),
             Contains("'args.bins' is not swept"));
}

TEST_CASE("The effective experiment keeps its checks") {
  const std::string check =
      "  - says: \"four: is best\"\n    values:\n"
      "      best: {at_minimum: cycles, of: args.replication, where: {args.layout: [hist-major]}, published: 4}\n"
      "    holds: best == 4\n";
  const Checked checked({30, 20, 10, 1, 2, 3}, check);
  const File file(effective_yaml(checked.experiment));
  const Experiment again = load_experiment(file.path());
  REQUIRE(again.checks.size() == 1);
  CHECK(again.checks[0].says == "four: is best");
  CHECK(effective_yaml(again) == effective_yaml(checked.experiment));
}

}  // namespace lockstep::check_test
