#include <catch2/catch.hpp>

#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::figures_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;

namespace {

const std::string head =
    "gpu: gtx580\nworkload: histogram\n"
    "sweep: {args.layout: [hist-major, bin-major], args.replication: [1, 2, 4]}\n"
    "baseline: {args.replication: 1}\n";

/// What is wrong with this figure.
std::string mistake_in(const std::string& figure) {
  return test::mistake(head + "figures:\n  - " + figure + "\n");
}

}  // namespace

TEST_CASE("A figure names what it shows, along what, and how") {
  const File file(head +
                  "figures:\n"
                  "  - {x: args.replication, y: cycles, series: args.layout}\n"
                  "  - title: 'Two: of them'\n"
                  "    x: sm.scratchpad.banks\n"
                  "    y: [{mean: derived.speedup, header: gain}, {column: derived.occupancy, percent: true}]\n"
                  "    series: []\n"
                  "    facet: [args.layout, gpu]\n"
                  "    kind: points\n"
                  "    scale: {x: log, y: linear}\n"
                  "    where: {args.replication: [1, 4]}\n"
                  "    published: [{at: {args.layout: bin-major}, value: 2.5}]\n");
  const Experiment experiment = load_experiment(file.path());
  REQUIRE(experiment.figures.size() == 2);
  const Figure& first = experiment.figures[0];
  CHECK(first.title == "cycles by args.replication");
  REQUIRE(first.y.size() == 1);
  CHECK(first.y[0].pick == CheckValue::Pick::only);
  CHECK(first.series->at(0).name == "args.layout");
  CHECK_FALSE(first.facets.has_value());
  CHECK(first.kind == Figure::Kind::automatic);
  const Figure& second = experiment.figures[1];
  CHECK(second.title == "Two: of them");
  REQUIRE(second.y.size() == 2);
  CHECK(second.y[0].pick == CheckValue::Pick::mean);
  CHECK(second.y[0].shown.header == "gain");
  CHECK(second.y[1].shown.unit == "%");
  CHECK(second.series->empty());
  CHECK(second.facets->size() == 2);
  CHECK(second.kind == Figure::Kind::points);
  CHECK(second.x_scale == Figure::Scale::log);
  CHECK(second.y_scale == Figure::Scale::linear);
  CHECK(second.where.at(0).second == std::vector<std::string>{"1", "4"});
  CHECK(second.published.at(0).value == 2.5);

  const std::string yaml = effective_yaml(experiment);
  INFO(yaml);
  const File again(yaml);
  const Experiment same = load_experiment(again.path());
  CHECK(effective_yaml(same) == yaml);
  CHECK(same.figures.at(1).y.at(0).shown.header == "gain");
  CHECK(same.figures.at(1).series->empty());
  CHECK(same.figures.at(1).published.at(0).at == second.published.at(0).at);
}

