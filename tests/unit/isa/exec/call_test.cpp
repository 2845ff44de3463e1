// Calls of device functions.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::call_test {

using namespace lockstep::exec::test;
using Catch::Contains;

TEST_CASE("arguments and results pass through param variables", "[exec]") {
  const auto out = run_body(R"(
    {
      .param .b32 a; .param .align 8 .b8 b[16]; .param .b64 result;
      st.param.b32 [a], %r0;
      st.param.b64 [b], 1000;
      st.param.b64 [b+8], %rd1;
      call.uni (result), f, (a, b);
      ld.param.b64 %rd5, [result];
    }
    sub.s64 %rd5, %rd5, %rd1;
    st.global.u64 [%rd1], %rd5;
  )",
                            R"(
    .func (.param .b64 r) f(.param .b32 x, .param .align 8 .b8 y[16])
    {
      .reg .b64 %rd<8>;
      ld.param.u32 %rd1, [x];
      ld.param.u64 %rd2, [y];
      ld.param.u64 %rd3, [y+8];
      add.s64 %rd4, %rd1, %rd2;
      add.s64 %rd4, %rd4, %rd3;
      st.param.b64 [r], %rd4;
      ret;
    })");
  CHECK(out == expected([](std::uint64_t t) { return 1000 + t; }));
}

TEST_CASE("arguments and results pass through registers", "[exec]") {
  const auto out = run_body("call (%r5), twice, (%r0, 3);\ncvt.u64.u32 %rd2, %r5; st.global.u64 [%rd1], %rd2;", R"(
    .func (.reg .u32 r) twice(.reg .u32 x, .reg .u32 y)
    {
      add.u32 r, x, x;
      add.u32 r, r, y;
      ret;
    })");
  CHECK(out == expected([](std::uint64_t t) { return 2 * t + 3; }));
}

TEST_CASE("a call passes values of the size that the function takes", "[exec]") {
  const auto error = [](const std::string& parameter, const std::string& call) {
    return Body{call, ".func f(" + parameter + ") { ret; }\n", 1, 0, {}}.program().error();
  };
  CHECK(error(".reg .b64 x", "call f, (%rd2);").empty());
  CHECK_THAT(error(".reg .b64 x", "call f, (%r1);"), Contains("passes a value of 32 bits where 64 are needed"));
  CHECK_THAT(error(".reg .pred x", "call f, (%r1);"), Contains("passes a value of 32 bits where 1 are needed"));
  CHECK(error(".param .b64 x", "{ .param .b64 a; call f, (a); }").empty());
  CHECK_THAT(error(".param .b64 x", "{ .param .b32 a; call f, (a); }"),
             Contains("passes a value of 4 bytes where 8 are needed"));
  CHECK(error(".param .b16 x", "call f, (%r1);").empty());
  CHECK_THAT(error(".param .b64 x", "call f, (%r1);"),
             Contains("a register of 32 bits and a variable of 8 bytes do not match"));
}

TEST_CASE("a call in divergent flow leaves the other lanes' registers alone", "[exec]") {
  // Odd lanes call; f itself diverges and returns early for some of them. Afterwards all lanes are together.
  const auto out = run_body(R"(
    mov.u32 %r5, 1;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 1;
    @!%p1 bra DONE;
    call (%r5), f, (%r0);
  DONE:
    activemask.b32 %r6;
    st.global.v2.u32 [%rd1], {%r5, %r6};
  )",
                            R"(
    .func (.reg .u32 r) f(.reg .u32 x)
    {
      .reg .pred %p<2>;
      mov.u32 r, 100;
      setp.lt.u32 %p1, x, 10;
      @%p1 ret;
      add.u32 r, r, x;
      ret;
    })");
  CHECK(out == expected([](std::uint64_t t) {
          const std::uint64_t value = t % 2 == 0 ? 1 : t < 10 ? 100 : 100 + t;
          return value | 0xffffffffull << 32;
        }));
}

TEST_CASE("a guarded call is taken by the lanes whose guard is on", "[exec]") {
  const auto out = run_body(R"(
    mov.u32 %r5, 1;
    setp.gt.u32 %p1, %r0, 20;
    @%p1 call (%r5), f, (%r0);
    activemask.b32 %r6;
    st.global.v2.u32 [%rd1], {%r5, %r6};
  )",
                            ".func (.reg .u32 r) f(.reg .u32 x)\n{\n add.u32 r, x, 7;\n ret;\n}");
  CHECK(out == expected([](std::uint64_t t) { return (t > 20 ? t + 7 : 1) | 0xffffffffull << 32; }));
}

