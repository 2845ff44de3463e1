// Rate of asynchronous copies to the scratchpad: groups of eight, of which each warp awaits all, or all but the last one.
//
// Needs sm_80.
#include "../micro/timed.cuh"

static const unsigned int row = 262144;  // Bytes of a row of the buffer: 1024 threads in rows of 8 that lie 2 KiB apart.

extern __shared__ __align__(16) unsigned char slots[];

/// `length` copies per thread, a multiple of eight. Thread t copies from byte t / `lanes` * `pitch` + t % `lanes` * bytes of
/// eight rows, which are read once before, each to a slot of its own. sums[t] is the sum of the first words of its slots.
#define KERNEL(name, bytes, copy, wait)                                                                        \
  extern "C" __global__ void copy_rate_##name(const char* buffer, unsigned int length, unsigned int lanes,     \
                                              unsigned int pitch, unsigned int* sums, unsigned int* cycles) {  \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;       \
    const char* at = buffer + (unsigned long long)(threadIdx.x / lanes) * pitch + threadIdx.x % lanes * bytes; \
    const unsigned int slot = shared_address(slots) + threadIdx.x * bytes, next = blockDim.x * bytes;          \
    unsigned int rounds = length / 8, start, stop, sink = 0, sum = 0;                                          \
    EIGHT(copy)                                                                                                \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                           \
    __syncthreads();                                                                                           \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(slot) : "memory");               \
    _Pragma("unroll 1") for (; rounds != 0; --rounds) {                                                        \
      EIGHT(copy)                                                                                              \
      asm volatile("cp.async.commit_group;\n\t" wait ::: "memory");                                            \
    }                                                                                                          \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                           \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(slot) : "memory");                \
    for (unsigned int n = 0; n < 8; ++n) sum += *(const unsigned int*)(slots + n * next + threadIdx.x * bytes); \
    sums[thread] = sum;                                                                                        \
    cycles[thread] = stop - start;                                                                             \
    cycles[threads + thread] = sink;                                                                           \
  }
#define EIGHT(copy) copy(0) copy(1) copy(2) copy(3) copy(4) copy(5) copy(6) copy(7)
#define COPY(n, cache, bytes) \
  asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ";" ::"r"(slot + n * next), "l"(at + n * row) : "memory");

// clang-format off
#define COPY_4(n) COPY(n, "ca", "4")
#define COPY_8(n) COPY(n, "ca", "8")
#define COPY_16(n) COPY(n, "ca", "16")
#define COPY_CG(n) COPY(n, "cg", "16")
#define WAIT_ALL "cp.async.wait_group 0;"
#define WAIT_OTHERS "cp.async.wait_group 1;"
KERNEL(ca_4, 4, COPY_4, WAIT_ALL)
KERNEL(ca_8, 8, COPY_8, WAIT_ALL)
KERNEL(ca_16, 16, COPY_16, WAIT_ALL)
KERNEL(cg_16, 16, COPY_CG, WAIT_ALL)
KERNEL(ca_4_others, 4, COPY_4, WAIT_OTHERS)
KERNEL(ca_8_others, 8, COPY_8, WAIT_OTHERS)
KERNEL(ca_16_others, 16, COPY_16, WAIT_OTHERS)
KERNEL(cg_16_others, 16, COPY_CG, WAIT_OTHERS)
