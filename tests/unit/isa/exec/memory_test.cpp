// Loads, stores, state spaces, variables, address conversion, asynchronous copies.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::memory_test {

using namespace lockstep::exec::test;

namespace {

/// out[0] = 0x8182838485868788, loaded by thread 0 with `load` into %rd2.
std::uint64_t loaded(const std::string& load) {
  Body body;
  body.initial = {0x8182838485868788ull};
  body.body = "setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\n" + load + "\nst.global.u64 [%rd0], %rd2;";
  return body.program().run<std::uint64_t>()[0];
}

}  // namespace

TEST_CASE("loads extend to the width of their register by the sign of their type", "[exec]") {
  CHECK(loaded("ld.global.u8 %rd2, [%rd0];") == 0x88);
  CHECK(loaded("ld.global.s8 %rd2, [%rd0];") == 0xffffffffffffff88ull);
  CHECK(loaded("ld.global.b8 %rd2, [%rd0+1];") == 0x87);
  CHECK(loaded("ld.global.u16 %rd2, [%rd0+2];") == 0x8586);
  CHECK(loaded("ld.global.s16 %rd2, [%rd0+2];") == 0xffffffffffff8586ull);
  CHECK(loaded("ld.global.u32 %rd2, [%rd0];") == 0x85868788u);
  CHECK(loaded("ld.global.s32 %rd2, [%rd0];") == 0xffffffff85868788ull);
  CHECK(loaded("ld.global.b32 %rd2, [%rd0+4];") == 0x81828384u);
  CHECK(loaded("ld.global.s64 %rd2, [%rd0];") == 0x8182838485868788ull);
  CHECK(loaded("ld.global.s8 %r1, [%rd0]; cvt.u64.u32 %rd2, %r1;") == 0xffffff88u);
  CHECK(loaded("ld.global.s8 %h1, [%rd0]; cvt.u64.u16 %rd2, %h1;") == 0xff88u);
  CHECK(loaded("ld.global.u8 %h1, [%rd0]; cvt.u64.u16 %rd2, %h1;") == 0x88u);
}

TEST_CASE("order, scope, cache and eviction modifiers change no value", "[exec]") {
  for (const char* load :
       {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.global.u32", "ld.global.nc.u32",
        "ld.global.ca.u32", "ld.global.cg.u32", "ld.global.cs.u32", "ld.global.cv.u32",
        "ld.global.L1::evict_last.L2::128B.u32", "ld.weak.global.u32", "ld.u32", "ldu.global.u32"}) {
    INFO(load);
    CHECK(loaded(std::string(load) + " %rd2, [%rd0];") == 0x85868788u);
  }
  for (const char* store : {"st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt", "st.volatile.global",
                            "st.relaxed.cta.global", "st.release.gpu.global", "st", "st.global.L1::no_allocate"}) {
    INFO(store);
    const std::string text = std::string(store) + ".u64 [%rd1], 77;";
    CHECK(run_body(text) == expected([](std::uint64_t) { return 77u; }));
  }
}

TEST_CASE("stores write the low bits of their register and nothing beside them", "[exec]") {
  Body body;
  body.threads = 1;
  body.initial = {0xffffffffffffffffull};
  body.body = "mov.u32 %r1, 0x12345678; st.global.u8 [%rd0+1], %r1; st.global.u16 [%rd0+4], %r1;";
  CHECK(body.program().run<std::uint64_t>()[0] == 0xffff5678ffff78ffull);
}

TEST_CASE("floating-point and integer literals can be stored", "[exec]") {
  CHECK(run_body("st.global.f64 [%rd1], 0d3FF8000000000000;")[3] == 0x3ff8000000000000ull);
  CHECK(run_body("st.global.f32 [%rd1], 0f3FC00000; st.global.s32 [%rd1+4], -2;")[3] == 0xfffffffe3fc00000ull);
}

