#include <catch2/catch.hpp>
#include <set>

#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::output_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

config::Value scalar(const std::string& text, bool quoted = false) {
  config::Value value;
  value.kind = config::Value::Kind::scalar;
  value.text = text;
  value.quoted = quoted;
  return value;
}

/// Two axes; point (layout i, replication j) takes the milliseconds given.
struct Sample {
  Experiment experiment;
  std::vector<Point> points;
  RunOutcome outcome;

  explicit Sample(const std::vector<double>& milliseconds) {
    experiment.name = "e";
    experiment.title = "an experiment";
    experiment.axes = {{"args.layout", {scalar("hist, \"major\""), scalar("b")}},
                       {"args.replication", {scalar("1"), scalar("2"), scalar("4")}}};
    experiment.baseline = {{"args.replication", scalar("2")}};
    for (const auto& layout : experiment.axes[0].values) {
      for (const auto& replication : experiment.axes[1].values) {
        Point point;
        point.gpu.sms = 16;
        point.swept = {{"args.layout", layout}, {"args.replication", replication}};
        points.push_back(point);
        PointResult result;
        result.status = Status::done;
        result.time_ms = milliseconds[outcome.results.size()];
        result.cycles = static_cast<std::uint64_t>(1e6 * result.time_ms);
        result.statistics.resize(stats::statistics().size(), 1234567);
        result.derived.resize(stats::derived_statistics().size());
        result.derived[0] = 0.12345;
        outcome.results.push_back(result);
      }
    }
  }
  std::optional<double> speedup_of(std::size_t index) const {
    return gains(experiment, points, outcome.results)[index].speedup;
  }
};

}  // namespace

TEST_CASE("A speed-up compares with the baseline's value in the same other axes") {
  Sample run({8, 4, 2, 30, 10, 5});
  CHECK(run.speedup_of(0) == 0.5);  // 4 ms at replication 2, over 8 ms
  CHECK(run.speedup_of(1) == 1.0);
  CHECK(run.speedup_of(2) == 2.0);
  CHECK(run.speedup_of(3) == Approx(10.0 / 30));  // compares within the other layout
  CHECK(run.speedup_of(5) == 2.0);
  run.outcome.results[4].status = Status::refused;
  CHECK_FALSE(run.speedup_of(5).has_value());
  CHECK(run.speedup_of(2) == 2.0);
  run.experiment.baseline.clear();
  CHECK_FALSE(run.speedup_of(2).has_value());
}

TEST_CASE("Cells show counts in groups, numbers with decimals, shares in percent") {
  const Sample run({8, 4, 2, 30, 10, 5});
  const Gain gain{run.speedup_of(0), {}};
  const auto shown = [&](const std::string& name, std::optional<int> decimals = {}, bool percent = false) {
    config::Value named = scalar(name);
    TableColumn column(named_column(named, run.experiment.axes));
    column.decimals = decimals;
    column.percent = percent;
    return column.cell(row_of(run.points[0], run.outcome.results[0], gain));
  };
  CHECK(shown("args.replication") == "1");
  CHECK(shown("cycles") == "8,000,000");
  CHECK(shown("sm.issue.slots") == "1,234,567");
  CHECK(shown("time_ms", 1) == "8.0");
  CHECK(shown("derived.ipc", 2) == "0.12");
  CHECK(shown("derived.ipc", {}, true) == "12.3");
  CHECK(shown("derived.speedup", 0) == "0");  // 0.5 rounds to even
  CHECK(shown("derived.occupancy") == "-");
  CHECK(shown("status") == "done");
  CHECK(shown("clock") == "-");
  CHECK(shown("sms") == "16");  // A parameter of the GPU.
}

TEST_CASE("A column that nobody declared is named with the nearest one") {
  CHECK_THROWS_WITH(named_column(scalar("cylces"), {}), Contains("'cylces' is neither swept nor a statistic; did you"
                                                                 " mean 'cycles'?"));
  const Column axis = named_column(scalar("cycles"), {{"cycles", {}}});  // An axis goes before a column of its name.
  CHECK(axis.group == Column::Group::axis);
}