TEST_CASE("What is wrong with a figure is said with its place, and what may have been meant") {
  CHECK_THAT(mistake_in("{x: args.replication, y: cylces}"), Contains(":6:30: 'cylces'") && Contains("'cycles'?"));
  CHECK_THAT(mistake_in("{x: args.replicaton, y: cycles}"), Contains(":6:9:") && Contains("'args.replication'?"));
  CHECK_THAT(mistake_in("{x: args.replication, y: cycles, serie: args.layout}"),
             Contains(":6:38:") && Contains("'series'?"));
  CHECK_THAT(mistake_in("{x: args.replication, y: cycles, kind: barz}"),
             Contains(":6:44: 'barz' is not a kind of figure") && Contains("'bars'?"));
  CHECK_THAT(mistake_in("{x: args.replication, y: cycles, scale: lgo}"),
             Contains(":6:45: 'lgo' is not a scale; there are linear, log") && Contains("'log'?"));
  CHECK_THAT(mistake_in("{x: args.layout, y: cycles, scale: {x: log}}"),
             Contains("args.layout shows names, and a logarithmic x axis needs numbers"));
  CHECK_THAT(mistake_in("{x: args.replication, y: gpu}"), Contains(":6:30: gpu shows names, and y needs numbers"));
  CHECK_THAT(mistake_in("{x: args.replication, y: args.layout}"), Contains("args.layout shows names"));
  CHECK_THAT(mistake_in("{x: args.replication, y: sm.scratchpad.bank_hash}"), Contains("bank_hash shows names"));
  CHECK_THAT(mistake_in("{x: args.replication, y: {minimum: cycles, mean: cycles}}"),
             Contains("picked in one way only"));
  CHECK_THAT(mistake_in("{x: args.replication, y: {header: cycles}}"), Contains("a value needs one of column"));
  CHECK_THAT(mistake_in("{x: args.replication}"), Contains(":6:5: there is no 'y'"));
  CHECK_THAT(mistake_in("{y: cycles, where: {args.layuot: bin-major}}"),
             Contains(":6:25: 'args.layuot' is not swept") && Contains("'args.layout'?"));
  CHECK_THAT(mistake_in("{y: cycles, where: {args.layout: bin-mayor}}"),
             Contains(":6:38: 'bin-mayor' is not a value of args.layout") && Contains("'bin-major'?"));
  CHECK_THAT(mistake_in("{y: cycles, published: [{at: {args.replication: 1}}]}"), Contains("there is no 'value'"));
  CHECK_THAT(mistake_in("{y: [cycles, time_ms], kind: stacked, published: [{at: {args.replication: 1}, value: 1}]}"),
             Contains("stacked bars have no place for published values"));
  CHECK_THAT(mistake_in("{y: cycles, title: a}\n  - {y: time_ms, title: a}"),
             Contains(":7:5: two figures have the title 'a'"));
  CHECK_THAT(test::mistake(head + "figures: {y: cycles}\n"), Contains(":5:10: 'figures' is a list of maps"));
}

TEST_CASE("Points that would lie on each other are an error, unless a value is picked from them or each is a mark") {
  const std::string all = "{x: args.replication, series: [], facet: [], y: ";
  CHECK_THAT(mistake_in(all + "cycles}"),
             Contains(":6:5: several points would lie at one place: args.layout is neither"));
  CHECK(mistake_in(all + "{mean: cycles}}").empty());
  CHECK(mistake_in(all + "cycles, kind: points}").empty());
  CHECK(mistake_in(all + "cycles, where: {args.layout: bin-major}}").empty());
  CHECK(mistake_in("{x: args.replication, y: cycles}").empty());  // What is left becomes series.
}

TEST_CASE("A check that names values which an override took away can be read back, and has no answer") {
  const File file(head +
                  "checks:\n  - says: a\n    holds: b > 0\n    values: {b: {column: cycles, where: {args.layout: "
                  "hist-major, args.replication: 1}}}\n");
  config::Override layout{"args.layout", {}};
  layout.value.kind = config::Value::Kind::scalar;
  layout.value.text = "bin-major";
  const File effective(effective_yaml(load_experiment(file.path(), {layout})));
  CHECK(load_experiment(effective.path()).checks.size() == 1);
}

TEST_CASE("Figures stay what they are when an override leaves one value of an axis") {
  const std::string figures =
      "figures:\n"
      "  - {x: args.replication, y: cycles, where: {args.layout: [hist-major, bin-major]}}\n"
      "  - {x: args.replication, y: time_ms, where: {args.layout: hist-major}, title: gone}\n"
      "  - {x: args.replication, y: cycles, title: with numbers, published: [{at: {args.layout: hist-major}, value: "
      "1}]}\n";
  const File file(head + figures);
  config::Override layout{"args.layout", {}};
  layout.value.kind = config::Value::Kind::scalar;
  layout.value.text = "bin-major";
  const Experiment one = load_experiment(file.path(), {layout});
  const File effective(effective_yaml(one));
  const Experiment again = load_experiment(effective.path());
  REQUIRE(again.figures.size() == 2);
  CHECK(again.figures[0].where.at(0).second == std::vector<std::string>{"bin-major"});
  CHECK(again.figures[1].title == "with numbers");
  CHECK(again.figures[1].published.empty());
}

}  // namespace lockstep::figures_test
