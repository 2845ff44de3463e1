#pragma once
// How the microbenchmarks time themselves.
//
// Every warp reads the clock register twice; the timed interval lies between. An SM issues in order, and a read does not wait for results of others, so that directly before
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

/// Waits for a register that the interval needs; `scratch` is one that is written later.
#define READY(needed, scratch) "mov.u32 " scratch ", " needed ";\n\t"

/// `text` as often as the register `remaining` says, at least once; it needs a predicate `more`. The loop's own instructions
/// stand where they can issue while the last result of a round is awaited.
#define ROUNDS(remaining, text)                                                                                   \
  "AGAIN:\n\tsub.u32 " remaining ", " remaining ", 1;\n\tsetp.ne.u32 more, " remaining ", 0;\n\t" text              \
  "@more bra AGAIN;\n\t"

/// Instructions of a round of an unrolled chain.
static const unsigned int chain = 64;

/// A 32-bit scratchpad address.
__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
  unsigned int address;
  asm("{\n\t.reg .u64 wide;\n\tcvta.to.shared.u64 wide, %1;\n\tcvt.u32.u64 %0, wide;\n\t}"
      : "=r"(address)
      : "l"(pointer));
  return address;
}
