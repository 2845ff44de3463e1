// lockstep trace --check, as a user runs it on a kernel with a mistake, and what trace notes without being asked.

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/places.hpp"
#include "tests/system/program.hpp"
#include "tests/system/small_sizes.hpp"

namespace lockstep::checks_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Each thread writes its word of `row`, and stores the word of the thread beside it; `between` stands between the two.
/// The last thread reads word 64, where `column` begins.
std::string workload(const TemporaryFolder& folder, const std::string& between, const std::string& last) {
  folder.write("shift.ptx", R"(.version 6.4
.target sm_35
.address_size 64
.visible .entry shift(.param .u64 out) {
  .reg .u32 %t, %at, %first, %value; .reg .u64 %to, %offset; .reg .pred %p;
  .shared .align 4 .b8 row[256];
  .shared .align 4 .b8 column[256];
  ld.param.u64 %to, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  add.u64 %to, %to, %offset;
  mov.u32 %first, row;
  shl.b32 %at, %t, 2;
  add.u32 %at, %at, %first;
  st.shared.u32 [%at], %t;
  st.shared.u32 [column], 64;
)" + between + R"(
  setp.eq.u32 %p, %t, )" + last +
                                R"(;
  @%p bra END;
  ld.shared.u32 %value, [%at+4];
  st.global.u32 [%to], %value;
END:
  ret;
}
)");
  return folder.write(
      "shift.yaml",
      "kernel: shift.ptx\nentry: shift\nbuffers: {out: {zero: 64}}\ngrid: 1\nblock: 64\nparameters: [out]\n");
}

/// With sizes that take little, or their own.
/// Every `step`-th workload by name, in small sizes or those that it has by itself.
void check_workloads(bool small, std::size_t step) {
  struct Known {
    std::string check;
    std::size_t findings;
  };
  const std::map<std::string, Known> known = {
      // Lanes outside of the tile, and the neighbours of the outermost threads, read words that no result depends on.
      {"rgpu-needleman-wunsch", {"init", 2}},
      {"rgpu-pathfinder", {"init", 2}},
      // Plain reads of words that others exchange by atomics or shorten paths by: any of the values is right.
      {"group-by", {"race", 1}},
      {"kmer-count", {"race", 1}},
      {"union-find", {"race", 4}},
  };
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(source_dir()) / "traces/workloads"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  std::size_t clean = 0;
  for (std::size_t n = 0; n < names.size(); n += step) {
    const std::string& name = names[n];
    std::vector<std::string> words = {"trace", name, "-o", folder / "t", "--check", "all", "--json"};
    if (small)
      for (const auto& [argument, value] : small_sizes(name))
        words.insert(words.end(), {"-s", "args." + argument + "=" + value});
    const Outcome traced = run(words);
    INFO(name << "\n" << traced.err);
    const auto expected = known.find(name);
    const std::string of_check = "\"check\": \"" + (expected == known.end() ? "" : expected->second.check) + "\"";
    std::size_t findings = 0, of_kind = 0;
    for (std::size_t at = 0; (at = traced.out.find("\"check\": ", at)) != std::string::npos; ++at) ++findings;
    for (std::size_t at = 0; (at = traced.out.find(of_check, at)) != std::string::npos; ++at) ++of_kind;
    CHECK(findings == (expected == known.end() ? 0 : expected->second.findings));
    CHECK(of_kind == findings);
    CHECK(traced.code == (findings == 0 ? 0 : 1));
    clean += findings == 0 ? 1 : 0;
  }
  CHECK(clean > 60 / step);
}

/// A kernel of constant memory that nothing sets; `last` stands behind its load.
std::string workload_of_constants(const TemporaryFolder& folder, const std::string& last) {
  folder.write("k.ptx",
               ".version 7.0\n.target sm_75\n.address_size 64\n"
               ".visible .const .align 4 .f32 weights[8];\n"
               ".visible .entry k() { .reg .f32 %f; ld.const.f32 %f, [weights]; " +
                   last + " }\n");
  return folder.write("w.yaml", "kernel: k.ptx\ngrid: 1\nblock: 1\n");
}

const std::string constants = "note: kernel 'k' uses weights (";

}  // namespace

TEST_CASE("A kernel with a race is reported with lines, threads and array, after its trace is written") {
  const TemporaryFolder folder;
  const std::string file = workload(folder, "", "63");
  const Outcome found = run({"trace", file, "--check", "race", "-o", folder / "t"});
  CHECK(found.code == 1);
  CHECK_THAT(found.err, Contains("race: kernel 'shift'") && Contains("shift.ptx:15:3") && Contains("shift.ptx:20:3"));
  CHECK_THAT(found.err, Contains("thread (31,0,0)") && Contains("thread (32,0,0)") &&
                            Contains("byte 128 of scratchpad array 'row'"));
  CHECK(run({"info", folder / "t"}).code == 0);
  CHECK(run({"trace", workload(folder, "bar.sync 0;", "63"), "--check", "all", "-o", folder / "t"}).code == 0);
}

