// Reading measurement suites; the committed ones and their page.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/config/parameter.hpp"
#include "sim/experiment/running/measure.hpp"
#include "sim/validate/output.hpp"
#include "sim/validate/suite.hpp"
#include "sim/validate/suite_run.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::suite_test {

using Catch::Matchers::Contains;

namespace {

const std::string head = "title: t\nsource: s\nplace: p\ngrade: A\nmethod: m\n";

/// A folder with a suite and what is accepted of it.
class Files {
 public:
  explicit Files(const std::string& suite, const std::string& accepted = "") {
    folder_.write("tiny.yaml", suite);
    if (!accepted.empty()) folder_.write("accepted-deviations.yaml", accepted);
  }
  std::string suite() const { return folder_ / "tiny.yaml"; }

 private:
  test::TemporaryFolder folder_;
};

std::string mistakes(const std::string& suite, const std::string& accepted = "") {
  const Files files(suite, accepted);
  try {
    validate::load_suite(files.suite());
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("A grid of rows and columns becomes a point per printed number, without the empty cells") {
  const Files files(head +
                    "tables:\n"
                    "  - name: load\n"
                    "    unit: cycles\n"
                    "    set: {gpu: gtx580, probe.op: ld}\n"
                    "    value: cycles\n"
                    "    rows: probe.pattern\n"
                    "    columns: {probe.warps: [1, 2]}\n"
                    "    published:\n"
                    "      0-31: [44, 46]\n"
                    "      \"0,32\": [76, ~]\n");
  const validate::Suite suite = validate::load_suite(files.suite());
  REQUIRE(suite.tables.size() == 1);
  REQUIRE(suite.numbers() == 3);
  CHECK(suite.tables[0].cell_name(suite.tables[0].cells[1]) == "load 0-31 2");
  CHECK(suite.tables[0].cells[2].measured == 76);
  CHECK(suite.limits.mean_pct == 3);
  CHECK(suite.limits.max_pct == 10);
}

TEST_CASE("All errors of a suite are named with their places") {
  const std::string text = mistakes(head +
                                    "limts: {mean: 3}\n"
                                    "tables:\n"
                                    "  - name: one\n"
                                    "    set: {gpu: gtx580, probe.opp: ld, sm.scratchpad.bank: 3}\n"
                                    "    value: cycles +\n"
                                    "    published: 3\n"
                                    "  - name: two\n"
                                    "    value: cycles\n"
                                    "    columns: {probe.warps: [1, 2]}\n"
                                    "    published: [1, 2, 3]\n"
                                    "  - name: three\n"
                                    "    value: cycles\n"
                                    "    rows: case\n"
                                    "    cases: {small: {probe.warps: 1}}\n"
                                    "    published: {smal: 4}\n"
                                    "  - name: four\n"
                                    "    value: cycles\n"
                                    "    published: 0\n");
  CHECK_THAT(text, Contains("tiny.yaml:6:1") && Contains("limits"));
  CHECK_THAT(text, Contains("tiny.yaml:10:12") && Contains("cycles +"));
  CHECK_THAT(text, Contains("tiny.yaml:15:16") && Contains("2 values are needed, one per column"));
  CHECK_THAT(text, Contains("tiny.yaml:20:17") && Contains("'smal' is not a case; did you mean 'small'?"));
  CHECK_THAT(text, Contains("tiny.yaml:23:16") && Contains("no percentage error"));
  const std::string paths = mistakes(head +
                                     "tables:\n"
                                     "  - name: one\n"
                                     "    set: {gpu: gtx580, probe.opp: ld, sm.scratchpad.bank: 3}\n"
                                     "    value: cycles\n"
                                     "    published: 3\n");
  CHECK_THAT(paths, Contains("tiny.yaml:8:24") && Contains("did you mean 'probe.op'?"));
  CHECK_THAT(paths, Contains("did you mean 'sm.scratchpad.banks'?"));
}

TEST_CASE("What is missing or doubled in a suite is named") {
  CHECK_THAT(mistakes("title: t\n"), Contains("there is no 'source'") && Contains("neither 'tables' nor 'statements'"));
  CHECK_THAT(mistakes("title: t\nsource: s\nplace: p\ngrade: E\nmethod: m\ntables: []\n"), Contains("grade is A"));
  CHECK_THAT(
      mistakes(head +
               "tables:\n  - {name: a, value: cycles, published: 1}\n  - {name: a, value: cycles, published: 2}\n"),
      Contains("two points are named 'a'"));
  CHECK_THAT(mistakes(head + "tables:\n  - {name: a, value: cycles, published: 1, over: {probe.warps: [1, 2]}}\n"),
             Contains("'over' and 'reduce'"));
}

TEST_CASE("An accepted deviation names a point that exists, a reason and how much") {
  const std::string suite =
      head + "tables:\n  - {name: load, value: cycles, rows: probe.warps, published: {1: 5, 2: 6}}\n";
  CHECK(mistakes(suite, "tiny:\n  - {point: load 1, within: 20, reason: r}\n") == "none");
  CHECK(mistakes(suite, "tiny:\n  - {point: load *, within: 20, reason: r}\n") == "none");
  CHECK_THAT(mistakes(suite, "tiny:\n  - {point: loud 1, within: 20, reason: r}\n"),
             Contains("accepted-deviations.yaml:2:13") && Contains("did you mean 'load 1'?"));
  CHECK_THAT(mistakes(suite, "tiny:\n  - {point: load 1, reason: r}\n"), Contains("within"));
  CHECK_THAT(mistakes(suite, "tiny:\n  - {points: [load *, load 1], within: 20, reason: r}\n"), Contains("twice"));
  CHECK_THAT(mistakes(suite, "tinny:\n  - {point: load 1, within: 20, reason: r}\n"), Contains("no suite 'tinny'"));
}

TEST_CASE("Every committed suite reads") {
  const auto suites = validate::load_suites({});
  CHECK(suites.size() >= 20);
  for (const validate::Suite& suite : suites) {
    CAPTURE(suite.name);
    CHECK(suite.numbers() + suite.statements() > 0);
    CHECK_FALSE(suite.method.empty());
  }
}

TEST_CASE("The page of the measurements shows every suite and every number of it") {
  std::ifstream page(source_dir() + "/configs/measurements/README.md");
  std::set<std::string> begins;  // Of its lines: headings, and first cells of tables.
  for (std::string line; std::getline(page, line);)
    begins.insert(line.starts_with("| ") ? line.substr(0, line.find(" | ", 1)) : line);
  for (const validate::Suite& suite : validate::load_suites({})) {
    CAPTURE(suite.name);
    CHECK(begins.contains("### " + suite.name));
    const std::string figure = source_dir() + "/configs/measurements/" + validate::figure_file(suite);
    CHECK((suite.numbers() == 0 || std::filesystem::exists(figure)));
    for (const validate::Table& table : suite.tables)
      for (const validate::Cell& cell : table.cells)
        if (!table.is_statement) CHECK(begins.contains("| " + table.cell_name(cell)));
  }
}

TEST_CASE("The generated part of a page is replaced, the rest stays") {
  const std::string page =
      "before\n<!-- generated by: lockstep validate --write -->\nold\n<!-- end of the generated part -->\nafter\n";
  const std::string again = validate::with_document(page, "README.md", "new\n");
  CHECK(again ==
        "before\n<!-- generated by: lockstep validate --write -->\n\nnew\n<!-- end of the generated part -->\nafter\n");
  CHECK(validate::with_document(again, "README.md", "new\n") == again);
  CHECK_THROWS_AS(validate::with_document("no marks", "README.md", "new\n"), InputError);
}

TEST_CASE("A deviation is accepted only up to its bound, and left out of the mean") {
  const Files files(head +
                        "tables:\n"
                        "  - name: load\n"
                        "    set: {gpu: gtx580, probe.op: ld, probe.pattern: 0-31}\n"
                        "    value: cycles\n"
                        "    rows: probe.warps\n"
                        "    published: {1: 22}\n"
                        "  - name: other\n"
                        "    set: {gpu: gtx580, probe.op: ld, probe.pattern: 0-31}\n"
                        "    value: cycles\n"
                        "    published: 44\n",
                    "tiny:\n  - {point: load 1, within: 120, reason: r}\n");
  std::vector<validate::Suite> suites = {validate::load_suite(files.suite())};
  const validate::Validation accepted = validate::validate(suites, {});
  CHECK(accepted.holds);
  CHECK(accepted.accepted == 1);
  CHECK(accepted.accuracy.points == 1);
  CHECK(accepted.accuracy.max_abs_pct == 0);
  CHECK(accepted.with_accepted.points == 2);
  CHECK(accepted.with_accepted.max_abs_pct == Approx(100));  // 44 instead of 22
  CHECK_THAT(validate::to_text(accepted), Contains("accepted within 120 %: r"));

  suites[0].accepted.at("load 1").within_pct = 99;
  const validate::Validation beyond = validate::validate(suites, {});
  CHECK_FALSE(beyond.holds);
  CHECK(beyond.accepted == 0);
  CHECK(beyond.accuracy.points == 2);
}

TEST_CASE("A suite that says why it deviates fails as soon as its limits hold") {
  const std::string table =
      "tables:\n"
      "  - name: load\n"
      "    set: {gpu: gtx580, probe.op: ld, probe.pattern: 0-31}\n"
      "    value: cycles\n"
      "    published: ";
  const auto outcome = [&](const std::string& keys, const std::string& published) {
    const Files files(head + keys + table + published + "\n");
    const std::vector<validate::Suite> suites = {validate::load_suite(files.suite())};
    const validate::Validation validation = validate::validate(suites, {});
    return std::pair(validation.holds, validate::verdict(validation.suites[0]));
  };
  const std::string limits = "limits: {mean: 20, max: 20}\n", deviates = limits + "deviates: r\n";
  // A load without conflicts takes 44 cycles here: 100 % more than 22.
  CHECK(outcome(limits, "44") == std::pair(true, std::string("yes")));
  CHECK(outcome(limits, "22") == std::pair(false, std::string("NO")));
  CHECK(outcome(deviates, "22") == std::pair(true, std::string("deviates")));
  CHECK(outcome(deviates, "44") == std::pair(false, std::string("NO")));
}

TEST_CASE("Numbers from which parameters were set are told apart from those that are predicted") {
  const Files files(head +
                    "set: {gpu: gtx580, probe.op: ld}\n"
                    "limits: {mean: 100, max: 100}\n"
                    "tables:\n"
                    "  - name: alone\n"
                    "    set: {probe.pattern: 0-31}\n"
                    "    value: cycles\n"
                    "    calibrates: [sm.scratchpad.load_latency]\n"
                    "    published: 40\n"
                    "  - name: twice\n"
                    "    set: {probe.pattern: \"0,32\"}\n"
                    "    value: cycles\n"
                    "    published: 80\n");
  const std::vector<validate::Suite> suites = {validate::load_suite(files.suite())};
  const validate::Validation validation = validate::validate(suites, {});
  // 44 cycles without and 76 with a conflict (Gomez-Luna, section 4.3.3): 10 % more than 40, 5 % less than 80.
  CHECK(validation.calibrated.points == 1);
  CHECK(validation.calibrated.mean_abs_pct == Approx(10));
  CHECK(validation.predicted.points == 1);
  CHECK(validation.predicted.mean_abs_pct == Approx(5));
  // The best constant of 40 and 80 is 40: errors of 0 and 50 %.
  CHECK(validation.null_model.mean_abs_pct == Approx(25));
  CHECK_THAT(validate::to_text(validation), Contains("calibrated") && Contains("predicted") && Contains("25.00"));
  CHECK_THAT(validate::document(validation), Contains("\"alone\" calibrates `sm.scratchpad.load_latency`"));
}

TEST_CASE("Parameters are set from microbenchmarks and probes alone, and exist") {
  const auto with = [](const std::string& set, const std::string& calibrates) {
    return mistakes(head + "calibrates: [" + calibrates + "]\nset: {gpu: gtx580, " + set +
                    "}\ntables:\n  - {name: n, value: cycles, published: 1}\n");
  };
  CHECK(with("workload: micro-arithmetic", "sm.integer.latency") == "none");
  CHECK(with("probe.op: ld", "sm.scratchpad.load_latency") == "none");
  CHECK_THAT(with("workload: histogram", "sm.integer.latency"),
             Contains("tiny.yaml:9:") && Contains("the workload here is 'histogram'"));
  CHECK_THAT(with("occupancy.threads: 64", "sm.occupancy.warps"), Contains("here is neither"));
  CHECK_THAT(with("workload: micro-arithmetic", "sm.integer.latencies"),
             Contains("tiny.yaml:6:14") && Contains("did you mean 'sm.integer.latency'?"));
  CHECK_THAT(mistakes(head + "calibrates: sm.integer.latency\nset: {workload: micro-arithmetic}\ntables:\n"
                             "  - {name: n, value: a.cycles, published: 1, runs: {a: {}, b: {workload: transpose}}}\n"),
             Contains("the workload here is 'transpose'"));
}

TEST_CASE("A direction is right on the measured side, and clear where the measured value is beyond the noise") {
  const auto outcome = [](const std::string& share) {
    // Both patterns take 44 cycles (Gomez-Luna, section 4.3.3), so that the simulated quotient is 44 / 40 = 1.1 everywhere.
    const Files files(head + "limits: {mean: 100, max: 100, direction: " + share +
                      "}\n"
                      "set: {gpu: gtx580, probe.op: ld, probe.pattern: 0-31}\n"
                      "tables:\n"
                      "  - name: gain\n"
                      "    value: cycles / 40\n"
                      "    rows: probe.warps\n"
                      "    columns: {probe.pattern: [0-31, \"5\", \"6\", \"7\"]}\n"
                      "    direction: {from: 1, noise: 5}\n"
                      "    published: {1: [1.2, 0.9, 1.04, 0.96]}\n");
    const std::vector<validate::Suite> suites = {validate::load_suite(files.suite())};
    const validate::Validation validation = validate::validate(suites, {});
    CHECK(validate::direction_text(validation.directions) ==
          "direction right in 1 of 2 that differ by more than the noise, in 2 of all 4");
    return validation.holds;
  };
  CHECK(outcome("50"));
  CHECK_FALSE(outcome("51"));
  const std::string table = "tables:\n  - {name: n, value: cycles, published: 1, direction: ";
  CHECK_THAT(mistakes(head + table + "{from: 1}}\n"), Contains("there is no 'noise'"));
  CHECK_THAT(mistakes(head + table + "{from: 1, noise: -1}}\n"), Contains("a percentage from 0"));
}

TEST_CASE("Runs of suites share executions, and come to what the points of an experiment come to") {
  const Files files(
      head +
      "set: {workload: vector-add, args.length: 300}\n"
      "tables:\n"
      "  - {name: time, value: cycles, rows: gpu, published: {gtx580: 1, gtx480: 1}}\n"
      "statements:\n"
      "  - name: same\n"
      "    text: t\n"
      "    runs: {a: {gpu: gtx580}, b: {gpu: gtx480, sm.floating.latency: 30}}\n"
      "    check: >-\n"
      "      a.warp_instructions == b.warp_instructions && a.length == 300 && sms == 16 && b.sms == 15 &&\n"
      "      a.resident.warps > 0 && a.derived.ipc > 0 && a.sm.issue.slots > 0\n");
  const std::vector<validate::Suite> suites = {validate::load_suite(files.suite())};
  const validate::Validation shared = validate::validate(suites, {});
  INFO(validate::to_text(shared));
  CHECK(shared.executions == 1);
  CHECK(shared.not_run == 0);
  CHECK(shared.statements_failed == 0);

  validate::ValidationOptions without;
  without.traces = {0, 0};
  const validate::Validation live = validate::validate(suites, without);
  CHECK(live.executions == 3);  // On a GTX 580, on a GTX 480, and on one with another latency.
  CHECK(validate::to_json(live) == validate::to_json(shared));

  experiment::Point point;
  point.gpu = config::load_gpu("gtx580");
  point.workload = "vector-add";
  point.arguments = {{"length", "300"}};
  const experiment::PointResult result = experiment::run_point(point);
  CHECK(result.status == experiment::Status::done);
  CHECK(shared.suites[0].points[0].simulated == static_cast<double>(result.cycles));
}

TEST_CASE("A number names what its runs yield; what a run does not yield has no value and says why") {
  const auto problem = [](const std::string& settings, const std::string& value) {
    const Files files(head + "tables:\n  - {name: n, set: {gpu: gtx580, " + settings + "}, value: \"" + value +
                      "\", published: 1}\n");
    const std::vector<validate::Suite> suites = {validate::load_suite(files.suite())};
    return validate::validate(suites, {}).suites[0].points[0].problem;
  };
  const std::string pattern = "probe.op: atom, probe.pattern: 0-31", vectors = "workload: vector-add, args.length: 99";
  CHECK(problem(pattern, "bank_degree + lock_degree + position_degree + iterations + warps").empty());
  CHECK(problem("occupancy.threads: 64", "resident.blocks + resident.warps + threads + registers").empty());
  CHECK(problem("sms: 3", "sms * clock_mhz").empty());
  CHECK(problem(vectors, "cycles * time_s / length").empty());
  CHECK_THAT(problem(vectors, "clock"), Contains("does not read the clock register twice"));
  CHECK_THAT(problem(vectors, "clock_max"), Contains("does not read the clock register twice"));
  CHECK_THAT(problem(pattern, "sm.issue.slots"), Contains("has no value in this run"));
  CHECK_THAT(problem("occupancy.threads: 64", "cycles"), Contains("has no value in this run"));
  CHECK_THAT(problem(vectors, "cylces"), Contains("cylces"));
}

}  // namespace lockstep::suite_test
