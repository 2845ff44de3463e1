// Throughput of atomic additions to global memory, one per thread: Jia et al., "Dissecting the NVIDIA Volta GPU
// architecture via microbenchmarking" (2018), section 4.2 and figure 4.1.
//
// Groups of 2^shift threads of a block share a word; the words of successive groups and of successive blocks are
// `group_stride` and `block_stride` words apart. Nothing but the additions: the kernel is timed from outside.
#include "lockstep_cuda.cuh"

extern "C" __global__ void global_atomic_throughput(unsigned int shift, unsigned int group_stride,
                                                    unsigned int block_stride, unsigned int* counters) {
  const unsigned int word = (threadIdx.x >> shift) * group_stride + blockIdx.x * block_stride;
  asm volatile("red.global.add.u32 [%0], 1;" : : "l"(counters + word) : "memory");
}
