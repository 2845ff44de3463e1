#include "sim/experiment/results/summary.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

#include "sim/experiment/results/sqlite.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::summary_test {

using namespace lockstep::experiment;

namespace {

/// All rows of a query, the columns of each joined with '|'; nothing for NULL.
std::vector<std::string> rows(Database& database, const char* sql) {
  Statement statement(database.connection(), sql);
  std::vector<std::string> all;
  while (statement.step()) {
    std::string row;
    for (int column = 0; column < statement.columns(); ++column)
      row += (column == 0 ? "" : "|") + statement.text(column);
    all.push_back(row);
  }
  return all;
}

const char* const two_axes =
    "name: e\ntitle: An experiment\ntext: Why it is run.\ngpu: gtx580\nworkload: vector-add\n"
    "sweep: {sm.l1.cache.bytes: [16 KiB, 48 KiB], args.length: ['7', 8]}\nbaseline: {args.length: '7'}\n"
    "checks:\n  - {says: it is slow, source: someone, values: {most: {maximum: cycles, published: 50}}, holds: most < "
    "9}\n";

/// Points that took 100, 200, 300 and 400 cycles.
std::vector<PointResult> results_of(const std::vector<Point>& points) {
  std::vector<PointResult> results;
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointResult result;
    result.status = Status::done;
    result.gpu = points[i].gpu.name;
    result.workload = "vector-add";
    result.cycles = 100 * (i + 1);
    result.time_ms = static_cast<double>(i + 1);
    result.statistics.resize(stats::statistics().size(), 5);
    result.derived.resize(stats::derived_statistics().size());
    results.push_back(result);
  }
  return results;
}

}  // namespace

TEST_CASE("results.db has axes and values by their types, and after the run gains and checks") {
  const test::File file(two_axes);
  const test::TemporaryFolder folder;
  const Experiment experiment = load_experiment(file.path());
  const std::vector<Point> points = expand(experiment);
  const std::vector<PointResult> results = results_of(points);
  Database database = Database::open(folder / "results.db", "e");
  store_plan(database, experiment, points);
  CHECK(rows(database, "SELECT number, label FROM experiment_points ORDER BY number") ==
        std::vector<std::string>{"0|sm.l1.cache.bytes=16 KiB args.length=7", "1|sm.l1.cache.bytes=16 KiB args.length=8",
                                 "2|sm.l1.cache.bytes=48 KiB args.length=7",
                                 "3|sm.l1.cache.bytes=48 KiB args.length=8"});
  CHECK(rows(database, "SELECT axis, unit FROM axes ORDER BY number") ==
        std::vector<std::string>{"sm.l1.cache.bytes|bytes", "args.length|"});
  CHECK(rows(database, "SELECT value FROM about WHERE name IN ('title', 'text') ORDER BY name") ==
        std::vector<std::string>{"Why it is run.", "An experiment"});
  for (std::size_t i = 0; i < points.size(); ++i)
    database.store({points[i].label(), results[i], points[i].swept, "the program"});
  CHECK(rows(database, "SELECT axis, value, typeof(value), text FROM axis_values ORDER BY point, number LIMIT 4") ==
        std::vector<std::string>{"sm.l1.cache.bytes|16384|integer|16 KiB", "args.length|7|text|7",
                                 "sm.l1.cache.bytes|16384|integer|16 KiB", "args.length|8|integer|8"});
  CHECK(rows(database, "SELECT * FROM gains").empty());
  store_conclusions(database, experiment, points, results);
  CHECK(rows(database,
             "SELECT label, name, value FROM gains JOIN points ON id = point WHERE name = 'derived.speedup' ORDER BY "
             "id") == std::vector<std::string>{"sm.l1.cache.bytes=16 KiB args.length=7|derived.speedup|1.0",
                                               "sm.l1.cache.bytes=16 KiB args.length=8|derived.speedup|0.5",
                                               "sm.l1.cache.bytes=48 KiB args.length=7|derived.speedup|1.0",
                                               "sm.l1.cache.bytes=48 KiB args.length=8|derived.speedup|0.75"});
  CHECK(rows(database, "SELECT says, source, verdict, holds FROM checks") ==
        std::vector<std::string>{"it is slow|someone|DOES NOT HOLD|0"});
  CHECK(rows(database, "SELECT name, simulated, published FROM check_values") ==
        std::vector<std::string>{"most|400.0|50.0"});
  CHECK(rows(database, "SELECT number, value FROM long WHERE name = 'cycles' ORDER BY number") ==
        std::vector<std::string>{"0|100", "1|200", "2|300", "3|400"});
  store_plan(database, experiment, points);
  CHECK(rows(database, "SELECT * FROM gains").empty());
  CHECK(rows(database, "SELECT * FROM checks").empty());
  const AxisValues values = database.find(points[2].label())->values;
  REQUIRE(values.size() == 2);
  CHECK((values[0].second.text == "48 KiB" && !values[0].second.quoted));
  CHECK((values[1].second.text == "7" && values[1].second.quoted));
}

TEST_CASE("The fingerprint of a point is equal for equal results, however long they took") {
  const test::File file(two_axes);
  const test::TemporaryFolder folder;
  const std::vector<Point> points = expand(load_experiment(file.path()));
  std::vector<PointResult> results = results_of(points);
  Database one = Database::open(folder / "one.db", "e"), other = Database::open(folder / "other.db", "e");
  const std::string label = points[1].label();
  one.store({label, results[1], points[1].swept, "program"});
  const std::string fingerprint = one.fingerprint(label);
  results[1].wall_s = 5;
  other.store_all({{points[0].label(), results[0], {}, ""}, {label, results[1], points[1].swept, "program"}});
  CHECK(other.fingerprint(label) == fingerprint);
  CHECK(other.fingerprint("none").empty());
  other.store({label, results[1], points[1].swept, "another program"});
  CHECK(other.fingerprint(label) != fingerprint);
  results[1].statistics.back() += 1;
  other.store({label, results[1], points[1].swept, "program"});
  CHECK(other.fingerprint(label) != fingerprint);
}

TEST_CASE("The page describes every table of results.db, and every column of each") {
  const test::TemporaryFolder folder;
  Database database = Database::open(folder / "results.db", "e");
  const std::string page = test::contents(source_dir() + "/sim/experiment/results/README.md");
  std::size_t described = 0;
  for (const std::string& table : rows(database, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    INFO(table);
    const std::size_t at = page.find("\n| `" + table + "` |");
    REQUIRE(at != std::string::npos);
    const std::string line = page.substr(at, page.find('\n', at + 1) - at);
    for (const std::string& column : rows(database, ("SELECT name FROM pragma_table_info('" + table + "')").c_str())) {
      INFO(column);
      CHECK(line.find("`" + column + "`") != std::string::npos);
      ++described;
    }
  }
  CHECK(described > 60);
  for (const std::string& view : rows(database, "SELECT name FROM sqlite_master WHERE type = 'view'"))
    CHECK(page.find("`" + view + "`") != std::string::npos);
}

}  // namespace lockstep::summary_test
