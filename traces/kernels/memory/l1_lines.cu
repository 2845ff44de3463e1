// Rate of global loads that hit in the L1 cache, by the lines that the lanes of a warp touch: lane i of every warp reads word i of line
// lines[i], again and again, each lane from another bank of words.
#include "../micro/timed.cuh"

/// `length` loads per thread, a multiple of `chain`. `step`, 0, is added to the address after each of them, so that no compiler knows
/// that they are the same. sums[t] is the sum of the words that thread t read.
extern "C" __global__ void l1_lines(const char* buffer, const unsigned int* lines, unsigned int length,
                                    unsigned long long step, unsigned int* sums, unsigned int* cycles) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int lane = threadIdx.x % warpSize;
  const char* at = buffer + lines[lane] * 128ull + lane * 4;
  unsigned int rounds = length / chain, start, stop, sink = 0, sum = 0;
// clang-format off
#define LOAD "ld.global.u32 a, [%1];\n\tadd.u64 %1, %1, %2;\n\tadd.u32 %0, %0, a;\n\t"
  // clang-format on
  asm volatile("{\n\t.reg .u32 a;\n\t" LOAD "}" : "+r"(sum), "+l"(at) : "l"(step) : "memory");
  sink = sum;
  sum = 0;
  __syncthreads();
  asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(start), "+r"(sink) : "r"(sum) : "memory");
  _Pragma("unroll 1") for (; rounds != 0; --rounds) {
    asm volatile("{\n\t.reg .u32 a;\n\t" TIMES_64(LOAD) "}" : "+r"(sum), "+l"(at) : "l"(step) : "memory");
  }
  asm volatile(READ_CLOCK("%0", "%1", "%2") : "=r"(stop), "+r"(sink) : "r"(sum) : "memory");
  sums[thread] = sum;
  cycles[thread] = stop - start;
  cycles[threads + thread] = sink;
}
