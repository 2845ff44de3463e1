// What a load of one warp costs by the places of its lanes: lane i reads the element i * stride + offset of a row. There
// are 16 rows, one load and one interval for each.
#include "timed.cuh"

/// sums[lane] is the sum of the first (or only) 4, 2 or 1 bytes of the elements that the lane read.
#define KERNEL(bytes, LOAD)                                                                                         \
  extern "C" __global__ void coalescing_##bytes(const char* buffer, unsigned int stride, unsigned int offset,       \
                                                unsigned long long row_bytes, unsigned int* sums,                   \
                                                unsigned int* cycles) {                                             \
    unsigned long long at = (unsigned long long)buffer + (threadIdx.x * stride + offset) * bytes;                   \
    unsigned int sink = 0, sum = 0, cycle_sum = 0;                                                                  \
    _Pragma("unroll 1") for (unsigned int row = 0; row < 16; ++row) {                                               \
      unsigned int start, stop, value, low = (unsigned int)at;                                                      \
      asm volatile("{\n\t.reg .u32 y, z, w;\n\t" READ_CLOCK("%0", "%3", "%4") LOAD READ_CLOCK("%1", "%3", "%2") "}" \
                   : "=&r"(start), "=&r"(stop), "=&r"(value), "+r"(sink)                                            \
                   : "r"(low), "l"(at)                                                                              \
                   : "memory");                                                                                     \
      cycle_sum += stop - start;                                                                                    \
      sum += value;                                                                                                 \
      at += row_bytes;                                                                                              \
    }                                                                                                               \
    sums[threadIdx.x] = sum;                                                                                        \
    cycles[threadIdx.x] = cycle_sum;                                                                                \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                        \
  }

KERNEL(1, "ld.global.u8 %2, [%5];\n\t")
KERNEL(2, "ld.global.u16 %2, [%5];\n\t")
KERNEL(4, "ld.global.u32 %2, [%5];\n\t")
KERNEL(8, "ld.global.v2.u32 {%2, y}, [%5];\n\t")
KERNEL(16, "ld.global.v4.u32 {%2, y, z, w}, [%5];\n\t")
