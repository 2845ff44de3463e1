#include "sim/experiment/results/exported_table.hpp"

#include <catch2/catch.hpp>

#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::exported_table_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;

namespace {

/// Three points: one that is done, one that could not run, one that is missing.
struct Sample {
  test::File file{
      "name: e\ngpu: gtx580\nworkload: vector-add\nsweep: {args.length: [7, 0.5, 'a \"b\"']}\n"
      "checks:\n  - {says: 'it is, as said, slow', source: someone, values: {most: {maximum: cycles, where: "
      "{args.length: 7}, published: 50}}, "
      "holds: most > 9}\n"};
  StoredResults all;

  Sample() : all{load_experiment(file.path()), {}, {}} {
    all.points = expand(all.experiment);
    all.results.resize(3);
    PointResult& done = all.results[0];
    done.status = Status::done;
    done.workload = all.results[1].workload = "vector-add";
    done.cycles = 1234567;
    done.time_ms = 0.1;
    done.launches = {{"k", 1234567, 99, {2, 16, "warps"}}};
    done.statistics.resize(stats::statistics().size(), 5);
    done.derived.resize(stats::derived_statistics().size());
    all.results[1].status = Status::refused;
  }
  std::string csv(const ExportChoice& choice) const { return exported_csv(exported_table(all, choice)); }
};

}  // namespace

TEST_CASE("Exported points have a line each, missing ones too, with the columns that are asked for in their order") {
  const Sample sample;
  CHECK(sample.csv({"points", {"status", "args.*", "cycles", "time_m?", "sms"}, false}) ==
        "status,args.length,cycles,time_ms,sms\n"
        "done,7,1234567,0.1,16\n"
        "refused,0.5,,,16\n"
        "missing,\"a \"\"b\"\"\",,,16\n");
  CHECK_THROWS_WITH(sample.csv({"points", {"cylces", "nothing.*"}, false}),
                    Contains("did you mean 'cycles'?") && Contains("no column fits 'nothing.*'"));
}

TEST_CASE("Without a choice, points have all columns in which one of them has a value") {
  const Sample sample;
  const ExportedTable table = exported_table(sample.all, {});
  const auto has = [&table](const std::string& name) {
    return std::any_of(table.fields.begin(), table.fields.end(),
                       [&name](const ExportedTable::Field& field) { return field.name == name; });
  };
  CHECK(table.fields[0].name == "point");
  CHECK(table.fields[1].name == "args.length");
  CHECK(has("sm.issue.slots"));
  CHECK(has("resident.warps"));
  for (const char* absent : {"wall_s", "reference.name", "hash", "derived.speedup", "sm.scratchpad.banks"})
    CHECK_FALSE(has(absent));
  CHECK(table.rows.size() == 3);
}

TEST_CASE("The long form has a line for each value that there is, with its unit") {
  const Sample sample;
  CHECK(sample.csv({"points", {"cycles", "time_ms", "status"}, true}) ==
        "point,args.length,name,value,unit\n"
        "0,7,cycles,1234567,cycles\n0,7,time_ms,0.1,ms\n0,7,status,done,\n"
        "1,0.5,status,refused,\n2,\"a \"\"b\"\"\",status,missing,\n");
}

TEST_CASE("Launches and checks are tables of their own") {
  const Sample sample;
  CHECK(sample.csv({"launches", {}, false}) ==
        "point,args.length,launch,kernel,cycles,warp_instructions,blocks_per_sm,warps_per_sm,occupancy_limit\n"
        "0,7,0,k,1234567,99,2,16,warps\n");
  CHECK(sample.csv({"checks", {}, false}) ==
        "check,says,source,verdict,holds,deviates,cases,at,message\n"
        "0,\"it is, as said, slow\",someone,holds,true,,1,,\n");
  CHECK(sample.csv({"check-values", {}, false}) == "check,name,simulated,published\n0,most,1234567,50\n");
  CHECK(exported_table(sample.all, {"references", {}, false}).rows.empty());
  CHECK(exported_table(sample.all, {"hashes", {}, false}).rows.empty());
  CHECK_THROWS_WITH(sample.csv({"chekcs", {}, false}), Contains("did you mean 'checks'?"));
  CHECK_THROWS_AS(sample.csv({"checks", {"says"}, false}), InputError);
  CHECK_THROWS_AS(sample.csv({"checks", {}, true}), InputError);
}

TEST_CASE("Exported JSON has objects whose numbers are numbers, and null where there is no value") {
  const Sample sample;
  const std::string json = exported_json(exported_table(sample.all, {"points", {"args.length", "cycles"}, false}), "e");
  CHECK_THAT(json, Contains("\"schema\": \"lockstep.export/1\""));
  CHECK_THAT(json, Contains("{\"name\": \"cycles\", \"unit\": \"cycles\", \"text\": \"Cycles of all launches"));
  CHECK_THAT(json, Contains("{\"args.length\": 7, \"cycles\": 1234567}"));
  CHECK_THAT(json, Contains("{\"args.length\": \"a \\\"b\\\"\", \"cycles\": null}"));
}

}  // namespace lockstep::exported_table_test
