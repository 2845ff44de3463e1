// Reference kernels that are wrong, as a user meets them.

#include "tests/system/program.hpp"

namespace lockstep::reference_errors_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Stores a value in each of the words of a buffer, a thread each; and two kernels that never end.
const std::string kernels = R"(.version 6.4
.target sm_35
.address_size 64
.visible .entry fill(.param .u64 to, .param .u32 value) {
  .reg .u32 %i, %v;
  .reg .u64 %at, %offset;
  ld.param.u64 %at, [to];
  ld.param.u32 %v, [value];
  mov.u32 %i, %tid.x;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %at, %at, %offset;
  st.global.u32 [%at], %v;
  ret;
}
.visible .entry counting() {
  .reg .pred %p; .reg .u64 %n;
again:
  add.u64 %n, %n, 1;
  setp.ne.u64 %p, %n, 0;
  @%p bra again;
}
.visible .entry endless() {
again:
  bra again;
}
)";

/// Four words that a kernel fills with 7, compared with this reference.
Outcome compared_with(const std::string& reference, const TemporaryFolder& folder) {
  folder.write("fill.ptx", kernels);
  const std::string workload = folder.write("case.yaml", R"(kernel: fill.ptx
entry: fill
buffers: {data: {zero: 4}}
grid: 1
block: 4
parameters: [data, 7]
instruction_limit: 1000
expect:
  data: {kernel: fill.ptx, )" + reference + "}\n");
  return run({"trace", workload, "-o", folder / "case.trace"});
}

}  // namespace

TEST_CASE("A reference kernel that leaves what the kernel leaves is no error") {
  const TemporaryFolder folder;
  CHECK(compared_with("entry: fill, grid: 1, block: 4, parameters: [data, 7]", folder).code == 0);
}

TEST_CASE("A reference kernel that never ends is wrong input, found at its branch within the descriptor's limit") {
  const TemporaryFolder folder;
  const Outcome counting = compared_with("entry: counting, grid: 1, block: 1", folder);
  CHECK(counting.code == 2);
  CHECK_THAT(counting.err, Contains(folder / "case.yaml:9:9: expected result of buffer data: kernel 'counting'") &&
                               Contains("more than the limit of 1000;") &&
                               Contains("add.u64 at " + (folder / "fill.ptx:18:3")));
  const Outcome endless = compared_with("entry: endless, grid: 1, block: 1", folder);
  CHECK(endless.code == 2);
  CHECK_THAT(endless.err, Contains(folder / "case.yaml:9:9: expected result of buffer data: ") &&
                              Contains("kernel 'endless'") && Contains("a loop without end") &&
                              Contains("bra at " + (folder / "fill.ptx:24:3")));
}

TEST_CASE("A reference kernel that writes outside its buffers is wrong input, with the place of the store") {
  const TemporaryFolder folder;
  const Outcome outcome = compared_with("entry: fill, grid: 1, block: 5, parameters: [data, 7]", folder);
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains(folder / "case.yaml:9:9: expected result of buffer data: ") &&
                              Contains("st.global.u32 at " + (folder / "fill.ptx:12:3")) &&
                              Contains("thread (4,0,0): store of 4 bytes"));
}

TEST_CASE("A reference kernel that leaves another value makes the output differ, at its place in the descriptor") {
  const TemporaryFolder folder;
  const Outcome outcome = compared_with("entry: fill, grid: 1, block: 3, parameters: [data, 7]", folder);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err,
             Contains(folder / "case.yaml:9:3: the output differs from the expected result: buffer data: ") &&
                 Contains("1 of 4 elements differ, the first at 3: expected 0, found 7"));
  CHECK_FALSE(std::filesystem::exists(folder / "case.trace"));
}

}  // namespace lockstep::reference_errors_test
