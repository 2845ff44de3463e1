// Tiles through scratchpad memory (pipeline.cuh): copies arrive at mbarriers.
//
// Needs sm_80 for cp.async and mbarrier.
#include "pipeline.cuh"

__device__ __forceinline__ void init(unsigned long long* barrier, unsigned int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(unsigned long long* barrier) {
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(place_of(barrier)) : "memory");
}
/// The thread's copies so far arrive when they are done.
__device__ __forceinline__ void arrive_with_copies(unsigned long long* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place_of(barrier)) : "memory");
}
/// Until the phase of this parity has ended.
__device__ __forceinline__ void wait(unsigned long long* barrier, unsigned int parity) {
  unsigned int ended;
  do {
    asm volatile(
        "{\n\t.reg .pred ended;\n\t"
        "mbarrier.test_wait.parity.shared.b64 ended, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, ended;\n\t}"
        : "=r"(ended)
        : "r"(place_of(barrier)), "r"(parity)
        : "memory");
  } while (ended == 0);
}

/// An mbarrier for each tile of the buffer says when it is full, another one when it is empty.
extern "C" __global__ void pipeline_mbarriers(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                              unsigned int tiles) {
  __shared__ unsigned long long full[STAGES], empty[STAGES];
  const unsigned int size = blockDim.x, t = threadIdx.x, first = blockIdx.x * tiles;
  if (t < STAGES) {
    init(full + t, size);
    init(empty + t, size);
  }
  __syncthreads();
  for (unsigned int tile = 0; tile < tiles + STAGES - 1; ++tile) {
    if (tile < tiles) {
      const unsigned int stage = tile % STAGES;
      wait(empty + stage, tile / STAGES % 2 ^ 1);  // That of the first round, before the first phase, has ended.
      copy_word(buffer + stage * size + t, input + (first + tile) * size + t);
      arrive_with_copies(full + stage);
    }
    if (tile + 1 < STAGES) continue;
    const unsigned int done = tile + 1 - STAGES, stage = done % STAGES;
    wait(full + stage, done / STAGES % 2);
    output[(first + done) * size + t] = folded(buffer + stage * size, t, size);
    arrive(empty + stage);
  }
}

/// The first warp copies, the others work: a tile has as many elements as these have threads.
extern "C" __global__ void pipeline_specialized(const unsigned int* __restrict__ input,
                                                unsigned int* __restrict__ output, unsigned int tiles) {
  __shared__ unsigned long long full[STAGES], empty[STAGES];
  const unsigned int size = blockDim.x - 32, t = threadIdx.x, first = blockIdx.x * tiles;
  if (t < STAGES) {
    init(full + t, 32);
    init(empty + t, size);
  }
  __syncthreads();
  if (t < 32) {
    for (unsigned int tile = 0; tile < tiles; ++tile) {
      const unsigned int stage = tile % STAGES;
      wait(empty + stage, tile / STAGES % 2 ^ 1);
      for (unsigned int e = t; e < size; e += 32)
        copy_word(buffer + stage * size + e, input + (first + tile) * size + e);
      arrive_with_copies(full + stage);
    }
  } else {
    const unsigned int element = t - 32;
    for (unsigned int tile = 0; tile < tiles; ++tile) {
      const unsigned int stage = tile % STAGES;
      wait(full + stage, tile / STAGES % 2);
      output[(first + tile) * size + element] = folded(buffer + stage * size, element, size);
      arrive(empty + stage);
    }
  }
}
