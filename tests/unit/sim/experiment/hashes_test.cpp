#include <catch2/catch.hpp>

#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/running/measure.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/experiment/file.hpp"

namespace lockstep::hashes_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;
using test::File;
using test::mistake;

namespace {

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

TEST_CASE("A named hash that is not there, or has nothing for a workload, is an error") {
  CHECK_THAT(mistake(two_workloads + "sweep: {sm.scratchpad.bank_hash: [mod, hashes.onw]}\n"),
             Contains("hashes.onw is not among the 'hashes' of this file: own, all"));
  CHECK_THAT(mistake("gpu: gtx580\nworkloads: [vector-add, transpose]\nhashes: {own: {vector-add: xor}}\n"
                     "sweep: {sm.scratchpad.bank_hash: [hashes.own]}\n"),
             Contains("hashes.own says nothing about the workload 'transpose'"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: vector-add\nhashes: {own: {vectoradd: xor}}\n"),
             Contains("'vectoradd' is not a workload of this experiment; there are: vector-add"));
}

TEST_CASE("A variant sets several things at once, also a named hash") {
  const std::string text = two_workloads +
                           "variants: {plain: {}, hashed: {sm.scratchpad.bank_hash: hashes.own, sms: 2}}\n"
                           "sweep: {sm.schedulers: [1, 2]}\nbaseline: {variant: plain}\n";
  const File file(text);
  const Experiment experiment = load_experiment(file.path());
  const auto points = expand(experiment);
  REQUIRE(points.size() == 8);
  CHECK(points[1].label() == "workload=vector-add variant=plain sm.schedulers=2");
  CHECK(points[1].gpu.sms == 16);
  CHECK(points[3].label() == "workload=vector-add variant=hashed sm.schedulers=2");
  CHECK(points[3].gpu.sms == 2);
  CHECK(points[3].gpu.sm.scratchpad.bank_hash == "xor");
  const File again(effective_yaml(experiment));
  const auto same = expand(load_experiment(again.path()));
  REQUIRE(same.size() == points.size());
  CHECK(same[3].label() == points[3].label());
  CHECK(same[3].gpu.sm.scratchpad.bank_hash == "xor");
  CHECK(same[3].gpu.sms == 2);
  const auto one = load_experiment(file.path(), {config::parse_override("variant=hashed")});
  CHECK(expand(one).size() == 4);
  const File narrowed(effective_yaml(one));
  CHECK(expand(load_experiment(narrowed.path())).size() == 4);
  CHECK_THROWS_WITH(load_experiment(file.path(), {config::parse_override("variant=hash")}),
                    Contains("'hash' is not a variant; there are: plain, hashed"));
  CHECK_THROWS_WITH(load_experiment(file.path(), {config::parse_override("sms=3")}),
                    Contains("choose one with -s variant=NAME"));
  CHECK_THAT(mistake(two_workloads + "variants: {a: {sms: 1}}\nsweep: {sms: [1, 2]}\n"),
             Contains("sms is swept, and a variant sets it"));
  CHECK_THAT(mistake(two_workloads + "set: {sms: 4}\nvariants: {a: {sms: 1}}\n"),
             Contains("sms is set for all variants already"));
  CHECK_THAT(mistake(two_workloads + "variants: {a: {smss: 1}}\n"), Contains("did you mean 'sms'?"));
}

TEST_CASE("A variant may have settings of its own at some workloads, and then has no points at others") {
  const std::string text = two_workloads +
                           "variants: {plain: {}, other: {sms: 2, at: {transpose: {args.variant: tiled}}}}\n"
                           "baseline: {variant: plain}\n";
  const File file(text);
  const Experiment experiment = load_experiment(file.path());
  const auto points = expand(experiment);
  REQUIRE(points.size() == 3);
  CHECK(points[2].label() == "workload=transpose variant=other");
  CHECK(points[2].gpu.sms == 2);
  const workload::ArgumentOverrides expected = {{"variant", "tiled"}};
  CHECK(points[2].arguments == expected);
  const File again(effective_yaml(experiment));
  const auto same = expand(load_experiment(again.path()));
  REQUIRE(same.size() == 3);
  CHECK(same[2].arguments == expected);
  CHECK(same[2].gpu.sms == 2);
  CHECK_THAT(mistake(two_workloads + "variants: {a: {at: {transposed: {args.variant: tiled}}}}\n"),
             Contains("'transposed' is not a workload of this experiment"));
  CHECK_THAT(mistake(text + "sweep: {args.variant: [tiled]}\n"), Contains("a variant sets it"));
}

TEST_CASE("A hash that kernels compute themselves is found for what they access without it") {
  const File file(
      "gpu: gtx480\nworkload: transpose\n"
      "set: {args.variant: tiled, args.tile: 16, args.width: 64, args.height: 64, args.block_rows: 16}\n"
      "hashes: {best: {family: bits-xor, method: mih}}\n"
      "sweep: {args.software_hash: [mod, hashes.best]}\nbaseline: {args.software_hash: mod}\n");
  const Experiment experiment = load_experiment(file.path());
  const auto points = expand(experiment);
  REQUIRE(points.size() == 2);
  const PointResult plain = run_point(points[0], {}), hashed = run_point(points[1], {});
  CHECK(hashed.status == Status::done);
  CHECK(hashed.checked);
  REQUIRE(hashed.hashes.size() == 1);
  CHECK(hashed.hashes[0].cost == 2 * 64 * 64 / 32);  // A store and a load of every warp, without conflicts.
  CHECK(hashed.warp_instructions > plain.warp_instructions);
  const auto all = gains(experiment, points, {plain, hashed});
  CHECK(all[1].conflicts_removed == 1.0);
  CHECK_THAT(mistake("gpu: gtx480\nworkload: transpose\nhashes: {a: xor}\nset: {args.width: hashes.a}\n"),
             Contains("args.width takes no named hash"));
}

TEST_CASE("A hash that kernels compute is for as many banks as the GPU has") {
  const std::string text =
      "gpu: gtx280\nworkload: transpose\n"
      "set: {args.variant: tiled, args.tile: 16, args.width: 64, args.height: 64, args.block_rows: 16}\n"
      "hashes: {best: {family: bits-xor, method: mih}}\n";
  const File file(text + "sweep: {args.software_hash: [mod, hashes.best]}\nbaseline: {args.software_hash: mod}\n");
  const Experiment experiment = load_experiment(file.path());
  const auto points = expand(experiment);
  const PointResult plain = run_point(points[0], {}), hashed = run_point(points[1], {});
  INFO(hashed.message);
  REQUIRE(hashed.status == Status::done);
  REQUIRE(hashed.hashes.size() == 1);
  // Half a warp reads a column of 16 words, all in one bank of 16: 15 further passes for each half of each warp.
  const auto conflicts =
      static_cast<std::size_t>(stats::find_statistic("sm.scratchpad.bank_conflicts") - stats::statistics().data());
  CHECK(plain.statistics[conflicts] == 2 * 15 * 64 * 64 / 32);
  CHECK(hashed.statistics[conflicts] == 0);
  const File both(text + "variants: {a: {args.software_hash: hashes.best, args.software_hash_banks: 32}}\n");
  const PointResult refused = run_point(expand(load_experiment(both.path()))[0], {});
  CHECK(refused.status == Status::refused);
  CHECK_THAT(refused.message, Contains("leave args.software_hash_banks out"));
}

TEST_CASE("Kernels without a lock to take keep the locks as they are, others have theirs searched") {
  const std::string search =
      "hashes: {lock: {family: bits-xor, method: mih}}\nsweep: {sm.scratchpad.lock_hash: [hashes.lock]}\n";
  const File none("gpu: gtx480\nworkload: vector-add\n" + search);
  const PointResult plain = run_point(expand(load_experiment(none.path()))[0], {});
  CHECK(plain.status == Status::done);
  REQUIRE(plain.hashes.size() == 1);
  CHECK(plain.hashes[0].spec == "mod");
  CHECK(plain.hashes[0].cost == 0);
  const File some(
      "gpu: gtx480\nworkload: histogram\nset: {args.layout: hist-major, args.replication: 32, "
      "args.image: raccoon-small}\n" +
      search);
  const PointResult hashed = run_point(expand(load_experiment(some.path()))[0], {});
  CHECK(hashed.status == Status::done);
  CHECK(hashed.hashes[0].spec != "mod");
}

TEST_CASE("A workload may have settings and a name of its own") {
  const std::string text =
      "gpu: gtx580\nworkloads: [vector-add, {workload: vector-add, name: long, set: {args.length: 99, sms: 3}}]\n";
  const File file(text);
  const Experiment experiment = load_experiment(file.path());
  const auto points = expand(experiment);
  REQUIRE(points.size() == 2);
  CHECK(points[1].label() == "workload=long");
  CHECK(points[1].gpu.sms == 3);
  CHECK(points[0].gpu.sms == 16);
  const workload::ArgumentOverrides expected = {{"length", "99"}};
  CHECK(points[1].arguments == expected);
  const File again(effective_yaml(experiment));
  const auto same = expand(load_experiment(again.path()));
  REQUIRE(same.size() == 2);
  CHECK(same[1].label() == points[1].label());
  CHECK(same[1].arguments == expected);
  CHECK(same[1].gpu.sms == 3);
  CHECK_THAT(mistake(text + "sweep: {args.length: [1, 2]}\n"),
             Contains("args.length is swept, and set for a workload"));
  CHECK_THAT(mistake("gpu: gtx580\nworkload: {name: x}\n"), Contains("there is no 'workload'"));
}

TEST_CASE("A search that does not exist, or trains on an argument that no workload has, is an error") {
  const std::string head = "gpu: gtx480\nworkload: transpose\nhashes: {a: ";
  CHECK_THAT(mistake(head + "{family: bitts, method: mih}}\n"), Contains("family 'bitts' cannot be searched"));
  CHECK_THAT(mistake(head + "{family: bits, method: mhi}}\n"),
             Contains("family 'bits' is searched by: ") && Contains("mih"));
  CHECK_THAT(mistake(head + "{family: bits}}\n"), Contains("there is no 'method'"));
  CHECK_THAT(mistake(head + "{family: bits, method: mih, steps: 0}}\n"), Contains("at least 1"));
  CHECK_THAT(mistake(head + "{family: bits, method: mih, train: {args.widht: 9}}}\n"),
             Contains("'args.widht' is not an argument of the workloads"));
}

TEST_CASE("A searched hash is found for what the point accesses, and costs what the replay counts") {
  // A tile of 16 x 16: a warp reads two columns, words 16 apart, on 8 of 32 banks' 16 rows (Van den Braak 2015, section
  // 6.2.2): 8-way conflicts, of which the bitwise XOR of Table 6.5 leaves none.
  const File file(
      "gpu: gtx480\nworkload: transpose\n"
      "set: {args.variant: tiled, args.tile: 16, args.width: 64, args.height: 64, args.block_rows: 16}\n"
      "hashes: {none: mod, best: {family: bits-xor, method: mih}, other: {family: bits-xor, method: mih, train: "
      "{args.tile: "
      "32}}}\n"
      "sweep: {sm.scratchpad.bank_hash: [hashes.none, hashes.best, hashes.other]}\n");
  const auto points = expand(load_experiment(file.path()));
  const PointResult plain = run_point(points[0], {}), best = run_point(points[1], {}), other = run_point(points[2], {});
  REQUIRE(plain.hashes.size() == 1);
  const std::uint64_t warps = 64 * 64 / 32;
  CHECK(plain.hashes[0].without_conflicts == 2 * warps);  // A store and a load each.
  CHECK(plain.hashes[0].cost == (1 + 8) * warps);
  CHECK(plain.hashes[0].xor_gates == 0u);
  REQUIRE(best.hashes.size() == 1);
  CHECK(best.hashes[0].cost == 2 * warps);
  CHECK(best.hashes[0].optimal);
  CHECK(other.hashes[0].spec != best.hashes[0].spec);  // A tile of 32 has other bits.
  const auto conflicts =
      static_cast<std::size_t>(stats::find_statistic("sm.scratchpad.bank_conflicts") - stats::statistics().data());
  CHECK(plain.statistics[conflicts] == 7 * warps);
  CHECK(best.statistics[conflicts] == 0);
  CHECK(other.statistics[conflicts] == other.hashes[0].cost - other.hashes[0].without_conflicts);
  CHECK(plain.digest != best.digest);
  CHECK(other.digest != best.digest);
}

TEST_CASE("Combinations that a condition on the arguments excludes do not become points") {
  const std::string sweep =
      "gpu: gtx580\nworkload: vector-add\nset: {args.blocks: 4}\nsweep: {args.length: [7, 8, 9]}\n";
  const File file(sweep + "only: length <= 2 * blocks\n");
  const auto points = expand(load_experiment(file.path()));
  REQUIRE(points.size() == 2);
  CHECK(points[1].label() == "args.length=8");
  CHECK_THAT(mistake(sweep + "only: length > 9\n"), Contains("no combination of the swept values meets this"));
  CHECK_THAT(mistake(sweep + "only: lenght > 9\n"), Contains("'lenght' is not an argument of the workload"));
  CHECK_THAT(mistake(sweep + "only: length >\n"), Contains("own.yaml:5:7"));
}

}  // namespace lockstep::hashes_test
