#include <catch2/catch.hpp>

#include "sim/report/figures/figures.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::plots_test {

using namespace lockstep::report;
using Catch::Matchers::Contains;

namespace {

using Values = std::vector<std::optional<double>>;
using Texts = std::vector<std::string>;

/// Points of two layouts, three replication factors and two images; point i took 100 + i cycles at 1 MHz.
struct Run {
  experiment::Experiment experiment;
  std::vector<experiment::Point> points;
  std::vector<experiment::PointResult> results;

  explicit Run(const std::string& rest) {
    const test::File file(
        "gpu: gtx580\nworkload: histogram\n"
        "sweep: {args.layout: [hist-major, bin-major], args.replication: [1, 2, 4], args.image: [raccoon, coffee]}\n" +
        rest);
    experiment = experiment::load_experiment(file.path());
    points = experiment::expand(experiment);
    for (std::size_t i = 0; i < points.size(); ++i) {
      experiment::PointResult result;
      result.status = experiment::Status::done;
      result.workload = "histogram";
      result.cycles = 100 + i;
      result.time_ms = static_cast<double>(result.cycles) / 1000;
      result.statistics.resize(stats::statistics().size());
      result.derived.resize(stats::derived_statistics().size());
      results.push_back(result);
    }
  }
  std::vector<Plot> all() const { return plots({experiment, points, results}); }
  Chart chart() const { return all().at(0).panels.at(0).chart; }
};

Texts names(const Chart& chart) {
  Texts result;
  for (const Series& series : chart.series) result.push_back(series.name);
  return result;
}

}  // namespace

TEST_CASE("A declared figure has the series and panels that it names, and no others are drawn") {
  const Run run(
      "figures: [{title: 'Cycles, by R', x: args.replication, y: cycles, series: args.image, facet: args.layout}]\n");
  const auto all = run.all();
  REQUIRE(all.size() == 1);
  CHECK(all[0].title == "Cycles, by R");
  CHECK(all[0].file == "cycles-by-r");
  REQUIRE(all[0].panels.size() == 2);
  CHECK(all[0].panels[1].heading == "args.layout = bin-major");
  const Chart& chart = all[0].panels[1].chart;
  CHECK(names(chart) == Texts{"raccoon", "coffee"});
  CHECK(chart.x == std::vector<double>{1, 2, 4});
  CHECK(chart.series[1].values == Values{107, 109, 111});
  CHECK(chart.kind == ChartKind::lines);
}

TEST_CASE("What a figure leaves out becomes series, or panels where the series are named") {
  CHECK(names(Run("figures: [{x: args.replication, y: cycles}]\n").chart()).size() == 4);
  const auto panels = Run("figures: [{x: args.replication, y: cycles, series: args.layout}]\n").all().at(0).panels;
  REQUIRE(panels.size() == 2);
  CHECK(panels[1].heading == "args.image = coffee");
}

TEST_CASE("A value picked from the points at a place is their mean, minimum or maximum") {
  const auto values = [](const std::string& pick) {
    return Run("figures: [{x: args.replication, series: args.layout, y: {" + pick + ": cycles}}]\n")
        .chart()
        .series.at(0)
        .values;
  };
  CHECK(values("mean") == Values{100.5, 102.5, 104.5});
  CHECK(values("minimum") == Values{100, 102, 104});
  CHECK(values("maximum") == Values{101, 103, 105});
  const auto geometric = values("geometric_mean");
  CHECK(*geometric.at(0) == Approx(100.49875621));  // the root of 100 * 101
}

TEST_CASE("Several values are series of one figure; a percentage is a hundred times as much") {
  const Chart chart = Run("figures: [{x: args.replication, where: {args.layout: hist-major, args.image: raccoon}, "
                          "y: [{column: time_ms, header: time}, {column: cycles, percent: true}]}]\n")
                          .chart();
  CHECK(names(chart) == Texts{"time", "cycles"});
  CHECK(chart.series[0].values == Values{0.1, 0.102, 0.104});
  CHECK(chart.series[1].values == Values{10000, 10200, 10400});
  CHECK(chart.y_title.empty());  // two units
}

TEST_CASE("Names along x make bars, unless lines are asked for; points have a place each") {
  CHECK(Run("figures: [{x: args.layout, y: {mean: cycles}}]\n").chart().kind == ChartKind::bars);
  CHECK(Run("figures: [{x: args.layout, y: {mean: cycles}, kind: lines}]\n").chart().kind == ChartKind::lines);
  const Chart points = Run("figures: [{x: time_ms, y: cycles, series: args.layout, kind: points}]\n").chart();
  CHECK(points.x_labels.size() == 12);
  CHECK(points.x->at(0) == 0.1);
  const Chart shared = Run("figures: [{x: args.replication, y: cycles, series: args.layout, kind: points}]\n").chart();
  CHECK(*shared.x == std::vector<double>{1, 1, 2, 2, 4, 4, 1, 1, 2, 2, 4, 4});
}

TEST_CASE("Points that a column cannot tell apart are left out, and the figure says so") {
  const auto plot =
      Run("figures: [{x: sm.scratchpad.banks, y: cycles, series: args.layout, facet: args.image}]\n").all().at(0);
  CHECK_THAT(plot.notes.at(0), Contains("4 values left out, where several points lie at one place"));
}

TEST_CASE("Published values of the same quantity at the same points stand beside the simulated ones") {
  const std::string checks =
      "checks:\n"
      "  - says: one\n    holds: a > 0\n    values:\n"
      "      a: {column: cycles, where: {args.layout: hist-major, args.replication: 2, args.image: raccoon}, "
      "published: 90}\n"
      "      b: {mean: time_ms, where: {args.replication: 4}}\n"
      "      us: {computed: 1000 * b, published: 250}\n"
      "      least: {minimum: cycles, where: {args.replication: 4}, published: 1}\n";
  const Chart own =
      Run("figures: [{x: args.replication, y: cycles, where: {args.layout: hist-major}, series: args.image}]\n" +
          checks)
          .chart();
  CHECK(own.series.at(0).published == Values{std::nullopt, 90, std::nullopt});
  CHECK(own.series.at(1).published == Values{std::nullopt, std::nullopt, std::nullopt});
  // In another unit, and of several points: only where the figure picks the same from the same.
  const Chart mean = Run("figures: [{x: args.replication, y: {mean: time_ms}}]\n" + checks).chart();
  REQUIRE(mean.series.at(0).published.at(2).has_value());
  CHECK(*mean.series.at(0).published.at(2) == Approx(0.25));
  const Chart most = Run("figures: [{x: args.replication, y: {maximum: time_ms}}]\n" + checks).chart();
  CHECK_FALSE(most.series.at(0).published.at(2).has_value());
  const Chart stated = Run("figures: [{x: args.replication, y: {mean: cycles}, "
                           "published: [{at: {args.replication: 1}, value: 77}]}]\n" +
                           checks)
                           .chart();
  CHECK(stated.series.at(0).published == Values{77, std::nullopt, std::nullopt});
}

TEST_CASE("Two titles that make the same file name get names of their own") {
  const auto all = Run("figures: [{y: {mean: cycles}, title: 'A b'}, {y: {mean: time_ms}, title: 'a - B'}, "
                       "{y: {mean: cycles}, title: '--'}]\n")
                       .all();
  CHECK(all.at(0).file == "a-b");
  CHECK(all.at(1).file == "a-b-2");
  CHECK(all.at(2).file == "figure");
}

}  // namespace lockstep::plots_test