TEST_CASE("calls nest and one function is called from several places", "[exec]") {
  const auto out = run_body(R"(
    call (%r1), g, (%r0);
    call (%r2), f, (%r1);
    call (%r3), g, (%r2);
    cvt.u64.u32 %rd2, %r3;
    st.global.u64 [%rd1], %rd2;
  )",
                            R"(
    .func (.reg .u32 r) f(.reg .u32 x)
    {
      mul.lo.u32 r, x, 3;
      ret;
    }
    .func (.reg .u32 r) g(.reg .u32 x)
    {
      .reg .u32 t;
      call (t), f, (x);
      add.u32 r, t, 1;
      ret;
    })");
  // g(x) = 3x + 1, f(x) = 3x.
  CHECK(out == expected([](std::uint64_t t) { return 3 * (3 * (3 * t + 1)) + 1; }));
}

TEST_CASE("lanes that exit inside a function do not return", "[exec]") {
  const auto out =
      run_body("call f, (%r0);\nactivemask.b32 %r6; cvt.u64.u32 %rd2, %r6; st.global.u64 [%rd1], %rd2;", R"(
    .func f(.reg .u32 x)
    {
      .reg .pred %p<2>;
      setp.ge.u32 %p1, x, 8;
      @%p1 exit;
      ret;
    })");
  CHECK(out == expected([](std::uint64_t t) { return t < 8 ? 0xffu : 0; }));
}

TEST_CASE("functions have local memory and scratchpad variables of their own", "[exec]") {
  const auto out = run_body(R"(
    .local .align 4 .b8 mine[16];
    mov.u64 %rd2, mine;
    st.local.u32 [%rd2], 5;
    call (%r1), f, (%r0);
    ld.local.u32 %r2, [%rd2];
    add.u32 %r1, %r1, %r2;
    cvt.u64.u32 %rd3, %r1;
    st.global.u64 [%rd1], %rd3;
  )",
                            R"(
    .func (.reg .u32 r) f(.reg .u32 x)
    {
      .local .align 4 .b8 mine[16];
      .reg .b64 %rd<4>;
      mov.u64 %rd1, mine;
      st.local.u32 [%rd1], x;
      ld.local.u32 r, [%rd1];
      mul.lo.u32 r, r, 10;
      ret;
    })");
  CHECK(out == expected([](std::uint64_t t) { return 10 * t + 5; }));
}

TEST_CASE("the address of a function parameter is a local one", "[exec]") {
  const auto out = run_body(R"(
    {
      .param .align 4 .b8 a[8]; .param .b32 result;
      st.param.b32 [a], %r0;
      st.param.b32 [a+4], 50;
      call (result), f, (a);
      ld.param.b32 %r5, [result];
    }
    cvt.u64.u32 %rd5, %r5;
    st.global.u64 [%rd1], %rd5;
  )",
                            R"(
    .func (.param .b32 r) f(.param .align 4 .b8 x[8])
    {
      .reg .b64 %rd<4>; .reg .b32 %r<4>;
      mov.b64 %rd1, x;
      cvta.local.u64 %rd2, %rd1;
      ld.local.u32 %r1, [%rd1];
      ld.u32 %r2, [%rd2+4];
      add.u32 %r1, %r1, %r2;
      st.param.b32 [r], %r1;
      ret;
    })");
  CHECK(out == expected([](std::uint64_t t) { return t + 50; }));
}

TEST_CASE("a barrier inside a function works like one in the kernel", "[exec]") {
  const auto out = run_body(R"(
    call (%r1), f, (%r0);
    cvt.u64.u32 %rd3, %r1;
    st.global.u64 [%rd1], %rd3;
  )",
                            R"(
    .shared .align 4 .b8 data[256];
    .func (.reg .u32 r) f(.reg .u32 x)
    {
      .reg .b32 %r<8>;
      mov.u32 %r1, data;
      shl.b32 %r2, x, 2;
      add.u32 %r3, %r1, %r2;
      st.shared.u32 [%r3], x;
      bar.sync 0;
      xor.b32 %r2, %r2, 252;
      add.u32 %r3, %r1, %r2;
      ld.shared.u32 r, [%r3];
      ret;
    })",
                            64);
  CHECK(out == expected([](std::uint64_t t) { return 63 - t; }, 64));
}

}  // namespace lockstep::call_test