TEST_CASE("Without a file for its trace a workload is executed and checked, and what was looked for is said") {
  const TemporaryFolder folder;
  const std::string clean = workload(folder, "bar.sync 0;", "63");
  const Outcome nothing = run({"trace", clean, "--check", "all"});
  CHECK(nothing.code == 0);
  CHECK_THAT(nothing.out, Contains("checked for init, race, bounds, sync: nothing found") && !Contains(" bytes"));
  CHECK_THAT(run({"trace", clean}).out, !Contains("checked for"));
  CHECK_THAT(run({"trace", clean, "--json"}).out, Contains("\"file\": null"));
  const Outcome found = run({"trace", workload(folder, "", "63"), "--check", "race"});
  CHECK(found.code == 1);
  CHECK_THAT(found.err, Contains("race: kernel 'shift'"));
  CHECK_THAT(found.out, !Contains("nothing found"));
  const Outcome kept = run({"trace", clean, "--keep-on-mismatch"});
  CHECK(kept.code == 2);
  CHECK_THAT(kept.err, Contains("--output names its file"));
}

TEST_CASE("Some checks are on by default, and all can be chosen by name") {
  const TemporaryFolder folder;
  const std::string file = workload(folder, "bar.sync 0;", "64");
  const Outcome found = run({"trace", file, "-o", folder / "t", "--json"});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains(R"("check": "bounds")") && Contains(R"("thread": [63, 0, 0])") &&
                            Contains(R"("count": 1)") && Contains(R"("ptx_line": 20)") &&
                            Contains("byte 0 of scratchpad array 'column'"));
  CHECK(run({"trace", file, "-o", folder / "t", "--check", "none"}).code == 0);
  CHECK(run({"trace", file, "-o", folder / "t", "--check", "init,race,sync"}).code == 0);
  const Outcome unknown = run({"trace", file, "-o", folder / "t", "--check", "init,races"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("'races'") && Contains("did you mean 'race'"));
}

TEST_CASE("Checks change nothing in the trace") {
  const TemporaryFolder folder;
  const std::string trace = folder / "t";
  REQUIRE(run({"trace", "reduction", "-o", trace, "--check", "none"}).code == 0);
  const std::string without = contents(trace);
  REQUIRE(run({"trace", "reduction", "-o", trace, "--check=all"}).code == 0);
  CHECK(contents(trace) == without);
}

TEST_CASE("Every sixth workload of the repository has no mistakes but reads whose values it does not use") {
  check_workloads(true, 6);
}

TEST_CASE("No workload has mistakes but reads whose values it does not use", "[nightly]") {
  check_workloads(true, 1);
}

TEST_CASE("So it is in the sizes that they have by themselves", "[nightly]") {
  check_workloads(false, 1);
}

TEST_CASE("Constant memory that nothing sets is noted, also where the kernel fails, and no longer when it is set") {
  const TemporaryFolder folder;
  const std::string given = workload_of_constants(folder, "ret;");
  const Outcome plain = run({"trace", given});
  CHECK(plain.code == 0);
  CHECK_THAT(plain.err, Contains(constants) && Contains("k.ptx:4:") && Contains("it is all zero"));
  CHECK(run({"trace", given, "--quiet"}).err.empty());
  const Json json = parse_json(run({"trace", given, "--json"}).out);
  REQUIRE(at(json, "notes").size() == 1);
  CHECK_THAT("note: " + at(json, "notes").front().second.data(), Contains(constants));
  const std::string set =
      folder.write("set.yaml", contents(given) + "variables: {weights: {values: [1], type: f32}}\n");
  CHECK_THAT(run({"trace", set}).err, !Contains("note: "));
  const Outcome failed = run({"trace", workload_of_constants(folder, "trap;")});
  CHECK(failed.code == 2);
  CHECK_THAT(failed.err, Contains(constants) && Contains("executed a trap"));
}

TEST_CASE("A function whose results may differ from a GPU's is noted") {
  const TemporaryFolder folder;
  CHECK_THAT(run({"trace", workload_of_constants(folder, "tanh.approx.f32 %f, %f; ret;")}).err,
             Contains("note: kernel 'k': tanh.approx "));
  CHECK_THAT(run({"trace", workload_of_constants(folder, "sin.approx.f32 %f, %f; ret;")}).err, !Contains("approx"));
}

}  // namespace lockstep::checks_test
