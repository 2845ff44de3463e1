#pragma once
// How the microbenchmarks time themselves.
//
// A timed interval lies between two reads of the clock register; the reads of a warp come in pairs, and its time is the
// sum over its intervals. An SM issues in order, and a read does not wait for results of others, so that directly before
// each read stands an instruction that uses the last result. From the first read to the second everything is one
// assembly statement: no compiler puts anything between that is not written there.
//
//   READ_CLOCK(start, sink, last)   xor that uses `last`, so that it is ready; read of the clock
//   ...                             what is measured
//   READ_CLOCK(stop, sink, last)    xor that waits for `last`; read of the clock
//
// From one read to the other an SM issues the first read, what is measured, and the xor. The kernel stores `sink` in the
// end, which keeps the xors.
#include "lockstep_cuda.cuh"

#define READ_CLOCK(to, sink, last) "xor.b32 " sink ", " sink ", " last ";\n\tmov.u32 " to ", %%clock;\n\t"

#define TIMES_4(text) text text text text
#define TIMES_16(text) TIMES_4(TIMES_4(text))
#define TIMES_64(text) TIMES_4(TIMES_16(text))

/// Instructions of an unrolled chain: one interval of the kernels whose interval is a chain.
static const unsigned int chain = 64;

/// A 32-bit scratchpad address.
__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
  unsigned int address;
  asm("{\n\t.reg .u64 wide;\n\tcvta.to.shared.u64 wide, %1;\n\tcvt.u32.u64 %0, wide;\n\t}"
      : "=r"(address)
      : "l"(pointer));
  return address;
}
