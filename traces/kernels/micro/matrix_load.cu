// Latency of ldmatrix with bank conflicts: a chain of loads, of which each names its rows by what the one before has loaded.
// Rows lie `stride` times 16 bytes apart, so that eight of them share banks as gcd(stride, 8) says; with 0 all are the same.
//
// A lane keeps the address of its row: the loads lead back to the rows they came from.
// Needs sm_80.
#include "timed.cuh"

extern __shared__ unsigned short table[];

/// Fills the rows of the first matrix with what each lane has to load, its address in the low half and 0 in the high one.
/// `transposed`: halves of a register come from two rows.
__device__ __forceinline__ void fill(unsigned int stride, unsigned int transposed) {
  const unsigned int lane = threadIdx.x % 32, first = lane % 4 * 2;
  const unsigned short address = (unsigned short)(shared_address(table) + 16 * stride * lane);
  const unsigned int low = transposed ? first * 8 * stride + lane / 4 : lane / 4 * 8 * stride + first;
  const unsigned int high = transposed ? low + 8 * stride : low + 1;
  for (unsigned int half = threadIdx.x; half < 256 * max(stride, 1u); half += blockDim.x) table[half] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    table[low] = address;
    table[high] = 0;
  }
  __syncthreads();
}

/// Dynamic scratchpad memory: 512 * max(stride, 1) bytes. `length` is a multiple of `chain`. ends[t]: how far the last
/// address of thread t lies from the table. cycles[t], cycles[threads + t]: its interval, and what keeps the last load.
#define KERNEL(name, transposed, text, others)                                                                       \
  extern "C" __global__ void matrix_load_##name(unsigned int stride, unsigned int length, unsigned int* ends,        \
                                                unsigned int* cycles) {                                              \
    fill(stride, transposed);                                                                                        \
    unsigned int data = shared_address(table) + 16 * stride * (threadIdx.x % 32), sink = 0, start, stop;             \
    unsigned int rounds = length / chain;                                                                            \
    asm volatile("{\n\t.reg .pred more;\n\t.reg .b32 r1, r2, r3;\n\t" READY("%4", "%1") READ_CLOCK("%1", "%3", "%0") \
                     ROUNDS("%4", TIMES_64("ldmatrix.sync.aligned.m8n8." text ".shared.b16 {%0" others               \
                                           "}, [%0];\n\t")) READ_CLOCK("%2", "%3", "%0") "}"                         \
                 : "+r"(data), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)::"memory");                       \
    ends[threadIdx.x] = data - shared_address(table);                                                                \
    cycles[threadIdx.x] = stop - start;                                                                              \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                         \
  }
KERNEL(x1, 0, "x1", "")
KERNEL(x2, 0, "x2", ", r1")
KERNEL(x4, 0, "x4", ", r1, r2, r3")
KERNEL(x4_trans, 1, "x4.trans", ", r1, r2, r3")
