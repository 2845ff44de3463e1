// Instrumented kernels: what they compute stays, and the trace of their log is that of the kernels as they were.
#include <catch2/catch.hpp>

#include "isa/capture/device_log.hpp"
#include "isa/capture/source.hpp"
#include "isa/error.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/capture/logged_execution.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using Catch::Matchers::Contains;
using exec::test::Program;

namespace {

test::MakeTask tasks_of(const Program& program) {
  return [program] {
    auto task = program.task();
    task->module_texts[task->modules[0].get()] = exec::test::ptx_head + program.ptx;
    return task;
  };
}

exec::Buffer words(std::size_t count) {
  return {"words", std::vector<std::uint8_t>(4 * count), {}};
}

std::string difference_of(const Program& program, std::uint32_t chunk_bytes = capture::default_chunk_bytes) {
  return test::capture_difference(tasks_of(program), chunk_bytes);
}

/// A kernel k(.param .u64 p) with %p in %rd1, and the thread's number in its block in %r1.
std::string kernel(const std::string& body, const std::string& before = "", const std::string& declarations = "") {
  return before + ".visible .entry k(.param .u64 p) {\n" + declarations +
         ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<8>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n" +
         body + "\nret;\n}\n";
}

}  // namespace

TEST_CASE("The log of loops that lanes leave one after the other has the masks of the trace") {
  Program program;
  program.ptx = kernel(
      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 0;\n"
      "LOOP: ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, %r2; st.global.u32 [%rd3+256], %r3; add.u32 %r2, %r2, 1;\n"
      "setp.le.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"
      "and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra EVEN; @!%p2 st.global.u32 [%rd3], %r2;\nbra.uni DONE;\n"
      "EVEN: @%p1 ld.global.u32 %r5, [%rd3];\nDONE: st.global.u32 [%rd3+512], %r4;");
  program.block = {48, 1, 1};
  program.grid = {3, 2, 1};
  program.buffers = {words(512)};
  CHECK(difference_of(program) == "");
  // A chunk that holds one record only: every record takes a new one.
  CHECK(difference_of(program, 0) == "");
}

TEST_CASE("Three-dimensional thread blocks and grids log under the number of their threads") {
  Program program;
  program.ptx = kernel(
      "mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mad.lo.u32 %r1, %r2, 5, %r1; mad.lo.u32 %r1, %r3, 15, %r1;\n"
      "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z; mad.lo.u32 %r4, %r5, 2, %r4;\n"
      "mad.lo.u32 %r4, %r6, 6, %r4; mad.lo.u32 %r1, %r4, 60, %r1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, "
      "%rd2;\n"
      "st.global.u32 [%rd3], %r1;");
  program.block = {5, 3, 4};
  program.grid = {2, 3, 2};
  program.buffers = {words(12 * 60)};
  CHECK(difference_of(program) == "");
}

TEST_CASE("Accesses to every memory have the addresses of the trace") {
  Program program;
  program.ptx = kernel(
      "mov.u64 %rd2, first; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; st.shared.u32 [%rd4+4], %r1;\n"
      "mov.u32 %r2, second; shl.b32 %r3, %r1, 3; add.u32 %r4, %r2, %r3; st.shared.v2.u32 [%r4], {%r1, %r2};\n"
      "mov.u64 %rd5, dynamic; add.s64 %rd6, %rd5, %rd3; st.shared.u32 [%rd6], %r1; ld.shared.u32 %r5, [first+8];\n"
      "cvta.shared.u64 %rd7, %rd4; ld.u32 %r6, [%rd7]; atom.shared.add.u32 %r7, [%rd6], 1; red.shared.add.u32 [%rd6], "
      "2;\n"
      "mov.u64 %rd8, table; add.s64 %rd9, %rd8, %rd3; ld.const.u32 %r8, [%rd9]; ld.const.u32 %r8, [table+12];\n"
      "mov.u64 %rd10, sums; add.s64 %rd11, %rd10, %rd3; red.global.add.u32 [%rd11], %r1; ld.u32 %r9, [%rd11];\n"
      "mov.u64 %rd12, depot; add.s64 %rd13, %rd12, 8; st.local.u32 [%rd13], %r1; cvta.local.u64 %rd14, %rd12;\n"
      "ld.u32 %r10, [%rd14+8]; st.local.u32 [depot+16], %r1; prefetch.global.L2 [%rd11];\n"
      "add.s64 %rd15, %rd1, %rd3; atom.global.cas.b32 %r11, [%rd15], 0, %r1; ld.global.u32 %r12, [sums];\n"
      "ld.param.u32 %r13, [p+4]; bar.sync 0;",
      ".const .align 4 .u32 table[32] = {1, 2, 3};\n.global .align 4 .u32 sums[32];\n.shared .align 4 .b8 first[200];\n"
      ".shared .align 8 .b8 second[256];\n.extern .shared .align 16 .b8 dynamic[];\n",
      ".local .align 8 .b8 depot[32];\n");
  program.dynamic_shared_bytes = 128;
  program.buffers = {words(32)};
  CHECK(difference_of(program) == "");
}

