// What clang 14 gets wrong when it compiles CUDA without a toolkit, and traces/kernels/lockstep_cuda.cuh and
// tools/compile-kernels put right. Expected values follow from the sources.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::compiled_semantics_test {

using namespace lockstep::system_test;

namespace {

/// Compiles `source`, executes it by `descriptor`, and says whether the outputs are the expected ones.
void check_outputs(const std::string& source, const std::string& descriptor) {
  const TemporaryFolder folder;
  folder.write("kernel.cu", source);
  const std::string compile = source_dir() + "/tools/compile-kernels " + (folder / "kernel.cu") + " >/dev/null 2>&1";
  REQUIRE(WEXITSTATUS(std::system(compile.c_str())) == 0);
  const Outcome traced =
      run({"trace", folder.write("kernel.yaml", descriptor), "--json", "-o", folder / "kernel.trace"});
  INFO(traced.err);
  CHECK(traced.code == 0);
}

}  // namespace

TEST_CASE("What one thread stores to scratchpad memory before __syncthreads, the others load behind it") {
  check_outputs(R"text(
extern "C" __global__ void base(int* out, int n) {
  __shared__ int first;
  if (threadIdx.x == 0) first = atomicAdd(&out[0], n);
  __syncthreads();
  out[1 + threadIdx.x] = first;
}
)text",
                R"text(
kernel: kernel.ptx
buffers: {out: {constant: 257, type: s32, value: 3}}
grid: 1
block: 256
parameters: [out, 5]
expect: {out: {each: "i == 0 ? 8 : 3"}}
)text");
}

TEST_CASE("A variable that threads store before a counting barrier or a fence has the new value behind it") {
  check_outputs(R"text(
extern "C" __global__ void counted(int* out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = 40;
  const int even = __syncthreads_count(threadIdx.x % 2 == 0);
  const int seen = first;
  __syncthreads();
  if (threadIdx.x == 0) first = 50;
  const int all = __syncthreads_and(threadIdx.x < 64);
  const int again = first;
  __syncthreads();
  if (threadIdx.x == 0) first = 60;
  const int any = __syncthreads_or(threadIdx.x == 63);
  out[threadIdx.x] = (first + any) * 1000000 + (again + all) * 10000 + seen * 100 + even;
}
)text",
                R"text(
kernel: kernel.ptx
buffers: {out: {zero: 64, type: s32}}
grid: 1
block: 64
parameters: [out]
expect: {out: {each: "61 * 1000000 + 51 * 10000 + 40 * 100 + 32"}}
)text");
}

// NVIDIA's warp-aggregated increment: the leader's result comes to the others by a shuffle.
TEST_CASE("A variable that one lane sets may be shuffled") {
  check_outputs(R"text(
__device__ int increment(int* counter) {
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1;
  const unsigned below = (1u << (threadIdx.x & 31)) - 1;
  const unsigned rank = __popc(active & below);
  int before;
  if (rank == 0) before = atomicAdd(counter, __popc(active));
  before = __shfl_sync(active, before, leader);
  return before + rank;
}
extern "C" __global__ void filter(int* count, int* kept, const int* in) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value > 100) kept[increment(count)] = value;
}
)text",
                R"text(
kernel: kernel.ptx
buffers:
  count: {zero: 1, type: s32}
  kept: {zero: 128, type: s32}
  in: {each: 256, value: "i % 2 == 0 ? 200 : 3", type: s32}
grid: 4
block: 64
parameters: [count, kept, in]
expect: {count: {constant: 128}, kept: {constant: 200}}
)text");
}

TEST_CASE("Masks of votes are checked in kernels that are compiled without naming an architecture") {
  const TemporaryFolder folder;
  folder.write("kernel.cu", R"text(
extern "C" __global__ void vote(unsigned* out) {
  unsigned votes = 9;
  if (threadIdx.x & 1) votes = __ballot_sync(0xffffffffu, threadIdx.x > 5);
  out[threadIdx.x] = votes;
}
)text");
  const std::string compile = source_dir() + "/tools/compile-kernels " + (folder / "kernel.cu") + " >/dev/null 2>&1";
  REQUIRE(WEXITSTATUS(std::system(compile.c_str())) == 0);
  const std::string descriptor = folder.write("kernel.yaml", R"text(
kernel: kernel.ptx
buffers: {out: {zero: 32, type: u32}}
grid: 1
block: 32
parameters: [out]
)text");
  const Outcome traced = run({"trace", descriptor, "--check", "sync", "-o", folder / "kernel.trace"});
  CHECK(traced.code == 1);
  CHECK_THAT(traced.err, Catch::Contains("kernel.cu:4") && Catch::Contains("mask"));
}

TEST_CASE("A 64-bit value rotates by any count, taken modulo 64") {
  check_outputs(R"text(
extern "C" __global__ void rotate(unsigned long long* out, unsigned long long value, unsigned long long from) {
  const unsigned long long count = from + 2 * threadIdx.x;
  out[2 * threadIdx.x] = (value << (count & 63)) | (value >> (-count & 63));
  out[2 * threadIdx.x + 1] = (value >> (count & 63)) | (value << (-count & 63));
}
)text",
                R"text(
kernel: kernel.ptx
buffers: {out: {zero: 64, type: u64}}
grid: 1
block: 32
parameters: [out, 1, 48]
# One bit goes from place 0 to the left by the count, or to the right.
expect: {out: {each: "1 << (i % 2 == 0 ? (48 + i / 2 * 2) % 64 : (64 - (48 + i / 2 * 2) % 64) % 64)"}}
)text");
}

TEST_CASE("Threads of a warp take a lock one after the other, though clang makes a loop of its own of the waiting") {
  check_outputs(R"text(
extern "C" __global__ void locked(int* lock, int* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *out += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
)text",
                R"text(
kernel: kernel.ptx
buffers: {lock: {zero: 1, type: s32}, out: {zero: 1, type: s32}}
grid: 2
block: 64
parameters: [lock, out]
expect: {out: {constant: 128}}
)text");
}

}  // namespace lockstep::compiled_semantics_test