TEST_CASE("vector loads and stores move neighbouring elements in order", "[exec]") {
  Body body;
  body.threads = 1;
  body.initial = {0x0807060504030201ull, 0x100f0e0d0c0b0a09ull, 0, 0, 0, 0};
  SECTION("four bytes") {
    body.body =
        "ld.global.v4.u8 {%r1, %r2, _, %r4}, [%rd0+4]; mov.u32 %r3, 0xaa; "
        "st.global.v4.u8 [%rd0+16], {%r4, %r3, %r2, %r1};";
    CHECK(body.program().run<std::uint64_t>()[2] == 0x0506aa08u);
  }
  SECTION("two and four words") {
    body.body =
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0]; st.global.v4.b32 [%rd0+16], {%r4, %r3, %r2, %r1}; "
        "ld.global.v2.f32 {%f1, %f2}, [%rd0]; st.global.v2.f32 [%rd0+32], {%f2, %f1};";
    const auto out = body.program().run<std::uint32_t>();
    CHECK(out[4] == 0x100f0e0du);
    CHECK(out[5] == 0x0c0b0a09u);
    CHECK(out[6] == 0x08070605u);
    CHECK(out[7] == 0x04030201u);
    CHECK(out[8] == 0x08070605u);
    CHECK(out[9] == 0x04030201u);
  }
  SECTION("the base register may be a destination") {
    body.body = "mov.u64 %rd5, %rd0; ld.global.v2.u64 {%rd5, %rd6}, [%rd5]; st.global.v2.u64 [%rd0+16], {%rd6, %rd5};";
    const auto out = body.program().run<std::uint64_t>();
    CHECK(out[2] == 0x100f0e0d0c0b0a09ull);
    CHECK(out[3] == 0x0807060504030201ull);
  }
  SECTION("eight words") {
    body.body = "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd0]; st.global.u32 [%rd0+40], %r4;";
    CHECK(body.program().run<std::uint32_t>()[10] == 0x100f0e0du);
  }
}

TEST_CASE("scratchpad memory is shared by the threads of a block and zero for the next one", "[exec]") {
  Program p;
  p.ptx = kernel(R"(
    .shared .align 4 .b32 first;
    .shared .align 4 .b8 data[256];
    mov.u32 %r2, data;
    shl.b32 %r3, %r0, 2;
    add.u32 %r4, %r2, %r3;
    ld.shared.u32 %r9, [%r4];
    st.shared.u32 [%r4], %r0;
    bar.sync 0;
    xor.b32 %r5, %r3, 0xfc;
    add.u32 %r6, %r2, %r5;
    ld.shared.u32 %r7, [%r6];
    add.u32 %r7, %r7, %r9;
    mov.u32 %r8, %ctaid.x;
    mad.lo.u32 %r10, %r8, 64, %r0;
    mul.wide.u32 %rd2, %r10, 4;
    add.s64 %rd2, %rd0, %rd2;
    st.global.u32 [%rd2], %r7;
  )");
  p.block = {64, 1, 1};
  p.grid = {3, 1, 1};
  p.buffers.push_back({"out", std::vector<std::uint8_t>(3 * 64 * 4)});
  const auto out = p.run<std::uint32_t>();
  for (std::uint32_t i = 0; i < 192; ++i) CHECK(out[i] == 63 - i % 64);
}

TEST_CASE("dynamic scratchpad memory begins behind the static variables", "[exec]") {
  const auto out = run_body(R"(
    .shared .align 4 .b8 fixed[20];
    mov.u64 %rd2, dynamic;
    mov.u64 %rd3, fixed;
    sub.s64 %rd4, %rd2, %rd3;
    mul.wide.u32 %rd5, %r0, 8;
    add.s64 %rd6, %rd2, %rd5;
    st.shared.u64 [%rd6], %rd4;
    ld.shared.u64 %rd7, [%rd6];
    mov.u32 %r1, %dynamic_smem_size;
    cvt.u64.u32 %rd8, %r1;
    shl.b64 %rd8, %rd8, 32;
    or.b64 %rd7, %rd7, %rd8;
    st.global.u64 [%rd1], %rd7;
  )",
                            ".extern .shared .align 16 .b8 dynamic[];", 32, 256);
  CHECK(out == expected([](std::uint64_t) { return 256ull << 32 | 32; }));
}

