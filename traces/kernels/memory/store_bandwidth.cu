// Bandwidth of global stores and of copies: the grid writes a buffer, or copies one to another, `repeats` times.
#include "../micro/timed.cuh"

__device__ __forceinline__ void set(unsigned int& word, unsigned int value) { word = value; }
__device__ __forceinline__ void set(uint2& words, unsigned int value) { words = make_uint2(value, value); }
__device__ __forceinline__ void set(uint4& words, unsigned int value) { words = make_uint4(value, value, value, value); }

/// `pieces` is a multiple of four times the number of threads. Thread t of the grid writes pieces t, t + threads, ...
template <class Piece>
__device__ __forceinline__ void fill(Piece* to, unsigned int pieces, unsigned int repeats) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int repeat = 1; repeat <= repeats; ++repeat) {
    Piece piece;
    set(piece, repeat);
#pragma unroll 4
    for (unsigned int i = thread; i < pieces; i += threads) to[i] = piece;
  }
}

/// Four pieces are loaded before the first is stored.
template <class Piece>
__device__ __forceinline__ void copy(Piece* __restrict__ to, const Piece* __restrict__ from, unsigned int pieces,
                                     unsigned int repeats) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int repeat = 0; repeat < repeats; ++repeat)
    for (unsigned int i = thread; i < pieces; i += 4 * threads) {
      const Piece a = from[i], b = from[i + threads], c = from[i + 2 * threads], d = from[i + 3 * threads];
      to[i] = a;
      to[i + threads] = b;
      to[i + 2 * threads] = c;
      to[i + 3 * threads] = d;
    }
}

/// The fence waits until everything is written.
#define KERNEL(bits, Piece)                                                                                       \
  extern "C" __global__ void store_bandwidth_##bits(Piece* to, const Piece* from, unsigned int pieces,            \
                                                    unsigned int repeats, unsigned int copies,                    \
                                                    unsigned int* cycles) {                                       \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;          \
    unsigned int start, stop, sink = 0;                                                                           \
    __syncthreads();                                                                                              \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(thread) : "memory");                \
    if (copies != 0)                                                                                              \
      copy(to, from, pieces, repeats);                                                                            \
    else                                                                                                          \
      fill(to, pieces, repeats);                                                                                  \
    asm volatile("membar.gl;\n\t" READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(thread) : "memory"); \
    cycles[thread] = stop - start;                                                                                \
    cycles[threads + thread] = sink;                                                                              \
  }
KERNEL(32, unsigned int)
KERNEL(64, uint2)
KERNEL(128, uint4)
