// Rate of asynchronous copies to the scratchpad: groups of eight, of which each warp awaits all, or all but the last one.
//
// Needs sm_80.
#include "../micro/timed.cuh"

#define ROW "262144"  // Bytes from row to row of the buffer: room for 1024 threads in rows of 8 that lie 2 KiB apart.

extern __shared__ __align__(16) unsigned char slots[];

/// `length` copies per thread, a multiple of eight. Thread t copies from byte t / `lanes` * `pitch` + t % `lanes` * bytes of
/// eight rows, which are read once before, to its slot. sums[t] is the first word of the slot.
#define KERNEL(name, bytes, copy, wait)                                                                                 \
  extern "C" __global__ void copy_rate_##name(const char* buffer, unsigned int length, unsigned int lanes,              \
                                              unsigned int pitch, unsigned int* sums, unsigned int* cycles) {           \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;                \
    const char* at = buffer + (unsigned long long)(threadIdx.x / lanes) * pitch + threadIdx.x % lanes * bytes;          \
    unsigned int slot = shared_address(slots) + threadIdx.x * bytes, rounds = length / 8, start, stop, sink = 0;        \
    asm volatile(copy(0) copy(1) copy(2) copy(3) copy(4) copy(5) copy(6) copy(7) "cp.async.wait_all;\n\t" ::"r"(slot),  \
                 "l"(at)                                                                                                \
                 : "memory");                                                                                           \
    __syncthreads();                                                                                                    \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(slot) : "memory");                        \
    _Pragma("unroll 1") for (; rounds != 0; --rounds) {                                                                 \
      asm volatile(copy(0) copy(1) copy(2) copy(3) copy(4) copy(5) copy(6) copy(7) "cp.async.commit_group;\n\t" wait :: \
                       "r"(slot),                                                                                       \
                   "l"(at)                                                                                              \
                   : "memory");                                                                                         \
    }                                                                                                                   \
    asm volatile("cp.async.wait_all;\n\tld.shared.u32 %0, [%1];\n\t" : "=r"(sink) : "r"(slot) : "memory");              \
    sums[thread] = sink;                                                                                                \
    asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(sink) : "memory");                         \
    cycles[thread] = stop - start;                                                                                      \
    cycles[threads + thread] = sink;                                                                                    \
  }

// clang-format off
#define COPY_4(n) "cp.async.ca.shared.global [%0], [%1 + " #n " * " ROW "], 4;\n\t"
#define COPY_8(n) "cp.async.ca.shared.global [%0], [%1 + " #n " * " ROW "], 8;\n\t"
#define COPY_16(n) "cp.async.ca.shared.global [%0], [%1 + " #n " * " ROW "], 16;\n\t"
#define COPY_CG(n) "cp.async.cg.shared.global [%0], [%1 + " #n " * " ROW "], 16;\n\t"
#define WAIT_ALL "cp.async.wait_group 0;\n\t"
#define WAIT_OTHERS "cp.async.wait_group 1;\n\t"
KERNEL(ca_4, 4, COPY_4, WAIT_ALL)
KERNEL(ca_8, 8, COPY_8, WAIT_ALL)
KERNEL(ca_16, 16, COPY_16, WAIT_ALL)
KERNEL(cg_16, 16, COPY_CG, WAIT_ALL)
KERNEL(ca_4_others, 4, COPY_4, WAIT_OTHERS)
KERNEL(ca_8_others, 8, COPY_8, WAIT_OTHERS)
KERNEL(ca_16_others, 16, COPY_16, WAIT_OTHERS)
KERNEL(cg_16_others, 16, COPY_CG, WAIT_OTHERS)