TEST_CASE("addresses of scratchpad and local memory add up in 32 bits, as nvcc writes s[31 - t]", "[exec]") {
  const auto out = run_body(R"(
    .shared .align 4 .b8 s[128];
    .local .align 4 .b8 own[8];
    mov.u32 %r1, s;
    shl.b32 %r2, %r0, 2;
    add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
    sub.u32 %r4, %r1, %r2;
    ld.shared.u32 %r5, [%r4+124];
    atom.shared.add.u32 %r6, [%r4+124], 0;
    mov.u32 %r7, own;
    sub.u32 %r8, %r7, 4;
    st.local.u32 [%r8+8], %r5;
    ld.local.u32 %r9, [%r7+4];
    add.u32 %r9, %r9, %r6;
    cvt.u64.u32 %rd8, %r9;
    st.global.u64 [%rd1], %rd8;
  )");
  CHECK(out == expected([](std::uint64_t t) { return 2 * (31 - t); }));
}

TEST_CASE("local memory belongs to the thread", "[exec]") {
  const auto out = run_body(R"(
    .local .align 8 .b8 stack[64];
    mov.u64 %rd2, stack;
    cvta.local.u64 %rd3, %rd2;
    and.b32 %r1, %r0, 7;
    mul.wide.u32 %rd4, %r1, 8;
    add.s64 %rd5, %rd2, %rd4;
    cvt.u64.u32 %rd6, %r0;
    add.s64 %rd6, %rd6, 1000;
    st.local.u64 [%rd5], %rd6;
    add.s64 %rd7, %rd3, %rd4;
    ld.u64 %rd8, [%rd7];
    st.global.u64 [%rd1], %rd8;
  )",
                            "", 64);
  CHECK(out == expected([](std::uint64_t t) { return t + 1000; }, 64));
}

TEST_CASE("a generic access is resolved lane by lane", "[exec]") {
  // Even lanes store through a generic pointer to the scratchpad, odd lanes to global memory.
  const auto out = run_body(R"(
    .shared .align 8 .b8 data[256];
    mov.u64 %rd2, data;
    mul.wide.u32 %rd3, %r0, 8;
    add.s64 %rd4, %rd2, %rd3;
    cvta.shared.u64 %rd5, %rd4;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 1;
    selp.b64 %rd6, %rd1, %rd5, %p1;
    st.u32 [%rd6], %r0;
    isspacep.shared %p2, %rd6;
    isspacep.global %p3, %rd6;
    ld.shared.u32 %r2, [%rd4];
    ld.global.u32 %r3, [%rd1];
    add.u32 %r4, %r2, %r3;
    @%p2 add.u32 %r4, %r4, 1000;
    @%p3 add.u32 %r4, %r4, 2000;
    cvt.u64.u32 %rd8, %r4;
    st.global.u64 [%rd1], %rd8;
  )");
  CHECK(out == expected([](std::uint64_t t) { return t + (t % 2 == 0 ? 1000 : 2000); }));
}

TEST_CASE("cvta and cvta.to undo each other", "[exec]") {
  const auto out = run_body(R"(
    .shared .align 8 .b8 pad[16];
    .shared .align 8 .b8 data[16];
    mov.u64 %rd2, data;
    cvta.shared.u64 %rd3, %rd2;
    cvta.to.shared.u64 %rd4, %rd3;
    setp.eq.u64 %p1, %rd2, %rd4;
    setp.ne.u64 %p2, %rd2, %rd3;
    cvta.to.global.u64 %rd5, %rd1;
    setp.eq.u64 %p3, %rd5, %rd1;
    selp.u32 %r1, 1, 0, %p1;
    selp.u32 %r2, 2, 0, %p2;
    selp.u32 %r3, 4, 0, %p3;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    mov.u64 %rd9, pad;
    st.shared.u8 [%rd9], 0;
    cvt.u64.u32 %rd8, %r1;
    st.global.u64 [%rd1], %rd8;
  )");
  CHECK(out == expected([](std::uint64_t) { return 7u; }));
}

