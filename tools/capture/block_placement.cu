// On which SM each thread block of a kernel executes: for each grid a line "# BLOCKS THREADS", then the SMs (%smid) of its blocks in
// order. Blocks last 30 us, so that all that fit are resident before one of them ends.
//   nvcc -std=c++17 -arch=native -o block_placement block_placement.cu && ./block_placement
// What it shows on an H200 stands in sim/gpu/README.md.

#include <cstdio>
#include <vector>

__global__ void place(int* sm_of_block) {
  if (threadIdx.x == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(sm_of_block[blockIdx.x]));
  const long long begin = clock64();
  while (clock64() - begin < 60000) {
  }
}

int main() {
  for (const int threads : {64, 256, 1024}) {
    for (const int blocks : {66, 132, 140, 200, 264, 396, 1056, 1400}) {
      int* sms;
      cudaMalloc(&sms, blocks * sizeof(int));
      place<<<blocks, threads>>>(sms);
      std::vector<int> all(blocks);
      if (cudaMemcpy(all.data(), sms, blocks * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
        return 3;
      }
      cudaFree(sms);
      std::printf("# %d %d\n", blocks, threads);
      for (const int sm : all) std::printf("%d ", sm);
      std::printf("\n");
    }
  }
}