TEST_CASE("Calls, also of recursive functions and through registers, keep the place in the log") {
  Program program;
  program.ptx =
      ".func (.param .b32 r) leaf(.param .b32 a) { .local .align 4 .b8 own[8]; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg "
      ".pred %p<2>;\n"
      "ld.param.u32 %r0, [a]; mov.u64 %rd0, own; st.local.u32 [%rd0+4], %r0; setp.gt.u32 %p0, %r0, 20; @%p0 bra BIG;\n"
      "add.u32 %r0, %r0, 1; BIG: ld.local.u32 %r1, [%rd0+4]; add.u32 %r0, %r0, %r1; st.param.b32 [r], %r0; ret; }\n"
      ".func (.param .b32 r) depth(.param .b32 a) { .local .align 4 .b8 own[16]; .reg .b32 %r<4>; .reg .b64 %rd<4>; "
      ".reg .pred %p<2>;\n"
      "ld.param.u32 %r0, [a]; mov.u64 %rd0, own; st.local.u32 [%rd0+8], %r0; setp.eq.u32 %p0, %r0, 0; @%p0 bra END;\n"
      "sub.u32 %r1, %r0, 1; { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), depth, (x); ld.param.b32 "
      "%r2, [y]; }\n"
      "ld.local.u32 %r3, [%rd0+8]; add.u32 %r0, %r2, %r3; END: st.param.b32 [r], %r0; ret; }\n" +
      kernel(
          "setp.lt.u32 %p1, %r1, 9; @%p1 bra SKIP; { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
          "call (y), leaf, (x); ld.param.b32 %r2, [y]; }\nSKIP: and.b32 %r3, %r1, 3;\n"
          "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r3; call (y), depth, (x); ld.param.b32 %r2, [y]; }\n"
          "mov.u64 %rd4, leaf; mov.u64 %rd5, depth; setp.eq.u32 %p2, %r3, 1; selp.b64 %rd6, %rd4, %rd5, %p2;\n"
          "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r3; call (y), %rd6, (x), proto; ld.param.b32 %r2, [y]; "
          "}\n"
          "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;",
          "", "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n");
  program.buffers = {words(64)};
  program.block = {40, 1, 1};
  CHECK(difference_of(program) == "");
}

TEST_CASE("Tables of branches, exits in between, barriers in registers and copies follow the trace") {
  Program program;
  program.ptx = kernel(
      "setp.eq.u32 %p3, %r1, 31; @%p3 exit; and.b32 %r2, %r1, 3; ts: .branchtargets A, B, C, B; brx.idx %r2, ts;\n"
      "A: add.u32 %r3, %r1, 1; bra D; B: add.u32 %r3, %r1, 2; bra D; C: add.u32 %r3, %r1, 3;\n"
      "D: mov.u32 %r4, 1; mov.u32 %r5, 64; bar.sync %r4, %r5; setp.lt.u32 %p4, %r1, 64; @%p4 bar.sync 2;\n"
      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u64 %rd4, tile; add.s64 %rd5, %rd4, %rd2;\n"
      "shl.b32 %r6, %r2, 1; min.u32 %r6, %r6, 4; cp.async.ca.shared.global [%rd5], [%rd3], 4, %r6;\n"
      "@%p4 cp.async.ca.shared.global [%rd5], [%rd3], 4; cp.async.wait_all; ld.shared.u32 %r7, [%rd5];\n"
      "@!%p4 ld.shared.u32 %r7, [tile]; st.global.u32 [%rd3], %r7;",
      ".shared .align 4 .b8 tile[256];\n");
  program.block = {64, 1, 1};
  program.buffers = {words(64)};
  CHECK(difference_of(program) == "");
}

TEST_CASE("Several launches of several kernels log one after the other") {
  Program program;
  program.ptx = kernel("mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; red.global.add.u32 [%rd3], %r1;");
  program.buffers = {words(32)};
  program.launches = 3;
  CHECK(difference_of(program) == "");
}

TEST_CASE("A log that its buffer has no room for says how much it needs") {
  Program program;
  program.ptx = kernel("mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000; @%p1 bra LOOP;");
  program.buffers = {words(1)};
  const test::TemporaryFolder folder;
  std::uint64_t needed = 0;
  try {
    test::write_log(tasks_of(program), folder / "log", 128, 1024);
  } catch (const capture::LogOverflow& overflow) {
    needed = overflow.needed;
    CHECK_THAT(overflow.what(), Contains("needs") && Contains(std::to_string(needed) + " bytes"));
  }
  // 1,002 records of 8 bytes per thread, 104 bytes of them in each chunk of 128; 4 words of header.
  CHECK(needed == 4 * 8 + 32 * ((1002 + 12) / 13) * 128);
  CHECK_NOTHROW(test::write_log(tasks_of(program), folder / "log", 128, needed - (4 * 8 + 32 * 128)));
}

TEST_CASE("What cannot be logged is refused with its place") {
  const auto error = [](const std::string& text) {
    try {
      const std::string whole = exec::test::ptx_head + text;
      capture::instrument(whole, ptx::parse(whole, "a.ptx"));
    } catch (const InputError& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  CHECK_THAT(error(kernel("tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}];")),
             Contains("a.ptx:8:1: tex.1d.v4.u32.s32 cannot be logged"));
  CHECK_THAT(error(kernel("wmma.load.a.sync.aligned.row.m8n8k4.f64 {%rd2}, [%rd1];")),
             Contains("a.ptx:8:1: wmma.load.a.sync.aligned.row.m8n8k4.f64 cannot be logged") &&
                 Contains("ldmatrix, mma.sync and st in its place"));
  CHECK_THAT(error(kernel("{ .local .align 4 .b8 inner[8]; mov.u64 %rd2, inner; }")),
             Contains("'inner' is taken, which is declared in an inner scope"));
  CHECK_THAT(error(".global .u64 lockstep_log[4];\n" + kernel("")), Contains("instrumented already"));
  CHECK_THAT(error(".global .u64 x;\n"), Contains("no kernel"));
  CHECK(error(kernel("")) == "");
}
