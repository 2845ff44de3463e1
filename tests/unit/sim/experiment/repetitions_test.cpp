// Points that repeat each other for other seeds: what tables, checks, results and figures show of them.

#include "sim/experiment/columns/repetitions.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/report/figures/figures.hpp"
#include "sim/report/svg_chart.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::repetitions_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;

namespace {

/// Replication 1 and 2, each with three seeds, which take these cycles at 1 MHz.
struct Repeated {
  Experiment experiment;
  std::vector<Point> points;
  RunOutcome outcome;

  Repeated(const std::vector<std::uint64_t>& cycles, const std::string& rest,
           const std::vector<config::Override>& overrides = {}) {
    const File file(
        "gpu: gtx580\nworkload: histogram\nsweep: {args.replication: [1, 2]}\n"
        "repetitions: {args.seed: {from: 1, to: 3}}\n" +
        rest);
    experiment = load_experiment(file.path(), overrides);
    points = expand(experiment);
    for (std::size_t i = 0; i < points.size(); ++i) {
      PointResult result;
      result.status = Status::done;
      result.workload = "histogram";
      result.cycles = cycles.at(i);
      result.time_ms = static_cast<double>(cycles.at(i)) / 1000;
      result.statistics.resize(stats::statistics().size());
      result.derived.resize(stats::derived_statistics().size());
      outcome.results.push_back(result);
    }
  }
  std::string table() const { return results_table(experiment, points, outcome); }
  CheckOutcome check() const { return evaluate_checks(experiment, points, outcome.results).at(0); }
};

// Means 12 and 30, standard deviations 2 and 10: (10 - 12)^2 + 0 + (14 - 12)^2 = 8 over 2, and 200 over 2.
const std::vector<std::uint64_t> six{10, 12, 14, 20, 30, 40};

config::Override setting(const std::string& path, const std::string& text) {
  config::Value value;
  value.kind = config::Value::Kind::scalar;
  value.text = text;
  return {path, value};
}

}  // namespace

TEST_CASE("A spread is the mean and the standard deviation of a sample") {
  CHECK_FALSE(spread(std::vector<double>{}).has_value());
  const Spread one = *spread({7});
  CHECK((one.mean == 7 && one.deviation == 0 && one.count == 1));
  const Spread four = *spread({1, 3, 5, 7});  // 9 + 1 + 1 + 9 = 20 over 3
  CHECK(four.mean == 4);
  CHECK(four.deviation == Approx(2.581988897));
}

TEST_CASE("A table has a row for the repetitions of a point, with their mean and spread") {
  const Repeated run(six, "");
  CHECK(run.points.size() == 6);
  const std::string table = run.table();
  CHECK_THAT(table, Contains("12 ± 2") && Contains("30 ± 10") && !Contains("args.seed"));
  CHECK_THAT(table, Contains("0.0120 ± 0.0020"));
  CHECK(std::count(table.begin(), table.end(), '\n') == 5);  // Headers, units, a rule, and a line for each replication.
}

TEST_CASE("What all repetitions have in common stands alone, and texts are counted") {
  CHECK_THAT(Repeated({5, 5, 5, 5, 5, 5}, "").table(), !Contains("±"));
  CHECK_THAT(Repeated(six, "table: [args.replication, args.seed, status]\n").table(),
             Contains("3 values") && Contains("done"));
}

TEST_CASE("-s on a repeated path leaves one repetition, whose numbers stand as they are") {
  const Repeated run({11, 22}, "", {setting("args.seed", "7")});
  CHECK(run.points.size() == 2);
  CHECK_THAT(run.table(), Contains("11") && Contains("22") && !Contains("±"));
}

TEST_CASE("Checks pick from the means of repetitions, and can ask how far they spread") {
  const CheckOutcome outcome = Repeated(six,
                                        "checks:\n"
                                        "  - says: one copy is faster by more than the spread\n"
                                        "    values:\n"
                                        "      one: {column: cycles, where: {args.replication: 1}}\n"
                                        "      spread: {standard_deviation: cycles, where: {args.replication: 2}}\n"
                                        "      most: {maximum: cycles}\n"
                                        "      at: {at_minimum: cycles, of: args.replication}\n"
                                        "      third: {column: cycles, where: {args.replication: 2, args.seed: 3}}\n"
                                        "    holds: one + spread < most\n")
                                   .check();
  CHECK(outcome.holds == true);
  REQUIRE(outcome.values.size() == 5);
  CHECK(outcome.values[0].simulated == 12);
  CHECK(outcome.values[1].simulated == Approx(10));
  CHECK(outcome.values[2].simulated == 30);
  CHECK(outcome.values[3].simulated == 1);
  CHECK(outcome.values[4].simulated == 40);
}

