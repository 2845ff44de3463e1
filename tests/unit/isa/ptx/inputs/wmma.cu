// Products of one warp by nvcuda::wmma, in its types, shapes and layouts.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda::wmma;

template <int m, int n, int k, class Factor, class Memory, class Sum, class LayoutA, class LayoutB>
__device__ void multiply(const Memory* a, const Memory* b, const Sum* c, Sum* d, int pitch, layout_t order) {
  fragment<matrix_a, m, n, k, Factor, LayoutA> of_a;
  fragment<matrix_b, m, n, k, Factor, LayoutB> of_b;
  fragment<accumulator, m, n, k, Sum> sums;
  load_matrix_sync(of_a, a, pitch);
  load_matrix_sync(of_b, b, pitch);
  load_matrix_sync(sums, c, pitch, order);
  mma_sync(sums, of_a, of_b, sums);
  store_matrix_sync(d, sums, pitch, order);
}

#define KERNELS(name, m, n, k, Factor, Memory, Sum)                                                                   \
  extern "C" __global__ void name##_along(const Memory* a, const Memory* b, const Sum* c, Sum* d, int pitch) {        \
    multiply<m, n, k, Factor, Memory, Sum, row_major, col_major>(a, b, c, d, pitch, mem_row_major);                   \
  }                                                                                                                   \
  extern "C" __global__ void name##_across(const Memory* a, const Memory* b, const Sum* c, Sum* d, int pitch) {       \
    multiply<m, n, k, Factor, Memory, Sum, col_major, row_major>(a, b, c, d, pitch, mem_col_major);                   \
  }                                                                                                                   \
  extern "C" __global__ void name##_shared(const Memory* a, const Memory* b, const Sum* c, Sum* d, int pitch) {       \
    __shared__ __align__(32) char space[4096];                                                                        \
    for (int i = threadIdx.x; i < 2048; i += 32)                                                                      \
      space[i] = ((const char*)a)[i], space[2048 + i] = ((const char*)b)[i];                                          \
    __syncthreads();                                                                                                  \
    multiply<m, n, k, Factor, Memory, Sum, row_major, row_major>((const Memory*)space, (const Memory*)(space + 2048), \
                                                                 c, d, 32, mem_row_major);                            \
  }
KERNELS(f16_f32, 16, 16, 16, half, half, float)
KERNELS(f16_f32_tall, 32, 8, 16, half, half, float)
KERNELS(f16_f32_wide, 8, 32, 16, half, half, float)
KERNELS(f16_f16, 16, 16, 16, half, half, half)
KERNELS(f16_f16_tall, 32, 8, 16, half, half, half)
KERNELS(f16_f16_wide, 8, 32, 16, half, half, half)
KERNELS(bf16, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float)
KERNELS(bf16_tall, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, float)
KERNELS(bf16_wide, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, float)
KERNELS(s8, 16, 16, 16, signed char, signed char, int)
KERNELS(s8_tall, 32, 8, 16, signed char, signed char, int)
KERNELS(u8_wide, 8, 32, 16, unsigned char, unsigned char, int)
KERNELS(tf32, 16, 16, 8, precision::tf32, float, float)
KERNELS(f64, 8, 8, 4, double, double, double)
