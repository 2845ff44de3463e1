// What the machine says about accesses that are wrong.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::fault_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

std::string error_of(const std::string& body, const std::string& before = "", std::uint32_t threads = 32,
                     std::uint32_t dynamic = 0) {
  return Body{body, ".file 1 \"kernel.cu\"\n" + before, threads, dynamic, {}}.program().error();
}

}  // namespace

TEST_CASE("a store past the end of a buffer names kernel, lines, thread, address and buffer", "[exec]") {
  // out has 64 * 8 = 512 bytes at the first global address; thread 40 stores at byte 40 * 8 + 200 = 520.
  const std::string error = error_of(R"(
    .loc 1 33 5
    st.global.u32 [%rd1+200], %r0;)",
                                     "", 64);
  CHECK_THAT(error, Contains("kernel 'k'") && Contains("kernel.cu:33") && Contains("test.ptx:") &&
                        Contains("st.global.u32") && Contains("thread block (0,0,0)") && Contains("thread (39,0,0)"));
  CHECK_THAT(error, Contains("store of 4 bytes") && Contains("0x100000200") && Contains("out of bounds") &&
                        Contains("buffer 'out' [0x100000000, 0x100000200), 512 bytes") &&
                        Contains("0 bytes past its end"));
}

TEST_CASE("an access that only begins inside a buffer is out of bounds", "[exec]") {
  // A v2.u64 at byte 504 of 512 is misaligned; at 8 bytes' alignment a u64 at the last byte group is fine.
  CHECK(error_of("ld.global.u64 %rd2, [%rd0+248];").empty());
  CHECK_THAT(error_of("ld.global.u32 %r1, [%rd0+256];"), Contains("out of bounds") && Contains("thread (0,0,0)"));
}

TEST_CASE("an access before a buffer tells how far", "[exec]") {
  const std::string error = error_of("ld.global.u32 %r1, [%rd0+-12];");
  CHECK_THAT(error, Contains("load of 4 bytes") && Contains("12 bytes before it") && Contains("'out'"));
}

TEST_CASE("a null pointer is out of bounds", "[exec]") {
  CHECK_THAT(error_of("mov.u64 %rd2, 0; ld.global.u8 %r1, [%rd2];"), Contains("0x0") && Contains("out of bounds"));
  CHECK_THAT(error_of("mov.u64 %rd2, 0; ld.u8 %r1, [%rd2];"), Contains("generic address 0x0"));
}

TEST_CASE("only lanes that take part are checked", "[exec]") {
  CHECK(error_of("mov.u64 %rd2, 0; setp.eq.u32 %p1, %r0, 99;\n@%p1 ld.global.u8 %r1, [%rd2];").empty());
  CHECK_THAT(error_of("mul.wide.u32 %rd2, %r0, 100; add.s64 %rd2, %rd2, %rd0; setp.eq.u32 %p1, %r0, 17;\n"
                      "@%p1 st.global.u32 [%rd2], %r1;"),
             Contains("thread (17,0,0)") && Contains("1444 bytes past its end"));
}

TEST_CASE("misaligned accesses are reported in every space", "[exec]") {
  CHECK_THAT(error_of("ld.global.u32 %r1, [%rd0+2];"), Contains("misaligned load of 4 bytes") && Contains("'out'"));
  CHECK_THAT(error_of("ld.global.v2.u32 {%r1, %r2}, [%rd0+4];"), Contains("misaligned load of 8 bytes"));
  CHECK_THAT(error_of(".shared .align 8 .b8 s[64];\nmov.u32 %r1, s; st.shared.u64 [%r1+4], %rd1;"),
             Contains("misaligned store of 8 bytes") && Contains("shared"));
  CHECK_THAT(error_of(".local .align 8 .b8 s[64];\nmov.u64 %rd2, s; st.local.u16 [%rd2+3], %h1;"),
             Contains("misaligned store of 2 bytes") && Contains("local"));
  CHECK_THAT(error_of("atom.global.add.u64 %rd2, [%rd0+4], 1;"), Contains("misaligned atomic of 8 bytes"));
}

TEST_CASE("scratchpad accesses are checked against static and dynamic size", "[exec]") {
  const std::string before = ".extern .shared .align 4 .b8 dynamic[];";
  const std::string body =
      "mov.u32 %r1, dynamic; shl.b32 %r2, %r0, 2; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r0;";
  CHECK(error_of(body, before, 32, 128).empty());
  CHECK_THAT(error_of(body, before, 32, 124),
             Contains("thread (31,0,0)") && Contains("124 bytes") && Contains("0 static, 124 dynamic"));
  CHECK_THAT(error_of(".shared .align 4 .b8 s[64];\nmov.u32 %r1, s; ld.shared.u32 %r2, [%r1+64];"),
             Contains("load of 4 bytes at shared address 0x40") && Contains("64 static"));
  CHECK_THAT(
      error_of(".shared .align 4 .b8 s[64];\nmov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; ld.u32 %r2, [%rd2+64];"),
      Contains("generic address 0x1000040") && Contains("64 bytes"));
}

