// Exchange between lanes, conversions, atomics and memory of CUDA's device language against what CUDA says that they do.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tests/system/device_language/functions.hpp"

namespace lockstep::threads_test {

using namespace lockstep::device_language;

namespace {

using u64 = std::uint64_t;

struct OfThread {
  std::string expression;
  std::function<u64(u64)> right;  ///< Of the thread's number, whose last five bits are its lane.
};

/// Each thread evaluates with its number in a and in t, and must get what is right for it.
void check(const std::vector<OfThread>& functions) {
  std::vector<u64> threads(block_threads);
  std::iota(threads.begin(), threads.end(), u64{0});
  std::vector<std::string> expressions;
  for (const OfThread& function : functions) expressions.push_back(function.expression);
  const auto results = evaluate<u64, u64>(expressions, "unsigned long long", "unsigned long long", {threads});
  for (std::size_t f = 0; f < functions.size(); ++f)
    for (const u64 thread : threads) {
      INFO(functions[f].expression << " of thread " << thread);
      REQUIRE(results[f][thread] == functions[f].right(thread));
    }
}

constexpr u64 wide(u64 thread) {
  return thread * 0x100000001;
}
u64 bits(double number) {
  return std::bit_cast<u64>(number);
}

}  // namespace

TEST_CASE("Values of 64 bits are exchanged whole, by every shuffle") {
  check({{"__shfl_sync(~0u, a * 0x100000001ull, 5)", [](u64 t) { return wide(t / 32 * 32 + 5); }},
         {"__shfl_up_sync(~0u, a * 0x100000001ull, 3)", [](u64 t) { return wide(t % 32 < 3 ? t : t - 3); }},
         {"__shfl_down_sync(~0u, a * 0x100000001ull, 3, 16)", [](u64 t) { return wide(t % 16 > 12 ? t : t + 3); }},
         {"__shfl_xor_sync(~0u, (long long)(a * 0x100000001ull), 17)", [](u64 t) { return wide(t ^ 17); }},
         {"__double_as_longlong(__shfl_xor_sync(~0u, (double)a, 1))",
          [](u64 t) { return bits(static_cast<double>(t ^ 1)); }}});
}

TEST_CASE("Votes, matches and reductions see all lanes of the warp") {
  const auto equal_lanes = [](u64 thread, u64 divisor) {
    u64 mask = 0;
    for (u64 lane = 0; lane < 32; ++lane)
      if ((thread / 32 * 32 + lane) / divisor == thread / divisor) mask |= u64{1} << lane;
    return mask;
  };
  check({{"__match_any_sync(~0u, (int)(a / 5))", [=](u64 t) { return equal_lanes(t, 5); }},
         {"__match_any_sync(~0u, (a / 5) << 40)", [=](u64 t) { return equal_lanes(t, 5); }},
         {"__match_any_sync(~0u, (double)(a / 7))", [=](u64 t) { return equal_lanes(t, 7); }},
         {"({ int all; const unsigned m = __match_all_sync(~0u, a / 32, &all); all ? m : 1ull; })",
          [](u64) { return 0xffffffff; }},
         {"({ int all; const unsigned m = __match_all_sync(~0u, a / 16, &all); all ? 1ull : m; })",
          [](u64) { return 0; }},
         {"__ballot_sync(~0u, a % 2)", [](u64) { return 0xaaaaaaaa; }},
         {"__uni_sync(~0u, a < 64)", [](u64) { return 1; }},
         {"__uni_sync(~0u, a < 48)", [](u64 t) { return t / 32 != 1; }},
         {"__reduce_add_sync(~0u, (unsigned)a)", [](u64 t) { return t / 32 * 32 * 32 + 31 * 16; }},
         {"__reduce_min_sync(~0u, (int)a - 100) + 100", [](u64 t) { return t / 32 * 32; }},
         {"__reduce_max_sync(~0u, (unsigned)a - 100)",
          [](u64 t) { return t < 96 ? (t / 32 * 32 + 31 - 100) & 0xffffffff : 0xffffffff; }},
         {"(long long)__reduce_max_sync(~0u, (int)a - 100)", [](u64 t) { return t / 32 * 32 + 31 - 100; }},
         {"__reduce_xor_sync(~0u, 1u << (a % 32))", [](u64) { return 0xffffffff; }}});
}

TEST_CASE("Conversions round as their names say, and saturate") {
  const auto as_signed = [](int number) { return static_cast<u64>(static_cast<std::int64_t>(number)); };
  check({{"(long long)__float2int_rn((float)a + 0.5f)", [](u64 t) { return t + t % 2; }},
         {"(long long)__float2int_rd(-0.5f - (float)a)", [=](u64 t) { return as_signed(-1 - static_cast<int>(t)); }},
         {"(long long)__float2int_ru(-0.5f - (float)a)", [=](u64 t) { return as_signed(-static_cast<int>(t)); }},
         {"__float2uint_rz((float)a * 0x1p25f)", [](u64 t) { return t < 128 ? t << 25 : 0; }},
         {"__float2uint_rn(-1.0f - (float)a)", [](u64) { return 0; }},
         {"__double2ull_ru((double)a + 0.25)", [](u64 t) { return t + 1; }},
         {"__double2uint_rd((double)a + 4294967294.0)", [](u64 t) { return t == 0 ? 4294967294 : 4294967295; }},
         {"__float_as_uint(__ll2float_rz(0x1000003ll))", [](u64) { return 0x4b800001; }},
         {"__float_as_uint(__int2float_rz(-0x1000003))", [](u64) { return 0xcb800001; }},
         {"__float_as_uint(__uint2float_rn(0x1000003u))", [](u64) { return 0x4b800002; }},
         {"(long long)__float2int_rz(1e20f) + __double2int_rz(-1e20)", [](u64) { return ~u64{0}; }},
         {"__float_as_uint(__double2float_ru(1.0 + 0x1p-40 * a))",
          [](u64 t) { return t == 0 ? 0x3f800000 : 0x3f800001; }},
         {"__float_as_uint(__uint2float_rd(0xffffffffu))", [](u64) { return 0x4f7fffff; }},
         {"__double_as_longlong(__ull2double_rn(~0ull - a))", [](u64) { return bits(0x1p64); }},
         {"(unsigned)__double2hiint(__hiloint2double((int)a, 7)) + __double2loint(__hiloint2double(3, (int)a))",
          [](u64 t) { return 2 * t; }},
         {"__float_as_uint(__fadd_ru(1.0f, 0x1p-30f * (a + 1)))", [](u64) { return 0x3f800001; }},
         {"__float_as_uint(__fadd_rn(__fmul_rn(1.0f + 0x1p-12f, 1.0f + 0x1p-12f), -1.0f - 0x1p-11f))",
          [](u64) { return 0; }},
         {"__double_as_longlong(__dadd_rn(__dmul_rn(1.0 + 0x1p-27, 1.0 + 0x1p-27), -1.0 - 0x1p-26))",
          [](u64) { return 0; }}});
}

TEST_CASE("Atomics with a scope, on double and on 16 bits, leave and return what CUDA says") {
  const std::string in_scratchpad = "({ __shared__ unsigned long long x[1]; if (a == 0) x[0] = 10; __syncthreads(); ";
  const auto after = [&](const std::string& update, const std::string& result) {
    return in_scratchpad + update + "; __syncthreads(); " + result + "; })";
  };
  check({{after("atomicAdd((double*)x, (double)a)", "x[0]"), [](u64) { return bits(8128); }},
         {after("atomicAdd_block((int*)x, 2)", "x[0]"), [](u64) { return 10 + 2 * 128; }},
         {after("atomicSub_system((unsigned int*)x, 1u)", "(x[0] & 0xffffffff) == 4294967178u"), [](u64) { return 1; }},
         {after("atomicMax_block((int*)x, (int)a)", "x[0]"), [](u64) { return 127; }},
         {after("atomicMin_system((long long*)x, -(long long)a)", "x[0]"), [](u64) { return static_cast<u64>(-127); }},
         {after("atomicAnd_block((unsigned int*)x, 2u)", "x[0]"), [](u64) { return 2; }},
         {after("atomicOr_block(x, 1ull << (a % 64))", "x[0]"), [](u64) { return ~u64{0}; }},
         {after("atomicInc_block((unsigned int*)x, 10u)", "x[0]"), [](u64) { return (10 + 128) % 11; }},
         {after("atomicCAS_system(x, 10ull, 10ull + 3)", "x[0]"), [](u64) { return 13; }},
         {after("atomicCAS((unsigned short*)x + 1, (unsigned short)0, (unsigned short)7)", "x[0]"),
          [](u64) { return 0x7000a; }}});
}

TEST_CASE("Loads and stores with a cache operator move what is there, of every width, and copies copy") {
  const auto stored = [](const std::string& store, const std::string& result) {
    return "({ unsigned long long* own = out + i; " + store + "; " + result + "; })";
  };
  check({{"__ldcg(operands + i)", [](u64 t) { return t; }},
         {"__ldcs((const uint2*)(operands + i)).x", [](u64 t) { return t; }},
         {"__ldca((const ushort4*)(operands + i)).x", [](u64 t) { return t; }},
         {"__ldcv((const unsigned char*)(operands + i))", [](u64 t) { return t; }},
         {"__ldlu((const long long*)(operands + i))", [](u64 t) { return t; }},
         {"({ const int4 v = __ldg((const int4*)(operands + (i & ~1u))); (unsigned)(v.x + 1000 * v.z); })",
          [](u64 t) { return t / 2 * 2 + 1000 * (t / 2 * 2 + 1); }},
         {"__ldg((const ulonglong2*)(operands + (i & ~1u))).y", [](u64 t) { return t / 2 * 2 + 1; }},
         {stored("__stcg(own, a + 7)", "__ldcv(own)"), [](u64 t) { return t + 7; }},
         {stored("__stcs((uint2*)own, make_uint2(1, (unsigned)a))", "*own"), [](u64 t) { return t << 32 | 1; }},
         {stored("__stwt((uchar4*)own, make_uchar4(1, 2, 3, (unsigned char)a)); __stwb((int*)own + 1, -1)", "*own"),
          [](u64 t) { return 0xffffffff00030201 | t << 24; }},
         {stored("memset(own, (int)a + 256, 8)", "*own"), [](u64 t) { return t * 0x0101010101010101; }},
         {stored("char from[9]; for (int k = 0; k < 9; ++k) from[k] = (char)(a + k); memcpy(own, from + 1, 8)",
                 "*own >> 56"),
          [](u64 t) { return (t + 8) & 0xff; }},
         {"({ __shared__ int there[32]; there[a % 32] = 1; __isShared(there + a % 32) + 2 * __isGlobal(out) + "
          "4 * __isShared(out) + 8 * __isGlobal(there); })",
          [](u64) { return 3; }},
         {"({ __shared__ int x[4]; __cvta_generic_to_shared(x + 2) - __cvta_generic_to_shared(x); })",
          [](u64) { return 8; }},
         {"__cvta_global_to_generic(__cvta_generic_to_global(out)) == out", [](u64) { return 1; }}});
}

}  // namespace lockstep::threads_test
