// Fast Fourier transform of 1024 complex points in two kernels of five radix-2 stages each (decimation in frequency):
// FFT_2 combines points 512 to 32 apart, FFT_1 points 16 to 1 apart. One after the other they leave the transform of each
// 1024 points in bit-reversed order. 512 threads a block; real and imaginary parts interleaved, each word accessed alone.
//
// A thread keeps the two points of its butterfly in registers, and the block exchanges them through scratchpad memory
// between two stages (V. Volkov and B. Kazian, "Fitting FFT onto the G80 architecture", 2008).
#include "lockstep_cuda.cuh"

#define LOG2_POINTS 10
#define PI 3.14159265f

extern __shared__ float exchange[];

struct Complex {
  float re, im;
};

/// First of the two points, 2^stage apart, that a thread has in a stage. Its number is that of the thread, whose bit
/// `stage` has gone to the top and left a zero: the thread keeps the rest of its number, and so one of its points, from
/// stage to stage.
__device__ __forceinline__ int first_point(int thread, int stage) {
  return (thread & ~(1 << stage)) | ((thread >> stage & 1) << (LOG2_POINTS - 1));
}

/// a, b -> a + b, (a - b) * exp(-i pi (point % 2^stage) / 2^stage)
__device__ __forceinline__ void butterfly(Complex& a, Complex& b, int point, int stage) {
  const float angle = (point & ((1 << stage) - 1)) * (-PI / (1 << stage));
  const float c = __cosf(angle), s = __sinf(angle);
  const Complex difference{a.re - b.re, a.im - b.im};
  a.re += b.re;
  a.im += b.im;
  b.re = difference.re * c - difference.im * s;
  b.im = difference.re * s + difference.im * c;
}

template <int First, int Last>
__device__ __forceinline__ void transform(const float* input, float* output) {
  const int thread = threadIdx.x;
  const float* const from = input + (blockIdx.x << (LOG2_POINTS + 1));
  float* const to = output + (blockIdx.x << (LOG2_POINTS + 1));
  int a = first_point(thread, First), b = a + (1 << First);
  Complex x{from[2 * a], from[2 * a + 1]}, y{from[2 * b], from[2 * b + 1]};
  butterfly(x, y, a, First);
#pragma unroll
  for (int stage = First - 1; stage >= Last; --stage) {
    // A thread writes where it has read: nobody else is still waiting for these words.
    exchange[2 * a] = x.re;
    exchange[2 * a + 1] = x.im;
    exchange[2 * b] = y.re;
    exchange[2 * b + 1] = y.im;
    __syncthreads();
    a = first_point(thread, stage);
    b = a + (1 << stage);
    x = {exchange[2 * a], exchange[2 * a + 1]};
    y = {exchange[2 * b], exchange[2 * b + 1]};
    butterfly(x, y, a, stage);
  }
  to[2 * a] = x.re;
  to[2 * a + 1] = x.im;
  to[2 * b] = y.re;
  to[2 * b + 1] = y.im;
}

extern "C" __global__ void FFT_1(const float* __restrict__ input, float* __restrict__ output) {
  transform<4, 0>(input, output);
}

extern "C" __global__ void FFT_2(const float* __restrict__ input, float* __restrict__ output) {
  transform<9, 5>(input, output);
}