TEST_CASE("The gain over a baseline is that of the same repetition") {
  const Repeated run(six, "baseline: {args.replication: 1}\n");
  // 10 / 20, 12 / 30 and 14 / 40 are 0.5, 0.4, 0.35: mean 0.41667, deviation 0.07638.
  CHECK_THAT(run.table(), Contains("0.417 ± 0.076"));
  // 10.00, 10.01 and 10.02 ms: two digits of the deviation are shown, whatever the mean has.
  CHECK_THAT(Repeated({10000, 10010, 10020, 1, 1, 1}, "").table(), Contains("10.010 ± 0.010"));
  CHECK_THAT(Repeated({100, 100, 101, 1, 1, 1}, "").table(), Contains("0.10033 ± 0.00058"));
}

TEST_CASE("Results as JSON have every point, and mean and standard deviation of each place") {
  const Repeated run(six, "");
  const std::string json = results_json(run.experiment, run.points, run.outcome);
  CHECK_THAT(json, Contains("\"args.seed\": 3") && Contains("\"repetitions\""));
  CHECK_THAT(json, Contains("{\"mean\": 12, \"standard_deviation\": 2, \"points\": 3}"));
  CHECK_THAT(results_json(run.experiment, run.points, run.outcome), Contains("\"points\": 3"));
}

TEST_CASE("The effective experiment has the same repetitions") {
  const Repeated run(six, "");
  CHECK_THAT(effective_yaml(run.experiment), Contains("repetitions:\n  args.seed: [1, 2, 3]\n"));
}

TEST_CASE("A figure shows means, with lines that reach one standard deviation up and down") {
  const Repeated run(six, "figures: [{x: args.replication, y: cycles}]\n");
  const auto plots = report::plots({run.experiment, run.points, run.outcome.results});
  REQUIRE(plots.size() == 1);
  CHECK_THAT(plots[0].notes.at(0), Contains("standard deviation"));
  const report::Chart& chart = plots[0].panels.at(0).chart;
  REQUIRE(chart.series.size() == 1);
  CHECK(chart.series[0].values == std::vector<std::optional<double>>{12, 30});
  REQUIRE(chart.series[0].deviations.size() == 2);
  CHECK(*chart.series[0].deviations[0] == Approx(2));
  CHECK(*chart.series[0].deviations[1] == Approx(10));
  CHECK_THAT(report::chart_svg(chart), Contains("1: 12 ± 2") && Contains("2: 30 ± 10"));
}

TEST_CASE("A figure that picks a value picks it from the means, and a single repetition is shown as it is") {
  const auto plotted = [](const Repeated& run) {
    return report::plots({run.experiment, run.points, run.outcome.results}).at(0);
  };
  const report::Plot least = plotted(Repeated(six, "figures: [{x: workload, y: {minimum: cycles}}]\n"));
  CHECK(least.panels.at(0).chart.series.at(0).values == std::vector<std::optional<double>>{12});  // Not 10.
  CHECK(least.notes.empty());
  CHECK(plotted(Repeated({11, 22}, "figures: [{y: cycles}]\n", {setting("args.seed", "7")})).notes.empty());
}

TEST_CASE("A path is swept or repeated, not both") {
  CHECK_THAT(test::mistake("gpu: gtx580\nworkload: histogram\nsweep: {args.seed: [1, 2]}\n"
                           "repetitions: {args.seed: [1, 2, 3]}\n"),
             Contains("args.seed is swept twice"));
  CHECK_THAT(test::mistake("gpu: gtx580\nworkload: histogram\nrepetitions: {args.sead: [1, 2, 3]}\n"),
             Contains("did you mean 'args.seed'"));
}

}  // namespace lockstep::repetitions_test
