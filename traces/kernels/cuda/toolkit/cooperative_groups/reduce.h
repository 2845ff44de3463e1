#pragma once
// Sums, minima and their kind over the lanes of a tile.
#include "../cooperative_groups.h"

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
namespace cooperative_groups {
#define LOCKSTEP_REDUCTION(name, value)                                                                \
  template <class T = void>                                                                            \
  struct name {                                                                                        \
    __device__ __forceinline__ __attribute__((nodebug)) T operator()(T a, T b) const { return value; } \
  };
LOCKSTEP_REDUCTION(plus, a + b)
LOCKSTEP_REDUCTION(less, b < a ? b : a)
LOCKSTEP_REDUCTION(greater, a < b ? b : a)
LOCKSTEP_REDUCTION(bit_and, a& b)
LOCKSTEP_REDUCTION(bit_or, a | b)
LOCKSTEP_REDUCTION(bit_xor, a ^ b)
#undef LOCKSTEP_REDUCTION

template <unsigned lanes, class Parent, class T, class Function>
static __device__ __forceinline__ __attribute__((nodebug)) T reduce(const thread_block_tile<lanes, Parent>& tile,
                                                                    T value, Function function) {
  for (unsigned distance = lanes / 2; distance > 0; distance /= 2)
    value = function(value, tile.shfl_xor(value, (int)distance));
  return value;
}
}  // namespace cooperative_groups
#endif
