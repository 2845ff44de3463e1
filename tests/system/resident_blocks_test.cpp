// Blocks that share work through global memory, as a user traces, inspects and replays them.

#include "tests/system/program.hpp"

namespace lockstep::resident_blocks_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// 40 blocks of a warp draw 400 items from word 0; the words behind it count the items of each block.
const std::string kernel = R"(.version 6.4
.target sm_35
.address_size 64
.visible .entry draw(.param .u64 counter) {
  .reg .u32 %block, %item, %i;
  .reg .u64 %at, %own, %offset;
  .reg .pred %p, %none;
  ld.param.u64 %at, [counter];
  mov.u32 %block, %ctaid.x;
  mul.wide.u32 %offset, %block, 4;
  add.u64 %own, %at, %offset;
  mov.u32 %i, %tid.x;
  setp.ne.u32 %p, %i, 0;
  @%p bra END;
NEXT:
  atom.global.add.u32 %item, [%at], 1;
  setp.ge.u32 %none, %item, 400;
  @%none bra END;
  red.global.add.u32 [%own+4], 1;
  bra NEXT;
END:
  ret;
}
)";

/// `items`: of each block.
std::string workload(const TemporaryFolder& folder, const std::string& items, const std::string& more = "") {
  folder.write("draw.ptx", kernel);
  return folder.write("draw.yaml",
                      "kernel: draw.ptx\nentry: draw\nbuffers: {counter: {zero: 41}}\ngrid: 40\nblock: 32\n"
                      "parameters: [counter]\n" +
                          more + "expect: {counter: {each: \"i == 0 ? 440 : " + items + "\"}}\n");
}

}  // namespace

TEST_CASE("Blocks share work evenly, and trace, info and replay say that their order decided") {
  const TemporaryFolder folder;
  const std::string trace = folder / "t";
  const std::string place =
      "kernel 'draw': 1 branch and 0 memory accesses depended on the order in which thread blocks "
      "executed atomics, first at draw.ptx:18 (bra)";
  const Outcome traced = run({"trace", workload(folder, "10"), "-o", trace});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  CHECK_THAT(traced.out, Contains(place));
  CHECK_THAT(run({"info", trace}).out, Contains(place));
  CHECK_THAT(run({"replay", trace, "--gpu", "gtx580"}).err, Contains(place));

  const std::string fields =
      R"({"kernel": "draw", "branches": 1, "addresses": 0, "pc": 9, "instruction": "bra", "file": ")";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"trace", folder / "draw.yaml", "-o", trace, "--json"},
                                             {"info", trace, "--json"},
                                             {"replay", trace, "--gpu", "gtx580", "--json"}}) {
    CHECK_THAT(run(words).out, Contains("\"order_dependences\": [") && Contains(fields) && Contains("\"line\": 18}"));
  }
}

TEST_CASE("The number of resident blocks comes from the command line, or else from the workload") {
  const TemporaryFolder folder;
  const std::string of_eight = workload(folder, "(i <= 8 ? 50 : 0)", "resident_blocks: 8\n");
  CHECK(run({"trace", of_eight, "-o", folder / "t"}).code == 0);
  CHECK(run({"trace", of_eight, "-o", folder / "t", "--resident-blocks", "40"}).code == 1);
  const std::string of_one = workload(folder, "(i <= 1 ? 400 : 0)");
  CHECK(run({"trace", of_one, "-o", folder / "t", "--resident-blocks", "1"}).code == 0);
  CHECK(run({"trace", of_one, "-o", folder / "t"}).code == 1);
  const Outcome none = run({"trace", of_one, "-o", folder / "t", "--resident-blocks", "0"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("--resident-blocks"));
}

TEST_CASE("A trace whose order of blocks cannot show says so in its JSON") {
  const TemporaryFolder folder;
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=1024", "-o", folder / "t"}).code == 0);
  CHECK_THAT(run({"info", folder / "t", "--json"}).out, Contains("\"order_dependences\": []"));
}

}  // namespace lockstep::resident_blocks_test
