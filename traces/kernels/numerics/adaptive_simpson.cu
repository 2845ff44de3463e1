// Integrals over [0, 1] of cos(5 x) / (a + (x - c)^2) for many a and c by adaptive Simpson quadrature with Richardson's
// correction (Lyness, 1969); intervals that are still to be done lie on a stack in local memory.
#include "lockstep_cuda.cuh"

#define SHALLOWEST 4
#define DEEPEST 20

struct Interval {
  float left, width, at_left, at_middle, at_right, whole;
  int depth;
};

struct Peak {
  float a, c;
  __device__ float operator()(float x) const { return cosf(5 * x) / (a + (x - c) * (x - c)); }
};

template <class Function>
__device__ float integrate(const Function& f, float tolerance, int& evaluations) {
  Interval stack[DEEPEST + 2];
  int size = 1;
  const float first = f(0), middle = f(0.5f), last = f(1);
  stack[0] = {0, 1, first, middle, last, (first + 4 * middle + last) / 6, 0};
  evaluations = 3;
  float sum = 0;
  while (size > 0) {
    const Interval i = stack[--size];
    const float quarter = i.width / 4;
    const float fl = f(i.left + quarter), fr = f(i.left + 3 * quarter);
    evaluations += 2;
    const float left = (i.at_left + 4 * fl + i.at_middle) * i.width / 12;
    const float right = (i.at_middle + 4 * fr + i.at_right) * i.width / 12;
    const float difference = left + right - i.whole;
    if (i.depth == DEEPEST || (i.depth >= SHALLOWEST && fabsf(difference) <= 15 * tolerance * i.width)) {
      sum += left + right + difference / 15;
    } else {
      const float half = i.width / 2;
      stack[size++] = {i.left + half, half, i.at_middle, fr, i.at_right, right, i.depth + 1};
      stack[size++] = {i.left, half, i.at_left, fl, i.at_middle, left, i.depth + 1};
    }
  }
  return sum;
}

extern "C" __global__ void adaptive_simpson(const float2* __restrict__ peaks, float* __restrict__ integrals,
                                            int* __restrict__ evaluations, int n, float tolerance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Peak peak = {peaks[i].x, peaks[i].y};
  int used;
  integrals[i] = integrate(peak, tolerance, used);
  evaluations[i] = used;
}
