#include <catch2/catch.hpp>

#include "sim/experiment/experiment.hpp"
#include "tests/unit/sim/experiment_file.hpp"

using namespace lockstep;
using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;

namespace {

std::string mistake(const std::string& text) {
  const File file(text);
  try {
    expand(load_experiment(file.path()));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string two_workloads =
    "gpu: gtx580\nworkloads: [vector-add, transpose]\n"
    "hashes: {own: {vector-add: xor, otherwise: mod}, all: xor}\n";

}  // namespace

TEST_CASE("A named hash is the SPEC that it has at the point's workload") {
  const File file(two_workloads + "sweep: {sm.scratchpad.bank_hash: [mod, hashes.own, hashes.all]}\n");
  const Experiment experiment = load_experiment(file.path());
  const auto points = expand(experiment);
  REQUIRE(points.size() == 6);
  CHECK(points[1].label() == "workload=vector-add sm.scratchpad.bank_hash=hashes.own");
  CHECK(points[1].gpu.sm.scratchpad.bank_hash == "xor");
  CHECK(points[4].label() == "workload=transpose sm.scratchpad.bank_hash=hashes.own");
  CHECK(points[4].gpu.sm.scratchpad.bank_hash == "mod");
  CHECK(points[5].gpu.sm.scratchpad.bank_hash == "xor");
  const File again(effective_yaml(experiment));
  const auto same = expand(load_experiment(again.path()));
  REQUIRE(same.size() == points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(same[i].label() == points[i].label());
    CHECK(same[i].gpu.sm.scratchpad.bank_hash == points[i].gpu.sm.scratchpad.bank_hash);
  }
}

TEST_CASE("A named hash that is not there, or has nothing for a workload, is a mistake") {
  CHECK_THAT(mistake(two_workloads + "sweep: {sm.scratchpad.bank_hash: [mod, hashes.onw]}\n"),
             Contains("hashes.onw is not among the 'hashes' of this file: own, all"));
  CHECK_THAT(mistake("gpu: gtx580\nworkloads: [vector-add, transpose]\nhashes: {own: {vector-add: xor}}\n"
                     "sweep: {sm.scratchpad.bank_hash: [hashes.own]}\n"),
             Contains("hashes.own says nothing about the workload 'transpose'"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nhashes: {own: {vectoradd: xor}}\n"),
             Contains("'vectoradd' is no workload of this experiment; there are: vector-add"));
}

TEST_CASE("Paths that are swept together take the same value") {
  const File file(
      "gpu: gtx580\nworkload: vector-add\n"
      "sweep: {sm.scratchpad.bank_hash + sm.scratchpad.lock_hash: [mod, xor]}\n");
  const auto points = expand(load_experiment(file.path()));
  REQUIRE(points.size() == 2);
  CHECK(points[1].gpu.sm.scratchpad.bank_hash == "xor");
  CHECK(points[1].gpu.sm.scratchpad.lock_hash == "xor");
  CHECK(points[1].label() == "sm.scratchpad.bank_hash + sm.scratchpad.lock_hash=xor");
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nsweep: {sms + sm.schedulrs: [1, 2]}\n"),
             Contains("did you mean 'sm.schedulers'?"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nsweep: {sms + sm.schedulers: [1, 2], sms: [3]}\n"),
             Contains("sms is swept twice"));
  CHECK_THROWS_WITH(load_experiment(file.path(), {config::parse_override("sm.scratchpad.lock_hash=mod")}),
                    Contains("is swept together with others"));
}

TEST_CASE("Combinations that a condition on the arguments excludes are no points") {
  const std::string sweep =
      "gpu: gtx580\nworkload: vector-add\nset: {args.blocks: 4}\nsweep: {args.length: [7, 8, 9]}\n";
  const File file(sweep + "only: length <= 2 * blocks\n");
  const auto points = expand(load_experiment(file.path()));
  REQUIRE(points.size() == 2);
  CHECK(points[1].label() == "args.length=8");
  CHECK_THAT(mistake(sweep + "only: length > 9\n"), Contains("no combination of the swept values meets this"));
  CHECK_THAT(mistake(sweep + "only: lenght > 9\n"), Contains("'lenght' is no argument of the workload"));
  CHECK_THAT(mistake(sweep + "only: length >\n"), Contains("own.yaml:5:7"));
}
