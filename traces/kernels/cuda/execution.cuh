#pragma once
// Where a thread is in its grid, barriers, fences, and clocks.

#define LOCKSTEP_INDEX(name, sreg, convertible)                                        \
  struct lockstep_##name {                                                             \
    __declspec(property(get = get_x)) unsigned int x;                                  \
    __declspec(property(get = get_y)) unsigned int y;                                  \
    __declspec(property(get = get_z)) unsigned int z;                                  \
    LOCKSTEP_DEVICE unsigned int get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
    LOCKSTEP_DEVICE unsigned int get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
    LOCKSTEP_DEVICE unsigned int get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
    __device__ __forceinline__ __attribute__((nodebug)) operator convertible() const { \
      return convertible{get_x(), get_y(), get_z()};                                   \
    }                                                                                  \
  };                                                                                   \
  extern const __device__ __attribute__((weak)) lockstep_##name name;

LOCKSTEP_INDEX(threadIdx, tid, uint3)
LOCKSTEP_INDEX(blockIdx, ctaid, uint3)
LOCKSTEP_INDEX(blockDim, ntid, dim3)
LOCKSTEP_INDEX(gridDim, nctaid, dim3)
#undef LOCKSTEP_INDEX
static const __device__ constexpr int warpSize = 32;

// Inline assembly that clobbers memory, not clang's intrinsics: clang 14 takes for granted that those leave alone a
// variable of a kernel whose address nobody takes, and moves its loads and stores across them.
#define __syncthreads() lockstep_barrier()
LOCKSTEP_DEVICE void lockstep_barrier() {
  asm volatile("bar.sync 0;" ::: "memory");
}
#define LOCKSTEP_BARRIER_REDUCTION(name, reduction)                                                       \
  LOCKSTEP_DEVICE int __syncthreads_##name(int predicate) {                                               \
    int result;                                                                                           \
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.s32 p, %1, 0;\n\t" reduction "\n\t}" : "=r"(result) \
                 : "r"(predicate) : "memory");                                                            \
    return result;                                                                                        \
  }
LOCKSTEP_BARRIER_REDUCTION(count, "bar.red.popc.u32 %0, 0, p;")
LOCKSTEP_BARRIER_REDUCTION(and, "bar.red.and.pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;")
LOCKSTEP_BARRIER_REDUCTION(or, "bar.red.or.pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;")
#undef LOCKSTEP_BARRIER_REDUCTION
LOCKSTEP_DEVICE void __threadfence_block() {
  asm volatile("membar.cta;" ::: "memory");
}
LOCKSTEP_DEVICE void __threadfence() {
  asm volatile("membar.gl;" ::: "memory");
}
LOCKSTEP_DEVICE void __threadfence_system() {
  asm volatile("membar.sys;" ::: "memory");
}
LOCKSTEP_DEVICE long long clock64() {
  return __nvvm_read_ptx_sreg_clock64();
}
LOCKSTEP_DEVICE int clock() {
  return __nvvm_read_ptx_sreg_clock();
}

LOCKSTEP_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
#if __CUDA_ARCH__ >= 700
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
#else
  (void)mask;
  asm volatile("" ::: "memory");
#endif
}

#if __CUDA_ARCH__ >= 700
LOCKSTEP_DEVICE void __nanosleep(unsigned int nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}
#else
LOCKSTEP_NEEDS(sm_70, void, __nanosleep, unsigned int nanoseconds)
#endif
LOCKSTEP_DEVICE void __trap() {
  asm volatile("trap;");
}
LOCKSTEP_DEVICE void __brkpt() {
  asm volatile("brkpt;");
}
// A macro, because the number of the counter is part of the instruction.
#define __prof_trigger(counter) ({ asm volatile("pmevent %0;" ::"n"(counter)); })
