// Eye diagram of a modulated signal: how often each amplitude occurs at each place within two symbols. J. G. Proakis,
// "Digital Communications", 2001, section 9.2. The symbol clock is a phase accumulator of 32 bits; a diagram for each
// block in shared memory, added up with atomics.
#include <cuda_runtime.h>

#define PLACES 64
#define LEVELS 64

/// Adds the samples of `per_block` 16-byte vectors to the diagram, whose rows are places. `step` is the clock's
/// advance in a sample; its full range is two symbols.
extern "C" __global__ void __launch_bounds__(256)
    eye_diagram(const uint4* __restrict__ samples, unsigned* __restrict__ diagram, unsigned step, int vectors,
                int per_block) {
  __shared__ unsigned counts[PLACES * LEVELS];
  for (int i = threadIdx.x; i < PLACES * LEVELS; i += 256) counts[i] = 0;
  __syncthreads();
  const int first = blockIdx.x * per_block, last = min(vectors, first + per_block);
  for (int i = first + threadIdx.x; i < last; i += 256) {
    const uint4 v = samples[i];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
    unsigned phase = 8u * i * step;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const unsigned level = ((words[k / 2] >> (16 * (k & 1))) + 0x8000u & 0xffff) >> 10;
      atomicAdd(&counts[(phase >> 26) * LEVELS + level], 1);
      phase += step;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < PLACES * LEVELS; i += 256)
    if (counts[i]) atomicAdd(diagram + i, counts[i]);
}
