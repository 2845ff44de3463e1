// Orthonormal Haar wavelets of a signal whose length is a power of two: the one approximation, then details from the
// coarsest level to the finest. A launch for each level, finest first; a thread for each pair.
//
// No fused multiply-add: a product is rounded before it is added.

extern "C" __global__ void haar_begin(const float* samples, double* approximation, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) approximation[i] = samples[i];
}

extern "C" __global__ void haar_level(const double* approximation, double* coarser, float* result, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const double left = approximation[2 * i], right = approximation[2 * i + 1];
  result[pairs + i] = (left - right) / sqrt(2.0);
  coarser[i] = (left + right) / sqrt(2.0);
  if (pairs == 1) result[0] = coarser[0];
}
