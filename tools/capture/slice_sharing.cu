// Which lines of 128 bytes share a slice of the L2 cache: all SMs add to a line and to another in turn, which takes longer where one slice
// serves both. A line "LINE: US ..." with the times for the distances of 1 to 64 lines.
//   nvcc -std=c++17 -arch=native -O2 -o slice_sharing slice_sharing.cu && ./slice_sharing
// What it shows on an H100 stands in configs/gpus/generations/hopper.yaml.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

__global__ void add_to(float* first, float* second, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(first + threadIdx.x), "f"(1.f) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(second + threadIdx.x), "f"(1.f) : "memory");
  }
}

int main() {
  constexpr std::size_t words_of_line = 32;
  float* memory;
  cudaDeviceProp properties;
  cudaEvent_t begin, end;
  if (cudaMalloc(&memory, 64 << 20) != cudaSuccess || cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 3;
  }
  cudaMemset(memory, 0, 64 << 20);
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (const std::size_t line : {0, 28, 49380, 100000}) {
    std::printf("%zu:", line);
    for (std::size_t distance = 1; distance <= 64; ++distance) {
      float* const first = memory + line * words_of_line;
      float best = 0;
      for (int run = 0; run < 5; ++run) {
        float time;
        cudaEventRecord(begin);
        add_to<<<properties.multiProcessorCount, 32>>>(first, first + distance * words_of_line, 128);
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) != cudaSuccess) return 3;
        cudaEventElapsedTime(&time, begin, end);
        best = run == 0 ? time : std::min(best, time);
      }
      std::printf(" %.0f", 1000 * best);
    }
    std::printf("\n");
  }
}
