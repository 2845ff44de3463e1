#pragma once
// Halves in memory and in other lanes.

#define LOCKSTEP_DEVICE_HALF static __device__ __forceinline__ __attribute__((nodebug))
LOCKSTEP_DEVICE_HALF __half __ldg(const __half* address) {
  return lockstep_half_of(__ldg((const unsigned short*)address));
}
LOCKSTEP_DEVICE_HALF __half2 __ldg(const __half2* address) {
  return lockstep_half2_of(__ldg((const unsigned int*)address));
}
#define LOCKSTEP_SHUFFLE(name, T)                                                              \
  LOCKSTEP_DEVICE_HALF __half name(unsigned mask, __half value, T lane, int width = 32) {      \
    return lockstep_half_of((unsigned short)name(mask, (unsigned int)value.__x, lane, width)); \
  }                                                                                            \
  LOCKSTEP_DEVICE_HALF __half2 name(unsigned mask, __half2 value, T lane, int width = 32) {    \
    return lockstep_half2_of(name(mask, lockstep_bits(value), lane, width));                   \
  }
LOCKSTEP_SHUFFLE(__shfl_sync, int)
LOCKSTEP_SHUFFLE(__shfl_up_sync, unsigned int)
LOCKSTEP_SHUFFLE(__shfl_down_sync, unsigned int)
LOCKSTEP_SHUFFLE(__shfl_xor_sync, int)
#undef LOCKSTEP_SHUFFLE

// Without an instruction of its own below sm_60 (two halves) and sm_70 (one): compare and swap of the word around it.
LOCKSTEP_DEVICE_HALF __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned int result;
#if __CUDA_ARCH__ >= 600
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(result)
               : "l"(address), "r"(lockstep_bits(value))
               : "memory");
#else
  unsigned int seen = *(volatile unsigned int*)address;
  do {
    result = seen;
    seen = atomicCAS((unsigned int*)address, result, lockstep_bits(__hadd2(lockstep_half2_of(result), value)));
  } while (seen != result);
#endif
  return lockstep_half2_of(result);
}
#if __CUDA_ARCH__ >= 700
LOCKSTEP_DEVICE_HALF __half atomicAdd(__half* address, __half value) {
  unsigned short result;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(result) : "l"(address), "h"(value.__x) : "memory");
  return lockstep_half_of(result);
}
#endif
#undef LOCKSTEP_DEVICE_HALF