TEST_CASE("Every column has a name of its own and says what it shows") {
  std::set<std::string> names;
  for (const Column& column : columns()) {
    CAPTURE(column.name);
    CHECK(names.insert(column.name).second);
    CHECK_FALSE(column.text.empty());
  }
}

TEST_CASE("A run without numbers shows what it is, and nothing else") {
  Sample run({8, 4, 2, 30, 10, 5});
  PointResult& refused = run.outcome.results[0];
  refused.status = Status::refused;
  refused.workload = "w";
  const Row row = row_of(run.points[0], refused);
  CHECK(TableColumn(column("workload")).cell(row) == "w");
  CHECK(TableColumn(column("status")).cell(row) == "refused");
  CHECK(TableColumn(column("cycles")).cell(row) == "-");
  CHECK(column("sm.issue.slots").csv(row).empty());
  CHECK_FALSE(column("derived.ipc").number(row).has_value());
  CHECK(column("sms").number(row) == 16.0);
}

TEST_CASE("CSV quotes what needs quotes and has a field for every column") {
  Sample run({8, 4, 2, 30, 10, 5});
  run.outcome.results[5].status = Status::refused;
  const std::string csv = results_csv(run.experiment, run.points, run.outcome);
  CHECK_THAT(csv, StartsWith("args.layout,args.replication,gpu,workload,status,cycles,time_ms,"));
  CHECK_THAT(csv, Contains("\n\"hist, \"\"major\"\"\",1,,,done,8000000,8,"));
  CHECK_THAT(csv, Contains("\nb,4,,,refused,,,"));
  std::size_t commas = 0;
  const std::string last = csv.substr(csv.rfind("\nb,4") + 1);
  for (const char c : last) commas += c == ',' ? 1 : 0;
  std::size_t header_commas = 0;
  for (const char c : csv.substr(0, csv.find('\n'))) header_commas += c == ',' ? 1 : 0;
  CHECK(commas == header_commas);
}

TEST_CASE("JSON points keep numbers as numbers and quoted values as texts") {
  Sample run({8, 4, 2, 30, 10, 5});
  run.points[1].swept[1].second = scalar("2", true);
  run.points[2].swept[1].second = scalar("true");
  const std::string json = results_json(run.experiment, run.points, run.outcome);
  CHECK_THAT(json, Contains("\"schema\": \"lockstep.run/1\""));
  CHECK_THAT(json, Contains("\"args.layout\": \"hist, \\\"major\\\"\", \"args.replication\": 1}"));
  CHECK_THAT(json, Contains("\"args.replication\": \"2\"}"));
  CHECK_THAT(json, Contains("\"args.replication\": true}"));
}

TEST_CASE("Columns have the unit of what they show") {
  CHECK(unit_of("cycles") == "cycles");
  CHECK(unit_of("time_ms") == "ms");
  CHECK(unit_of("derived.memory_bandwidth") == "GB/s");
  CHECK(unit_of("sm.scratchpad.load_latency") == "cycles");
  CHECK(unit_of("args.bins").empty());
}

TEST_CASE("Bank conflicts removed are a share of the baseline's own") {
  Sample run({8, 4, 2, 30, 10, 5});
  const auto index =
      static_cast<std::size_t>(stats::find_statistic("sm.scratchpad.bank_conflicts") - stats::statistics().data());
  const std::uint64_t conflicts[] = {30, 40, 50, 7, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) run.outcome.results[i].statistics[index] = conflicts[i];
  const auto found = gains(run.experiment, run.points, run.outcome.results);
  CHECK(found[0].conflicts_removed == Approx(0.25));
  CHECK(found[1].conflicts_removed == 0.0);
  CHECK(found[2].conflicts_removed == Approx(-0.25));
  CHECK_FALSE(found[3].conflicts_removed.has_value());  // The baseline has none.
}

}  // namespace lockstep::output_test
