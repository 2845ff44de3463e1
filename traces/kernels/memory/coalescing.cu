// What a load of one warp costs by the places of its lanes: lane i reads the element i * stride + offset of a row. There
// are 16 rows, read one after the other.
#include "../micro/timed.cuh"

/// sums[lane] is the sum of the first (or only) 4, 2 or 1 bytes of the elements that the lane read.
#define KERNEL(bytes, LOAD)                                                                                          \
  extern "C" __global__ void coalescing_##bytes(const char* buffer, unsigned int stride, unsigned int offset,        \
                                                unsigned long long row_bytes, unsigned int* sums,                    \
                                                unsigned int* cycles) {                                              \
    unsigned long long at = (unsigned long long)buffer + (threadIdx.x * stride + offset) * bytes;                    \
    unsigned int sink = 0, sum = 0, start, stop;                                                                     \
    asm volatile("{\n\t.reg .u32 x, y, z, w;\n\t" READ_CLOCK("%0", "%3", "%5")                                       \
                     TIMES_16(LOAD "add.u64 %4, %4, %6;\n\tadd.u32 %2, %2, x;\n\t") READ_CLOCK("%1", "%3", "%2") "}" \
                 : "=&r"(start), "=&r"(stop), "+r"(sum), "+r"(sink), "+l"(at)                                        \
                 : "r"((unsigned int)at), "l"(row_bytes)                                                             \
                 : "memory");                                                                                        \
    sums[threadIdx.x] = sum;                                                                                         \
    cycles[threadIdx.x] = stop - start;                                                                              \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                         \
  }

KERNEL(1, "ld.global.u8 x, [%4];\n\t")
KERNEL(2, "ld.global.u16 x, [%4];\n\t")
KERNEL(4, "ld.global.u32 x, [%4];\n\t")
KERNEL(8, "ld.global.v2.u32 {x, y}, [%4];\n\t")
KERNEL(16, "ld.global.v4.u32 {x, y, z, w}, [%4];\n\t")
