// What the user is told of a task before it executes.

#include "sim/workload/launches/task_notes.hpp"

#include <catch2/catch.hpp>

#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::task_notes_test {

using Catch::Matchers::Contains;

namespace {

/// The notes of a workload that launches `kernels` one after the other; of a module with these variables and bodies.
std::vector<std::string> notes(const std::string& variables, const std::vector<std::string>& kernels,
                               const std::string& contents = "") {
  const test::TemporaryFolder folder;
  folder.write("k.ptx",
               ".version 7.0\n.target sm_75\n.address_size 64\n" + variables +
                   ".func uses() { .reg .u32 %r; ld.const.u32 %r, [table+4]; ret; }\n"
                   ".visible .entry reads() { .reg .u32 %r; ld.const.u32 %r, [table]; ret; }\n"
                   ".visible .entry addresses() { .reg .u64 %d; mov.u64 %d, table; ret; }\n"
                   ".visible .entry _Z5callsv() { call uses; ret; }\n"
                   ".visible .entry other() { .reg .u32 %r; .local .u32 table; ld.local.u32 %r, [table]; ret; }\n"
                   ".visible .entry tangent() { .reg .f32 %f; mov.f32 %f, 0f3F000000; tanh.approx.f32 %f, %f;\n"
                   "  sin.approx.f32 %f, %f; ret; }\n"
                   ".visible .entry sine() { .reg .f32 %f; mov.f32 %f, 0f3F000000; sin.approx.f32 %f, %f; ret; }\n");
  std::string launches;
  for (const std::string& kernel : kernels) launches += "  - {entry: " + kernel + ", grid: 1, block: 1}\n";
  const std::string path = folder.write("w.yaml", "kernel: k.ptx\n" + contents + "launches:\n" + launches);
  return workload::notes_of(*workload::Workload::load(path).build({}));
}

const std::string unset = ".visible .const .align 4 .u32 table[2];\n";

}  // namespace

TEST_CASE("A kernel that uses constant memory which nothing sets is named, once for each variable") {
  for (const std::string kernel : {"reads", "addresses"}) {
    const auto found = notes(unset, {kernel, kernel, "other"});
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Contains("kernel '" + kernel + "' uses table (") && Contains("k.ptx:4:") &&
                             Contains("`variables` of the workload does not set: it is all zero"));
  }
  CHECK(notes(unset, {"reads", "addresses"}).size() == 1);
  const auto called = notes(unset, {"_Z5callsv"});
  REQUIRE(called.size() == 1);
  CHECK_THAT(called[0], Contains("kernel 'calls' uses table"));
}

TEST_CASE("Constant memory that is set, or that no kernel uses, is not named") {
  CHECK(notes(unset, {"other"}).empty());
  CHECK(notes(".visible .const .align 4 .u32 table[2] = {1, 2};\n", {"reads"}).empty());
  CHECK(notes(".visible .const .align 4 .u32 table[2] = {0};\n", {"reads"}).empty());
  CHECK(notes(unset, {"reads"}, "variables: {table: {values: [1], type: u32}}\n").empty());
  CHECK(notes(unset, {"reads"}, "variables: {table: {initial: u32}}\n").empty());
}

TEST_CASE("Functions that have not a GPU's bits are named with their kernels") {
  const std::string table = ".visible .const .align 4 .u32 table[2] = {1, 2};\n";
  CHECK(notes(table, {"sine"}).empty());
  const auto found = notes(table, {"sine", "tangent", "tangent"});
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("kernel 'tangent': tanh.approx") && Contains("may differ from a GPU's"));
}

}  // namespace lockstep::task_notes_test