TEST_CASE("module variables have their initial values and keep what launches write", "[exec]") {
  Body body;
  body.threads = 1;
  body.before = R"(
    .global .align 4 .u32 counter = 5;
    .const .align 4 .u32 table[3] = {10, 20};
    .global .align 8 .u64 pointer = table;
    .global .align 8 .u64 generic_pointer = generic(counter) + 0;
  )";
  body.body = R"(
    ld.global.u32 %r1, [counter];
    add.u32 %r1, %r1, 1;
    st.global.u32 [counter], %r1;
    ld.const.u32 %r2, [table+4];
    ld.const.u32 %r3, [table+8];
    ld.global.u64 %rd2, [pointer];
    ld.const.u32 %r4, [%rd2];
    ld.global.u64 %rd3, [generic_pointer];
    ld.u32 %r5, [%rd3];
    st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};
    st.global.u32 [%rd0+16], %r5;
  )";
  body.initial.resize(4);
  Program p = body.program();
  p.launches = 3;
  const auto out = p.run<std::uint32_t>();
  CHECK(out[0] == 8);
  CHECK(out[1] == 20);
  CHECK(out[2] == 0);
  CHECK(out[3] == 10);
  CHECK(out[4] == 8);
}

TEST_CASE("parameters are read at any offset, by name and by address", "[exec]") {
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(std::string(ptx_head) + R"(
    .visible .entry k(.param .u64 out, .param .u8 small, .param .align 8 .b8 block[16], .param .f32 real)
    {
      .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>;
      ld.param.u64 %rd0, [out];
      ld.param.u8 %r1, [small];
      ld.param.u32 %r2, [block+4];
      mov.b64 %rd1, block;
      add.s64 %rd1, %rd1, 8;
      ld.param.u64 %rd2, [%rd1];
      ld.param.f32 %f1, [real];
      st.global.u32 [%rd0], %r1;
      st.global.u32 [%rd0+4], %r2;
      st.global.u64 [%rd0+8], %rd2;
      st.global.f32 [%rd0+16], %f1;
      ret;
    })",
                                                                         "test.ptx")));
  task->buffers.push_back({"out", std::vector<std::uint8_t>(24)});
  exec::KernelLaunch launch;
  launch.module = task->modules[0].get();
  launch.entry = "k";
  std::vector<std::uint8_t> block(16);
  for (std::uint8_t i = 0; i < 16; ++i) block[i] = i;
  launch.arguments = {exec::BufferAddress{0, 0}, std::vector<std::uint8_t>{200}, block, bytes_of<float>({1.5f})};
  task->launches.push_back(launch);
  exec::Machine machine(std::move(task));
  machine.finish();
  const auto out = values_of<std::uint32_t>(machine.buffer(0));
  CHECK(out[0] == 200);
  CHECK(out[1] == 0x07060504u);
  CHECK(out[2] == 0x0b0a0908u);
  CHECK(out[3] == 0x0f0e0d0cu);
  CHECK(out[4] == 0x3fc00000u);
}

TEST_CASE("an asynchronous copy has arrived after its wait, zero-filled past the source size", "[exec]") {
  Body body;
  body.threads = 1;
  body.initial = {0x1111111111111111ull, 0x2222222222222222ull, ~0ull, ~0ull, ~0ull};
  body.body = R"(
    .shared .align 16 .b8 data[64];
    mov.u32 %r1, data;
    mov.u32 %r2, 5;
    cp.async.cg.shared.global [%r1], [%rd0], 16;
    cp.async.ca.shared.global.L2::128B [%r1+16], [%rd0], 8, %r2;
    cp.async.ca.shared.global [%r1+24], [%rd0+4], 4;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.v2.u64 {%rd2, %rd3}, [%r1];
    ld.shared.v2.u64 {%rd4, %rd5}, [%r1+16];
    st.global.u64 [%rd0+16], %rd3;
    st.global.u64 [%rd0+24], %rd4;
    st.global.u64 [%rd0+32], %rd5;
  )";
  const auto out = body.program().run<std::uint64_t>();
  CHECK(out[2] == 0x2222222222222222ull);
  CHECK(out[3] == 0x1111111111ull);
  CHECK(out[4] == 0x11111111ull);
}

TEST_CASE("prefetches and fences do nothing, wherever they point", "[exec]") {
  CHECK(run_body(R"(
    mov.u64 %rd2, 64;
    prefetch.global.L1 [%rd2]; prefetch.global.L2 [%rd2]; prefetchu.L1 [%rd2];
    membar.gl; membar.cta; membar.sys; fence.acq_rel.gpu; fence.sc.sys; fence.proxy.alias; bar.warp.sync 0xffffffff;
    nanosleep.u32 20; brkpt;
    st.global.u64 [%rd1], 1;
  )") == expected([](std::uint64_t) { return 1u; }));
}

}  // namespace lockstep::memory_test
