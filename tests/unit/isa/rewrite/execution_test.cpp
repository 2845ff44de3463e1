// Rewritten kernels on the functional machine: they compute what they computed before.

#include <catch2/catch.hpp>

#include "isa/rewrite/scratchpad_addresses.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec::test;
using Operation = rewrite::AddressStep::Operation;

namespace {

/// Words of a row of 32 move by the number of the row: by XOR, or by addition.
rewrite::KernelRewrite moving(bool linear) {
  rewrite::KernelRewrite rewrite;
  rewrite.kernel = "k";
  rewrite.what = "a move of words";
  rewrite.linear = linear;
  rewrite.steps = {{Operation::shift_right, 0, 0, 5}, {Operation::bit_and, 1, 0, 124}};
  if (linear) {
    rewrite.steps.push_back({Operation::bit_xor, 0, 2, 0});
  } else {
    rewrite.steps.push_back({Operation::add, 0, 2, 0});
    rewrite.steps.push_back({Operation::bit_and, 3, 0, 127});
    rewrite.steps.push_back({Operation::bit_and, 0, 0, ~127u});
    rewrite.steps.push_back({Operation::bit_or, 4, 5, 0});
  }
  rewrite.bytes_needed = [](std::uint64_t bytes) { return (bytes + 127) / 128 * 128; };
  return rewrite;
}

Program rewritten(Program program, const rewrite::KernelRewrite& kernel) {
  const std::string text = ptx_head + program.ptx;
  const auto after =
      rewrite::rewrite_scratchpad_addresses(text, ptx::parse(text, "test.ptx"), {kernel}, rewrite::Lines::added);
  program.ptx = after.text.substr(std::string(ptx_head).size());
  return program;
}

}  // namespace

TEST_CASE("A function that gets pointers into scratchpad and global memory serves both after rewriting", "[rewrite]") {
  Body body;
  body.before = R"(
.shared .align 8 .b8 memory[4480];
.func touch(.param .b64 pointer)
{
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [pointer];
  ld.v2.u32 {%r1, %r2}, [%rd1];
  atom.add.u32 %r3, [%rd1+4], 1000;
  add.u32 %r4, %r1, %r2;
  setp.eq.u32 %p1, %r2, 107;
  @!%p1 st.u32 [%rd1], %r4;
  ret;
})";
  body.body = R"(
  mul.lo.u32 %r1, %r0, 136;  // Another row, and another place in it, for each thread.
  mov.u64 %rd2, memory;
  cvt.u64.u32 %rd3, %r1;
  add.s64 %rd3, %rd2, %rd3;
  add.u32 %r2, %r0, 100;
  st.shared.v2.u32 [%rd3], {%r0, %r2};
  cvta.shared.u64 %rd4, %rd3;
  and.b32 %r3, %r0, 1;
  setp.ne.u32 %p1, %r3, 0;
  selp.b64 %rd5, %rd4, %rd1, %p1;
  { .param .b64 p0; st.param.b64 [p0], %rd5; call.uni touch, (p0); }
  @%p1 ld.shared.u64 %rd6, [%rd3];
  @%p1 st.global.u64 [%rd1], %rd6;)";
  for (std::uint64_t t = 0; t < 32; ++t) body.initial.push_back((200 + t) << 32 | t);
  const auto result = expected([](std::uint64_t t) {
    const std::uint64_t second = t % 2 == 1 ? 100 + t : 200 + t;
    const std::uint64_t first = second == 107 ? t : t + second;
    return (second + 1000) << 32 | first;
  });
  const Program program = body.program();
  CHECK(program.run<std::uint64_t>() == result);
  for (const bool linear : {true, false}) {
    INFO(linear);
    CHECK(rewritten(program, moving(linear)).run<std::uint64_t>() == result);
  }
}
