// Rate of accesses that lie anywhere in a buffer: each warp's lanes take pieces of `width` sectors of 32 bytes, a word of each
// sector, at places that a xorshift generator draws.
#include "../micro/timed.cuh"

/// The piece of `width` sectors (a power of two up to 32) at which a lane's group is after a further draw; `mask` is one less than
/// the words of the buffer, a power of two.
__device__ __forceinline__ unsigned int draw(unsigned int& state, unsigned int mask, unsigned int width) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (state & mask & ~(8 * width - 1)) + threadIdx.x % 32 % width * 8;
}

__device__ __forceinline__ unsigned int first_state(unsigned int thread, unsigned int width) {
  return (thread / 32 * 32 + thread % 32 / width) * 2654435761u + 12345u;
}

/// `sums` per thread: of what it has read. The fence waits until everything is written.
#define KERNEL(name, ACCESS)                                                                                         \
  extern "C" __global__ void scatter_##name(unsigned int* buffer, unsigned int mask, unsigned int width,            \
                                            unsigned int rounds, unsigned int* common, unsigned int* sums,          \
                                            unsigned int* cycles) {                                                 \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;            \
    unsigned int start, stop, sink = 0, sum = 0, state = first_state(thread, width);                                \
    __syncthreads();                                                                                                \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(thread) : "memory");                  \
    for (unsigned int round = 0; round < rounds; ++round) {                                                         \
      unsigned int* const word = buffer + draw(state, mask, width);                                                 \
      ACCESS                                                                                                        \
    }                                                                                                               \
    asm volatile("membar.gl;\n\t" READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(sum) : "memory");     \
    sums[thread] = sum;                                                                                             \
    cycles[thread] = stop - start;                                                                                  \
    cycles[threads + thread] = sink;                                                                                \
  }

#define STORE(to) asm volatile("st.global.u32 [%0], 1;" ::"l"(to) : "memory");
KERNEL(load, unsigned int value; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory"); sum += value;)
KERNEL(store, STORE(word))
KERNEL(add, asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");)
KERNEL(common, if (threadIdx.x % 32 == 0) { STORE(common) } if (width < 32) { STORE(word) })