TEST_CASE("an asynchronous copy goes from global to scratchpad memory, and says which of its accesses is wrong",
          "[exec]") {
  const std::string s = ".shared .align 16 .b8 s[64];\nmov.u32 %r1, s; ";
  CHECK(error_of(s + "cp.async.ca.shared.global [%r1+60], [%rd0], 4;").empty());
  CHECK_THAT(error_of(s + "cp.async.ca.shared.global [%r1+64], [%rd0], 4;"),
             Contains("asynchronous copy, store of 4 bytes at shared address 0x40") && Contains("out of bounds"));
  CHECK_THAT(error_of(s + "cp.async.ca.shared.global [%r1], [%rd0+256], 4;"),
             Contains("asynchronous copy, load of 4 bytes") && Contains("'out'") && Contains("0 bytes past its end"));
  // A generic address in the scratchpad is no global one.
  CHECK_THAT(
      error_of(s + "cvt.u64.u32 %rd2, %r1; cvta.shared.u64 %rd2, %rd2;\ncp.async.ca.shared.global [%r1], [%rd2], 4;"),
      Contains("asynchronous copy, load of 4 bytes at global address 0x1000000") && Contains("out of bounds"));
  CHECK_THAT(error_of(s + "cp.async.ca.shared.global [%r1], [%rd0];"), Contains("takes 3 to 5 operands, not 2"));
  CHECK_THAT(error_of(s + "cp.async.ca.shared.global [%r1], [%rd0], 5;"), Contains("4, 8 or 16"));
}

TEST_CASE("local accesses are checked against the thread's size", "[exec]") {
  CHECK_THAT(error_of(".local .align 4 .b8 s[32];\nmov.u64 %rd2, s; ld.local.u32 %r2, [%rd2+32];"),
             Contains("the thread's local memory has 32 bytes"));
}

TEST_CASE("a thread has 512 KiB of local memory at most", "[exec]") {
  CHECK(error_of(".local .align 4 .b8 s[524288]; mov.u64 %rd2, s;").empty());
  CHECK_THAT(error_of(".local .align 4 .b8 s[524292]; mov.u64 %rd2, s;"),
             Contains("needs 524292 bytes of local memory per thread; at most 524288 are possible"));
}

TEST_CASE("constant memory is read-only and ld.const reads nothing else", "[exec]") {
  const std::string before = ".const .align 4 .u32 c[4] = {1, 2, 3, 4};";
  CHECK_THAT(error_of("mov.u64 %rd2, c; st.global.u32 [%rd2], %r0;", before), Contains("read-only") && Contains("'c'"));
  CHECK_THAT(error_of("mov.u64 %rd2, c; ld.const.u32 %r1, [%rd2+16];", before),
             Contains("out of bounds") && Contains("'c'"));
  CHECK_THAT(error_of("ld.const.u32 %r1, [%rd0];", before), Contains("reads no constant variable"));
  CHECK_THAT(error_of("st.const.u32 [c], %r0;", before), Contains("st.const.u32") && Contains("test.ptx:"));
}

TEST_CASE("the hint of the last allocation does not let a read-only one be written", "[exec]") {
  // The same instruction first reads and writes 'out', then the constant variable.
  const std::string error = error_of(R"(
    mov.u64 %rd2, %rd1; mov.u32 %r1, 0;
  LOOP:
    atom.add.u32 %r2, [%rd2], 1;
    mov.u64 %rd3, c; cvta.const.u64 %rd2, %rd3;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 2;
    @%p1 bra LOOP;)",
                                     ".const .align 4 .u32 c = 1;");
  CHECK_THAT(error, Contains("read-only") && Contains("'c'"));
}

TEST_CASE("parameters are checked against the kernel's own", "[exec]") {
  CHECK_THAT(error_of("ld.param.u32 %r1, [out+8];"), Contains("parameter space") && Contains("8 bytes"));
}

TEST_CASE("an unsupported instruction is named with its place before anything runs", "[exec]") {
  Body body;
  body.body = "\n\n  getctarank.shared::cluster.u32 %r1, %r2;";
  try {
    body.program().machine();
    FAIL("must be refused");
  } catch (const InputError& e) {
    CHECK_THAT(e.what(),
               Contains("test.ptx:") && Contains("getctarank.shared::cluster.u32") && Contains("not supported"));
  }
  CHECK_THAT(error_of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 16, [%r2];"),
             Contains("cp.async.bulk") && Contains("bulk copies are not supported"));
  CHECK_THAT(error_of("ld.global.frob.u32 %r1, [%rd0];"), Contains("ld.global.frob.u32") && Contains(".frob"));
  CHECK_THAT(error_of("ld.global.u64 %r1, [%rd0];"), Contains("%r1") && Contains("64 are needed"));
  CHECK_THAT(error_of("red.shared.add.noftz.v2.f16 [%r0], {%h1, %h2};"), Contains("does not take .shared"));
}

}  // namespace lockstep::fault_test
