// Headers of the toolkit that kernels use: half precision and cooperative groups.
#include "tests/system/device_language/functions.hpp"
#include "tests/system/program.hpp"

namespace lockstep::toolkit_headers_test {

using namespace lockstep::system_test;
using device_language::compile;

namespace {

/// What `lockstep trace`, which compares the output `out`, says to a kernel of 64 threads in blocks of 32.
Outcome traced(const TemporaryFolder& folder, const std::string& architecture, const std::string& source,
               const std::string& expected, const std::string& more = "") {
  const int status = compile(folder, "--arch " + architecture + " " + folder.write("kernel.cu", source));
  INFO(contents(folder / "messages"));
  REQUIRE(status == 0);
  return run({"trace",
              folder.write("kernel.yaml",
                           "kernel: kernel.ptx\nbuffers: {out: {zero: 64, type: f32}}\ngrid: 2\n"
                           "block: 32\nparameters: [out]\n" +
                               more + "expect: {out: {each: \"" + expected + "\"}}\n"),
              "-o", folder / "kernel.trace"});
}

}  // namespace

TEST_CASE("Halves are added, multiplied, compared, converted and shuffled, with instructions of halves and without") {
  const char* source = R"text(
#include <cuda_fp16.h>
__global__ void kernel(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ half2 pairs[32];
  const __half a = __int2half_rn(i), b = 0.5f, c(2);
  pairs[threadIdx.x] = __halves2half2(__hfma(a, b, c), __hsub(a, c));   // i / 2 + 2, i - 2
  half2 p = __hmul2(pairs[threadIdx.x], __float2half2_rn(2.0f));         // i + 4, 2 i - 4
  p += make_half2(b, -b);                                                // i + 4.5, 2 i - 4.5
  float sum = __half2float(p.x) + __high2float(p);                       // 3 i
  if (__hgt(a, c) && a >= c && !(a == c) && __hbge2(p, p)) sum += 100;
  sum += (float)__hadd_sat(a, a) + __half2int_rz(__hdiv(a, c)) + (float)__hmax(a, c) + (float)hsqrt(__hmul(a, a));
  sum += (float)__shfl_xor_sync(0xffffffffu, a, 1) + __low2float(__shfl_sync(0xffffffffu, p, 0));
  out[i] = sum;
}
)text";
  const std::string expected =
      "3 * i + (i > 2 ? 100 : 0) + min(2 * i, 1) + i / 2 + max(i, 2) + i + (i ^ 1) + (i < 32 ? 4.5 : 36.5)";
  for (const char* architecture : {"sm_35", "sm_53", "sm_70"}) {
    const TemporaryFolder folder;
    const Outcome outcome = traced(folder, architecture, source, expected);
    INFO(architecture << outcome.err);
    CHECK(outcome.code == 0);
    CHECK((contents(folder / "kernel.ptx").find("fma.rn.f16 ") != std::string::npos) ==
          (architecture != std::string("sm_35")));
  }
}

TEST_CASE("Atomic additions of halves") {
  const char* source = R"text(
#include <cuda_fp16.h>
__global__ void kernel(float* out) {
  __shared__ half2 pair;
  if (threadIdx.x == 0) pair = __float2half2_rn(0.0f);
  __syncthreads();
  atomicAdd(&pair, __floats2half2_rn(1.0f, threadIdx.x));
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = __low2float(pair) + __high2float(pair);
}
)text";
  for (const char* architecture : {"sm_35", "sm_70"}) {
    const TemporaryFolder folder;
    const Outcome outcome = traced(folder, architecture, source, "32 + 496");
    INFO(architecture << outcome.err);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("Cooperative groups: tiles, active threads, blocks and the grid") {
  const char* source = R"text(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <int lanes>
__device__ int sum(cg::thread_block_tile<lanes> tile, int value) {
  for (int distance = tile.size() / 2; distance > 0; distance /= 2) value += tile.shfl_down(value, distance);
  return tile.shfl(value, 0);
}
__global__ void kernel(float* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  const auto tile = cg::tiled_partition<8>(block);
  const int i = grid.thread_rank();
  out[i] = block.thread_rank() == 0 ? 1000.0f : 0.0f;
  grid.sync();
  int result = (int)out[grid.size() - 32] + sum<8>(cg::tiled_partition<8>(block), 1);   // 1008
  result += cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());                 // + 28
  result += tile.ballot(tile.thread_rank() == 1);                                       // + 2
  if (i % 4 == 3) {
    cg::coalesced_group active = cg::coalesced_threads();
    result += 100 * active.size() + active.thread_rank();
  }
  grid.sync();
  cg::sync(block);
  out[i] = result;
}
)text";
  const TemporaryFolder folder;
  const Outcome outcome =
      traced(folder, "sm_70", source, "1038 + (i % 4 == 3 ? 800 + (i % 32) / 4 : 0)", "cooperative: true\n");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
}

TEST_CASE("A barrier of the grid in a launch that is not cooperative says what to write") {
  const char* source = R"text(
#include <cooperative_groups.h>
__global__ void kernel(float* out) {
  cooperative_groups::this_grid().sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}
)text";
  const TemporaryFolder folder;
  const Outcome outcome = traced(folder, "sm_70", source, "1");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Catch::Contains("cooperative: true"));
}

}  // namespace lockstep::toolkit_headers_test
