#include <algorithm>
#include <set>

#include "sim/gpu/counters.hpp"
#include "sim/report/report.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/report/svg.hpp"

namespace lockstep::page_test {

using namespace lockstep::report;
using Catch::Matchers::Contains;
using experiment::Status;

namespace {

config::Value scalar(const std::string& text, bool quoted = false) {
  config::Value value;
  value.kind = config::Value::Kind::scalar;
  value.text = text;
  value.quoted = quoted;
  return value;
}

using Axes = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// An experiment over these axes; point i took 100 + i cycles at 1 MHz.
struct Run {
  experiment::Experiment experiment;
  std::vector<experiment::Point> points;
  std::vector<experiment::PointResult> results;

  explicit Run(const Axes& axes) {
    experiment.name = "e";
    experiment.title = "a <title> & more";
    experiment.text = "what it is about";
    points.emplace_back();
    for (const auto& [path, texts] : axes) {
      experiment::Axis axis{path, {}};
      std::vector<experiment::Point> more;
      for (const std::string& text : texts) axis.values.push_back(scalar(text));
      for (const experiment::Point& point : points) {
        for (const config::Value& value : axis.values) {
          more.push_back(point);
          more.back().swept.emplace_back(path, value);
        }
      }
      points = std::move(more);
      experiment.axes.push_back(std::move(axis));
      experiment.columns.emplace_back(experiment::axis_column(path));
    }
    experiment.columns.emplace_back(experiment::column("cycles"));
    for (std::size_t i = 0; i < points.size(); ++i) {
      experiment::PointResult result;
      result.status = Status::done;
      result.checked = true;
      result.workload = "kernel";
      result.cycles = 100 + i;
      result.time_ms = static_cast<double>(result.cycles) / 1000;
      result.statistics.resize(stats::statistics().size());
      result.derived.resize(stats::derived_statistics().size());
      results.push_back(std::move(result));
    }
  }

