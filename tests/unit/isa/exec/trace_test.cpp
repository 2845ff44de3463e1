// The streams that execution records, against streams worked out by hand.
#include <catch2/catch.hpp>

#include "isa/exec/memory/device_memory.hpp"
#include "isa/trace/stream.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::trace_test {

using namespace lockstep::exec::test;

namespace {

/// One line of a stream as text: "block 2 f0" or, under it, "10:100 11:108" for lanes and addresses in hexadecimal.
std::vector<std::string> stream_text(const program::Kernel& kernel, trace::WarpStream& stream) {
  std::vector<std::string> lines;
  trace::StreamCursor cursor(stream);
  trace::BlockEntry block;
  const auto hex = [](std::uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
    return std::string(text);
  };
  while (cursor.next_block(block)) {
    lines.push_back("block " + std::to_string(block.block) + " " + hex(block.mask));
    const program::StaticBlock& entry = kernel.blocks[block.block];
    for (std::uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
      for (std::uint32_t n = 0; n < program::access_entries(kernel.instructions[i]); ++n) {
        trace::AccessEntry access;
        cursor.next_access(access);
        std::string line = kernel.strings[kernel.instructions[i].mnemonic];
        for (unsigned lane = 0; lane < 32; ++lane) {
          if ((access.mask >> lane & 1) != 0) line += " " + std::to_string(lane) + ":" + hex(access.address[lane]);
        }
        lines.push_back(line);
      }
    }
  }
  return lines;
}

std::vector<std::string> recorded(const Program& program, std::uint32_t warp = 0) {
  const auto machine = program.machine();
  const auto streams = machine->open(0, 0);
  return stream_text(machine->header().kernels[0], streams->warp(warp));
}

}  // namespace

TEST_CASE("the stream of a divergent kernel holds its blocks, masks and addresses", "[exec][trace]") {
  Body body;
  body.threads = 6;
  body.initial = std::vector<std::uint64_t>(8, 1);
  // Block 0 is the head up to the branch; 1 the side of lanes 2-5; 2 that of lanes 0 and 1; 3 the rest.
  body.body = R"(
    .shared .align 4 .b8 data[64];
    shl.b32 %r3, %r0, 2;
    setp.lt.u32 %p1, %r0, 2;
    setp.eq.u32 %p2, %r0, 9;
    setp.eq.u32 %p3, %r0, 4;
    @%p1 bra SMALL;
    st.shared.u32 [%r3+8], %r0;
    bra.uni JOIN;
  SMALL:
    ld.global.u64 %rd3, [%rd0+16];
  JOIN:
    @%p2 ld.global.u32 %r4, [%rd1];
    @%p3 red.shared.add.u32 [%r3], 1;
    st.global.v2.u32 [%rd1], {%r0, %r0};
  )";
  const std::vector<std::string> expected_lines = {
      "block 0 3f",
      "ld.param.u64 0:0 1:0 2:0 3:0 4:0 5:0",
      "block 1 3c",
      "st.shared.u32 2:10 3:14 4:18 5:1c",
      "block 2 3",
      "ld.global.u64 0:100000010 1:100000010",
      "block 3 3f",
      "ld.global.u32",
      "red.shared.add.u32 4:10",
      "st.global.v2.u32 0:100000000 1:100000008 2:100000010 3:100000018 4:100000020 5:100000028",
  };
  CHECK(recorded(body.program()) == expected_lines);
}

TEST_CASE("every turn of a loop is a block entry with the lanes that are left", "[exec][trace]") {
  Body body;
  body.threads = 4;
  body.body = R"(
    mov.u32 %r1, 0;
  LOOP:
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p1, %r1, %r0;
    @%p1 bra LOOP;
  )";
  CHECK(recorded(body.program()) == std::vector<std::string>{"block 0 f", "ld.param.u64 0:0 1:0 2:0 3:0", "block 1 f",
                                                             "block 1 e", "block 1 c", "block 1 8", "block 2 f"});
}

TEST_CASE("local, generic and constant accesses carry addresses of their own spaces", "[exec][trace]") {
  Body body;
  body.threads = 2;
  body.before = ".const .align 4 .u32 table[4] = {1, 2, 3, 4};";
  body.body = R"(
    .local .align 8 .b8 stack[32];
    .shared .align 8 .b8 data[32];
    mov.u64 %rd2, stack;
    mul.wide.u32 %rd3, %r0, 8;
    add.s64 %rd4, %rd2, %rd3;
    st.local.u32 [%rd4+4], %r0;
    mov.u64 %rd5, data;
    add.s64 %rd5, %rd5, %rd3;
    cvta.shared.u64 %rd6, %rd5;
    st.u8 [%rd6+1], %r0;
    ld.const.u32 %r2, [table+4];
    ld.u64 %rd7, [%rd1];
  )";
  const std::vector<std::string> lines = recorded(body.program());
  REQUIRE(lines.size() == 6);
  CHECK(lines[2] == "st.local.u32 0:4 1:c");
  CHECK(lines[3] == "st.u8 0:1000001 1:1000009");
  CHECK(lines[5] == "ld.u64 0:100000000 1:100000008");
  // The constant variable is the first behind the kernel parameters, in the region of constants.
  const std::string prefix = "ld.const.u32 0:";
  REQUIRE(lines[4].compare(0, prefix.size(), prefix) == 0);
  const std::uint64_t address = std::stoull(lines[4].substr(prefix.size()), nullptr, 16);
  CHECK(address >= exec::constant_base);
  CHECK(address % 256 == 4);
}

