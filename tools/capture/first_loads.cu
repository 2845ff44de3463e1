// How long the first loads of a kernel take: of each SM from five pages of 2 MiB, one after the other, of a buffer that the host has just
// filled; in the first run and the second, where the L2 cache holds the lines and where 256 MiB have been written in between. And how
// long straight code takes that no cache holds, 17 instructions at a time. Median and most over the SMs, in cycles.
//   nvcc -std=c++17 -arch=native -O2 -o first_loads first_loads.cu && ./first_loads
// What it shows on an H200 stands in configs/gpus/generations/hopper.yaml. Under `ncu --clock-control none --metrics gpc__cycles_elapsed.max`,
// which flushes the caches, the loads take as long as where 256 MiB have been written: a profiler leaves translations where they are.

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr unsigned page_bytes = 2 << 20, pages = 5, parts = 24, sms_most = 256;

/// times[page * gridDim.x + blockIdx.x]: what the clock register counts for a load of the warp and what waits for it. The code has been
/// fetched before the first one, by a round without a load.
__global__ void load_pages(const unsigned* buffer, unsigned* times) {
  const unsigned* at = buffer + 32 * blockIdx.x + threadIdx.x;
  unsigned value = 0, sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round <= pages; ++round) {
    unsigned start, stop;
    asm volatile(
        "{\n\t.reg .pred loads;\n\t.reg .u32 mixed;\n\tsetp.ne.u32 loads, %5, 0;\n\tmov.u32 %0, %%clock;\n\t"
        "@loads ld.global.u32 %2, [%4];\n\txor.b32 mixed, %2, %3;\n\tmov.u32 %1, %%clock;\n\tadd.u32 %3, %3, mixed;\n\t}"
        : "=&r"(start), "=&r"(stop), "+r"(value), "+r"(sum)
        : "l"(at), "r"(round)
        : "memory");
    if (round == 0) continue;
    if (threadIdx.x == 0) times[(round - 1) * gridDim.x + blockIdx.x] = stop - start + (sum == 1);
    at += page_bytes / 4 + value;
  }
}

#define FOUR "fma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\tfma.rn.f32 %0, %0, %2, %2;\n\t"

/// times[part * gridDim.x + blockIdx.x]: what the clock register counts for 16 dependent multiply-adds and its own read.
__global__ void run_code(float a, unsigned* times) {
  unsigned at[parts + 1];
  float sum = threadIdx.x;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(at[0])::"memory");
#pragma unroll
  for (unsigned part = 0; part < parts; ++part)
    asm volatile(FOUR FOUR FOUR FOUR "mov.u32 %1, %%clock;" : "+f"(sum), "=r"(at[part + 1]) : "f"(a) : "memory");
  if (threadIdx.x == 0)
    for (unsigned part = 0; part < parts; ++part) times[part * gridDim.x + blockIdx.x] = at[part + 1] - at[part] + (sum == 1);
}

__global__ void write_words(unsigned* words, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) words[i] = 0;
}

static void print(const char* name, const unsigned* times, unsigned rows, unsigned sms) {
  std::printf("%s:", name);
  for (unsigned row = 0; row < rows; ++row) {
    std::vector<unsigned> of_row(sms);
    cudaMemcpy(of_row.data(), times + row * sms, sms * sizeof(unsigned), cudaMemcpyDeviceToHost);
    std::sort(of_row.begin(), of_row.end());
    std::printf(" %u (%u)", of_row[sms / 2], of_row.back());
  }
  std::puts("");
}

int main() {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.multiProcessorCount > static_cast<int>(sms_most)) return 1;
  const auto sms = static_cast<unsigned>(device.multiProcessorCount);
  const unsigned other_words = 64 << 20;
  unsigned *times, *other;
  cudaMalloc(&times, parts * sms_most * sizeof(unsigned));
  cudaMalloc(&other, other_words * sizeof(unsigned));
  for (const bool writes : {false, true}) {
    const auto prepare = [&] {
      if (writes) write_words<<<1024, 256>>>(other, other_words);
      cudaDeviceSynchronize();
    };
    std::puts(writes ? "256 MiB written before each" : "nothing in between");
    unsigned* buffer;
    const std::vector<unsigned> zeros(pages * page_bytes / 2);
    cudaMalloc(&buffer, zeros.size() * sizeof(unsigned));
    cudaMemcpy(buffer, zeros.data(), zeros.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    for (const char* run : {"pages, first run", "pages, second run"}) {
      prepare();
      load_pages<<<sms, 32>>>(buffer, times);
      print(run, times, pages, sms);
    }
    for (const char* run : {"code, first run", "code, second run"}) {
      prepare();
      run_code<<<sms, 32>>>(1.5f, times);
      print(run, times, parts, sms);
    }
    cudaFree(buffer);
  }
  const cudaError_t status = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