  std::uint64_t& statistic(std::size_t point, std::string_view name) {
    const auto index = static_cast<std::size_t>(stats::find_statistic(name) - stats::statistics().data());
    return results[point].statistics[index];
  }
  Results all() const { return {experiment, points, results}; }
  std::vector<Panel> panels() const { return plots(all()).front().panels; }
  /// The values of the only line of a plot.
  std::vector<std::optional<double>> values(std::size_t plot = 0) const {
    return plots(all()).at(plot).panels.front().chart.series.front().values;
  }
};

std::vector<std::string> names(const Chart& chart) {
  std::vector<std::string> result;
  for (const Series& series : chart.series) result.push_back(series.name);
  return result;
}

using Texts = std::vector<std::string>;
using Values = std::vector<std::optional<double>>;

}  // namespace

TEST_CASE("The last axis of numbers is x, and each combination of the others is a line") {
  const Run run(Axes{{"args.layout", {"a", "b"}}, {"args.replication", {"1", "2", "4"}}});
  const auto panels = run.panels();
  REQUIRE(panels.size() == 1);
  const Chart& chart = panels.front().chart;
  CHECK(chart.x == std::vector<double>{1, 2, 4});
  CHECK(names(chart) == Texts{"a", "b"});
  CHECK(chart.series[0].values == Values{100, 101, 102});
  CHECK(chart.series[1].values == Values{103, 104, 105});
  CHECK(chart.x_title == "args.replication");
  CHECK(chart.legend_title == "args.layout");
}

TEST_CASE("An axis of names behind one of numbers tells lines apart; axes of one value say nothing") {
  const Run run(Axes{{"args.length", {"10", "20"}}, {"args.kind", {"x", "y", "z"}}, {"args.seed", {"7"}}});
  const auto panels = run.panels();
  REQUIRE(panels.size() == 1);
  CHECK(panels.front().chart.x == std::vector<double>{10, 20});
  CHECK(names(panels.front().chart) == Texts{"x", "y", "z"});
  CHECK(panels.front().chart.series[1].values == Values{101, 104});
}

TEST_CASE("Without numbers there are bars over an axis of names") {
  const Run run(Axes{{"gpu", {"580", "980"}}, {"args.kind", {"x", "y", "1"}}});  // a GPU's name is a name
  const auto panels = run.panels();
  REQUIRE(panels.size() == 1);
  CHECK_FALSE(panels.front().chart.x.has_value());
  CHECK(panels.front().chart.x_labels == Texts{"x", "y", "1"});
  CHECK(names(panels.front().chart) == Texts{"580", "980"});
  const Run point(Axes{});
  REQUIRE(point.panels().size() == 1);
  CHECK(point.panels().front().chart.x_labels == Texts{"kernel"});
  CHECK(point.panels().front().chart.series.front().values == Values{100});
}

TEST_CASE("Of several axes of names the longest lies along x, the last of equally long ones") {
  CHECK(names(Run({{"workload", {"a", "b", "c"}}, {"variant", {"p", "q"}}}).panels()[0].chart) == Texts{"p", "q"});
  CHECK(names(Run({{"workload", {"a", "b"}}, {"variant", {"p", "q"}}}).panels()[0].chart) == Texts{"a", "b"});
  CHECK(names(Run({{"workload", {"a", "b", "c"}}, {"sms", {"1", "2"}}}).panels()[0].chart) == Texts{"a", "b", "c"});
}

TEST_CASE("More than eight lines become several charts, and no point is lost") {
  const Run run(Axes{{"args.a", {"p", "q", "r"}}, {"args.b", {"s", "t", "u", "v"}}, {"args.n", {"1", "2"}}});
  const auto panels = run.panels();
  REQUIRE(panels.size() == 3);
  std::multiset<double> shown;
  for (const Panel& panel : panels) {
    CHECK(panel.chart.series.size() == 4);
    for (const Series& series : panel.chart.series) {
      for (const auto& value : series.values) shown.insert(value.value());
    }
  }
  CHECK(panels[1].heading == "args.a = q");
  CHECK(panels[1].chart.series[2].values == Values{112, 113});  // point (1, 2, 0) of (3, 4, 2)
  CHECK(shown.size() == 24);
  CHECK(std::set<double>(shown.begin(), shown.end()).size() == 24);
}

TEST_CASE("Cycles of different clocks are not compared: time is shown") {
  Run run(Axes{{"gpu", {"slow", "fast"}}});
  CHECK(plots(run.all()).front().title == "Cycles");
  run.results[1].time_ms /= 2;
  CHECK(plots(run.all()).front().title == "Time");
  CHECK(run.values() == Values{0.1, 0.101 / 2});
}

TEST_CASE("Points that are not done leave a gap, and the speed-up needs something to compare with") {
  Run run(Axes{{"args.n", {"1", "2", "4"}}});
  CHECK(plots(run.all()).size() == 1);
  run.experiment.baseline = {{"args.n", scalar("2")}};
  run.results[2].status = Status::failed;
  const auto both = plots(run.all());
  REQUIRE(both.size() == 2);
  CHECK(both[1].title == "Speed-up");
  CHECK(run.values(0) == Values{100, 101});  // of the places that have a value
  const auto speedup = run.values(1);
  REQUIRE(speedup.at(0).has_value());
  CHECK(*speedup[0] == Approx(1.01));
  CHECK(speedup.at(1) == 1.0);
  CHECK_THAT(both[1].notes, Catch::Matchers::VectorContains(std::string("1 point without a good result left out.")));
  run.experiment.baseline.clear();
  for (experiment::Point& point : run.points) point.references.emplace_back();
  run.results[0].references = {{"reference", "gpu", 200, 1, 0.2, {}}};
  CHECK(plots(run.all()).size() == 2);
  CHECK(run.values(1).at(0) == 2.0);
}

TEST_CASE("A point that conditions leave out moves no other point to its place") {
  Run run(Axes{{"args.bins", {"1", "2"}}, {"args.n", {"1", "2", "4"}}});
  run.points.erase(run.points.begin() + 2);  // bins 1, n 4
  run.results.erase(run.results.begin() + 2);
  const Chart chart = run.panels().front().chart;
  CHECK(chart.series.at(0).values == Values{100, 101, std::nullopt});
  CHECK(chart.series.at(1).values == Values{103, 104, 105});
}

TEST_CASE("Every reason of an issue slot is a part of the bar, exactly once") {
  Run run(Axes{{"args.n", {"1"}}});
  for (std::size_t slot = 0; slot < gpu::slot_count; ++slot) {
    const auto name = gpu::name_of(static_cast<gpu::Slot>(slot));
    run.statistic(0, "sm.issue." + std::string(name)) = std::uint64_t{1} << slot;
  }
  const Shares shares = issue_slots(run.all());
  REQUIRE(shares.rows.size() == 1);
  std::set<std::uint64_t> seen(shares.rows[0].counts.begin(), shares.rows[0].counts.end());
  CHECK(seen.size() == gpu::slot_count);
  CHECK(shares.rows[0].note == "1,048,575");  // 2^20 - 1
  CHECK(gpu::slot_count == 20);
  for (std::size_t part = 0; part < shares.parts.size(); ++part) {
    std::string name = shares.parts[part].name;
    std::replace(name.begin(), name.end(), ' ', '_');
    CHECK(run.statistic(0, "sm.issue." + name) == shares.rows[0].counts[part]);
  }
}

TEST_CASE("Every conflict degree from 1 to 32 is counted in its range") {
  Run run(Axes{{"args.n", {"1"}}});
  for (std::size_t degree = 1; degree <= 32; ++degree) {
    run.statistic(0, "sm.scratchpad.degree." + std::to_string(degree)) = std::uint64_t{1} << degree;
  }
  const Shares shares = conflict_degrees(run.all());
  REQUIRE(shares.rows.size() == 1);
  // 2^a + ... + 2^b = 2^(b + 1) - 2^a
  CHECK(shares.rows[0].counts == std::vector<std::uint64_t>{2, 4, (1 << 5) - (1 << 3), (1 << 9) - (1 << 5),
                                                            (1 << 17) - (1 << 9), (1ULL << 33) - (1 << 17)});
}

TEST_CASE("The page is well-formed, needs nothing from elsewhere, and has its parts in order") {
  Run run(Axes{{"args.layout", {"<a>", "b&c"}}, {"args.n", {"1", "2"}}});
  run.experiment.baseline = {{"args.n", scalar("1")}};
  run.results[0].notes = {"a note with <markup>"};
  run.results[0].launches = {{"kernel<int>", 60, 7, {}}, {"second", 40, 9, {}}};
  const std::string html = report_html(run.all(), {"name: e\ntext: \"<&>\"\n", "{\"schema\": \"x\"}\n"});
  const Element page = parsed(html);
  CHECK(elements(page, "h1").front().data() == "a <title> & more");
  CHECK(elements(page, "title").front().data() == "a <title> & more");
  std::size_t place = 0;
  for (const char* part :
       {"<h1>", "what it is about", ">Cycles</h2>", "<svg", ">Speed-up</h2>", "<table class=\"data\">",
        ">Where the issue slots went</h2>", ">Scratchpad conflicts</h2>", "<details>", "kernel&lt;int&gt;",
        "Effective configuration", "name: e", "Provenance", "schema", "<script>"}) {
    INFO(part);
    const std::size_t found = html.find(part, place);
    REQUIRE(found != std::string::npos);
    place = found;
  }
  for (const char* outside : {"src=", "href=\"http", "url(", "@import", "<link"}) CHECK_THAT(html, !Contains(outside));
  CHECK_THAT(html, Contains("a note with &lt;markup&gt;") && Contains("No point accessed the scratchpad."));
  CHECK_THAT(html, Contains("The output of every point is what its workload expects."));
  const auto rows = elements(elements(page, "tbody").front(), "tr");
  CHECK(rows.size() == 4);
}

TEST_CASE("Points without a good result are named at the top, and the page still stands without any number") {
  Run run(Axes{{"args.n", {"1", "2", "4"}}});
  run.results[0].status = Status::failed;
  run.results[0].message = "bin 3 is 1, expected 2";
  run.results[1] = {};
  run.results[2].status = Status::refused;
  run.results[2].message = "too large";
  const std::string html = report_html(run.all(), {});
  CHECK_THAT(html, Contains("One point is not run yet"));
  CHECK_THAT(html, Contains("args.n=1: the output is not the expected one: bin 3 is 1, expected 2"));
  CHECK_THAT(html, Contains("args.n=4: could not run: too large"));
  CHECK_THAT(html, Contains("There are no values to show.") && Contains("3 points without a good result left out."));
  CHECK_THAT(html, Contains("The run has not ended yet."));
  CHECK(elements(parsed(html), "tbody").front().size() >= 3);
  for (experiment::PointResult& result : run.results) result = {};
  CHECK_THAT(report_html(run.all(), {}), Contains("3 points are not run yet") && !Contains("issue slots"));
}

TEST_CASE("The page holds the pictures that workloads have left") {
  Run run(Axes{{"args.n", {"1", "2"}}});
  // In base64 "PNG" is UE5H, "PNGs" UE5Hcw==.
  const std::string html =
      report_html(run.all(), {"", "", {{"lines n=<1>", "PNG"}, {"lines n=2", "PNGs"}, {"large", ""}}});
  parsed(html);
  CHECK_THAT(html, Contains(">Pictures</h2>") && Contains("<figcaption>lines n=&lt;1&gt;</figcaption>"));
  CHECK_THAT(html,
             Contains("src=\"data:image/png;base64,UE5H\"") && Contains("src=\"data:image/png;base64,UE5Hcw==\""));
  CHECK_THAT(html, Contains("large (only in the folder of results)"));
  CHECK_THAT(report_html(run.all(), {}), !Contains("Pictures"));
}

}  // namespace lockstep::page_test
