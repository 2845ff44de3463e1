// Latency of single loads: one warp reads memory line by line, each load after the result of the one before, and keeps the time
// that each took.
#include "../micro/timed.cuh"

/// Load i reads `lanes` words from byte i * stride of the buffer on, all of which hold 0. times[i] is its latency with the
/// xor that waits for it and a read of the clock. sums[lane]: of all values.
extern "C" __global__ void latency_samples(const char* buffer, unsigned int count, unsigned int stride,
                                           unsigned int lanes, unsigned int* times, unsigned int* sums) {
  const unsigned int lane = threadIdx.x;
  unsigned int sum = 0, sink = 0;
  unsigned long long at = (unsigned long long)buffer + (lane < lanes ? 4 * lane : 0);
#pragma unroll 1
  for (unsigned int i = 0; i < count; ++i) {
    unsigned int start, stop, value;
    asm volatile("{\n\t" READ_CLOCK("%0", "%3", "%5") "ld.global.cg.u32 %2, [%4];\n\t" READ_CLOCK("%1", "%3", "%2") "}"
                 : "=&r"(start), "=&r"(stop), "=&r"(value), "+r"(sink)
                 : "l"(at), "r"(sum)
                 : "memory");
    sum += value;
    if (lane == 0) times[i] = stop - start;
    at += stride + value;
  }
  sums[lane] = sum + (sink & 0x80000000u);
}
