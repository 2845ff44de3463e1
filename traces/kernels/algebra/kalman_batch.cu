// Extended Kalman filters of many tracked objects: state (x, y, heading, speed), prediction with the unicycle model and an
// update with a range and bearing measurement. One thread per track; covariances as ten values of the symmetric matrix.
#include <cuda_runtime.h>

#define S 4
__device__ __forceinline__ constexpr int sym(int r, int c) {
  return r <= c ? r * S - r * (r - 1) / 2 + c - r : sym(c, r);
}

/// `steps` predictions and updates of each track.
extern "C" __global__ void __launch_bounds__(64)
    ekf_step(float* __restrict__ state, float* __restrict__ covariance, const float2* __restrict__ measurements,
             int tracks, int steps, float dt, float q_heading, float q_speed, float r_range, float r_bearing) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tracks) return;
  float x[S], P[S][S];
#pragma unroll
  for (int k = 0; k < S; ++k) x[k] = state[k * tracks + i];
#pragma unroll
  for (int r = 0; r < S; ++r)
#pragma unroll
    for (int c = r; c < S; ++c) P[r][c] = P[c][r] = covariance[sym(r, c) * tracks + i];

#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    // Prediction.
    float sine, cosine;
    __sincosf(x[2], &sine, &cosine);
    const float a = -x[3] * sine * dt, b = cosine * dt, c = x[3] * cosine * dt, d = sine * dt;
    x[0] += x[3] * cosine * dt;
    x[1] += x[3] * sine * dt;
    // F P
#pragma unroll
    for (int k = 0; k < S; ++k) {
      P[0][k] += a * P[2][k] + b * P[3][k];
      P[1][k] += c * P[2][k] + d * P[3][k];
    }
    // (F P) F^T
#pragma unroll
    for (int k = 0; k < S; ++k) {
      P[k][0] += a * P[k][2] + b * P[k][3];
      P[k][1] += c * P[k][2] + d * P[k][3];
    }
    P[2][2] += q_heading * dt;
    P[3][3] += q_speed * dt;

    // Update.
    const float2 z = measurements[(size_t)step * tracks + i];
    const float r2 = x[0] * x[0] + x[1] * x[1], r = sqrtf(r2), inv_r = 1.f / r, inv_r2 = inv_r * inv_r;
    const float hx = x[0] * inv_r, hy = x[1] * inv_r, bx = -x[1] * inv_r2, by = x[0] * inv_r2;
    float y0 = z.x - r, y1 = z.y - atan2f(x[1], x[0]);
    y1 -= 6.2831853f * rintf(y1 * 0.15915494f);
    float PH[S][2];
#pragma unroll
    for (int k = 0; k < S; ++k) {
      PH[k][0] = P[k][0] * hx + P[k][1] * hy;
      PH[k][1] = P[k][0] * bx + P[k][1] * by;
    }
    const float s00 = hx * PH[0][0] + hy * PH[1][0] + r_range;
    const float s01 = hx * PH[0][1] + hy * PH[1][1];
    const float s11 = bx * PH[0][1] + by * PH[1][1] + r_bearing;
    const float inv_det = 1.f / (s00 * s11 - s01 * s01);
    // Gate: Mahalanobis distance
    const float distance = (s11 * y0 * y0 - 2.f * s01 * y0 * y1 + s00 * y1 * y1) * inv_det;
    if (distance < 25.f) {
      float K[S][2];
#pragma unroll
      for (int k = 0; k < S; ++k) {
        K[k][0] = (PH[k][0] * s11 - PH[k][1] * s01) * inv_det;
        K[k][1] = (PH[k][1] * s00 - PH[k][0] * s01) * inv_det;
        x[k] += K[k][0] * y0 + K[k][1] * y1;
      }
#pragma unroll
      for (int r0 = 0; r0 < S; ++r0)
#pragma unroll
        for (int c0 = r0; c0 < S; ++c0) P[c0][r0] = P[r0][c0] = P[r0][c0] - K[r0][0] * PH[c0][0] - K[r0][1] * PH[c0][1];
    }
  }
#pragma unroll
  for (int k = 0; k < S; ++k) state[k * tracks + i] = x[k];
#pragma unroll
  for (int r = 0; r < S; ++r)
#pragma unroll
    for (int c = r; c < S; ++c) covariance[sym(r, c) * tracks + i] = P[r][c];
}