TEST_CASE("a barrier in the middle of a block does not break the block's entries", "[exec][trace]") {
  Body body;
  body.threads = 64;
  body.body = R"(
    .shared .align 4 .b8 data[256];
    shl.b32 %r3, %r0, 2;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
    ld.shared.u32 %r4, [4];
    st.global.u32 [%rd1], %r4;
  )";
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    const std::vector<std::string> lines = recorded(body.program(), warp);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "block 0 ffffffff");
    CHECK(lines[2].rfind(warp == 0 ? "st.shared.u32 0:0 1:4" : "st.shared.u32 0:80 1:84", 0) == 0);
    CHECK(lines[3].rfind("ld.shared.u32 0:4 1:4", 0) == 0);
  }
}

TEST_CASE("a called function's blocks stand between the caller's", "[exec][trace]") {
  Body body;
  body.threads = 4;
  body.before = R"(
    .func (.param .b32 r) f(.param .b32 x)
    {
      .reg .b32 %r<4>; .reg .pred %p<2>;
      ld.param.u32 %r1, [x];
      st.param.b32 [r], %r1;
      setp.gt.u32 %p1, %r1, 1;
      @%p1 ret;
      add.u32 %r1, %r1, 5;
      st.param.b32 [r], %r1;
      ret;
    })";
  body.body = R"(
    { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r0;
    call (b), f, (a);
    ld.param.b32 %r5, [b]; }
    st.global.u32 [%rd1], %r5;
  )";
  // Kernel: blocks 0 (to the call) and 1; function: 2 (to the guarded ret) and 3. Its ld.param are moves.
  CHECK(recorded(body.program()) ==
        std::vector<std::string>{"block 0 f", "ld.param.u64 0:0 1:0 2:0 3:0", "block 2 f", "block 3 3", "block 1 f",
                                 "st.global.u32 0:100000000 1:100000008 2:100000010 3:100000018"});
  CHECK(body.program().run<std::uint32_t>()[0] == 5);
  CHECK(body.program().run<std::uint32_t>()[6] == 3);
}

TEST_CASE("warps that end together and not recording changes no result", "[exec][trace]") {
  Program p = Body{"red.global.add.u64 [%rd0], 3;", "", 96, 0, {}}.program();
  p.grid = {3, 1, 1};
  const auto machine = p.machine();
  for (std::uint64_t block = 0; block < 3; ++block) machine->open(0, block);
  CHECK(values_of<std::uint64_t>(machine->buffer(0)) == p.run<std::uint64_t>());
}

TEST_CASE("an asynchronous copy leaves what it reads, then what it writes", "[exec][trace]") {
  Body body;
  body.threads = 4;
  body.initial = {1, 2, 3, 4};
  // Lane 2 reads nothing: its four bytes become zero. Lane 3 does not copy; in the second copy no lane does.
  body.body = R"(
    .shared .align 8 .b8 data[64];
    shl.b32 %r3, %r0, 2;
    setp.lt.u32 %p1, %r0, 3;
    setp.eq.u32 %p2, %r0, 9;
    setp.eq.u32 %p3, %r0, 2;
    @%p1 cp.async.ca.shared.global [%r3+16], [%rd1], 4, %p3;
    @%p2 cp.async.cg.shared.global [%r3], [%rd1], 16;
    cp.async.wait_all;
  )";
  CHECK(recorded(body.program()) == std::vector<std::string>{
                                        "block 0 f",
                                        "ld.param.u64 0:0 1:0 2:0 3:0",
                                        "cp.async.ca.shared.global 0:100000000 1:100000008",
                                        "cp.async.ca.shared.global 0:10 1:14 2:18",
                                        "cp.async.cg.shared.global",
                                        "cp.async.cg.shared.global",
                                    });
}

TEST_CASE("a prefetch leaves the addresses of the lanes that execute it, wherever they point", "[exec][trace]") {
  Body body;
  body.threads = 2;
  body.body = R"(
    setp.eq.u32 %p1, %r0, 9;
    mov.u64 %rd2, 64;
    prefetch.global.L1 [%rd1];
    @%p1 prefetch.global.L2 [%rd1];
    prefetchu.L1 [%rd2];
  )";
  CHECK(recorded(body.program()) == std::vector<std::string>{
                                        "block 0 3",
                                        "ld.param.u64 0:0 1:0",
                                        "prefetch.global.L1 0:100000000 1:100000008",
                                        "prefetch.global.L2",
                                        "prefetchu.L1 0:40 1:40",
                                    });
}

TEST_CASE("a division has an entry with the lanes whose operands are rare, of none too", "[exec][trace]") {
  Body body;
  body.threads = 4;
  body.initial = std::vector<std::uint64_t>(8, 1);
  // Lane 0 divides zero, then by zero under a guard that lane 3 alone has not; roots are of 1 to 4, and approximate ones have no entry.
  body.body = R"(
    cvt.rn.f32.u32 %f1, %r0;
    div.rn.f32 %f2, %f1, 0f40E00000;
    setp.ne.u32 %p1, %r0, 3;
    @%p1 div.rn.f32 %f2, 0f3F800000, %f1;
    add.f32 %f1, %f1, 0f3F800000;
    sqrt.rn.f32 %f2, %f1;
    sqrt.approx.f32 %f2, %f1;
  )";
  CHECK(recorded(body.program()) == std::vector<std::string>{"block 0 f", "ld.param.u64 0:0 1:0 2:0 3:0",
                                                             "div.rn.f32 0:0", "div.rn.f32 0:0", "sqrt.rn.f32"});
}

}  // namespace lockstep::trace_test
