// Reductions of all thread blocks to a region of global memory, as fast as they go: neighbouring threads share words, and words
// follow each other from warp to warp and from block to block, or from the beginning in every block.

/// Thread t of block b reduces `length` times, the first time to word (b * `shift` + t) / `sharing` * `distance` modulo `words`; from
/// one time to the next it goes on by `step` threads. words is a power of two.
#define KERNEL(name, type)                                                                                            \
  extern "C" __global__ void reduction_region_##name(type* region, unsigned int words, unsigned int length,           \
                                                     unsigned int sharing, unsigned int distance, unsigned int shift, \
                                                     unsigned int step) {                                             \
    unsigned int thread = blockIdx.x * shift + threadIdx.x;                                                           \
    for (; length != 0; --length) {                                                                                   \
      atomicAdd(&region[thread / sharing * distance & words - 1], (type)1);                                           \
      thread += step;                                                                                                 \
    }                                                                                                                 \
  }

KERNEL(u32, unsigned int)
KERNEL(f32, float)
