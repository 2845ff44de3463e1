// Detection of leukocytes: the largest GICOV score (gradient inverse coefficient of variation) over circles of several radii
// around each pixel, gradients sampled along each circle; then dilation.
#define NPOINTS 150
#define NCIRCLES 7
#define MAX_R 22
#define STREL 25

__constant__ float c_sin_angle[NPOINTS];
__constant__ float c_cos_angle[NPOINTS];
__constant__ int c_tx[NCIRCLES * NPOINTS];
__constant__ int c_ty[NCIRCLES * NPOINTS];
__constant__ float c_strel[STREL * STREL];

/// Scores: the squared mean of the radial gradients along a circle over their variance.
extern "C" __global__ void gicov_kernel(int grad_m, const float* __restrict__ grad_x, const float* __restrict__ grad_y,
                                        float* __restrict__ gicov) {
  const int i = blockIdx.x + MAX_R + 2;
  const int j = threadIdx.x + MAX_R + 2;
  float max_gicov = 0;
  for (int k = 0; k < NCIRCLES; k++) {
    float sum = 0, m2 = 0, mean = 0;
    for (int n = 0; n < NPOINTS; n++) {
      const int y = j + c_ty[k * NPOINTS + n];
      const int x = i + c_tx[k * NPOINTS + n];
      const int addr = x * grad_m + y;
      const float p = grad_x[addr] * c_cos_angle[n] + grad_y[addr] * c_sin_angle[n];
      sum += p;
      const float delta = p - mean;
      mean = mean + delta / (float)(n + 1);
      m2 = m2 + delta * (p - mean);
    }
    mean = sum / (float)NPOINTS;
    const float var = m2 / (float)(NPOINTS - 1);
    if (mean * mean / var > max_gicov) max_gicov = mean * mean / var;
  }
  gicov[i * grad_m + j] = max_gicov;
}

/// The largest score under a disc around each pixel, stored transposed.
extern "C" __global__ void dilate_kernel(int m, int n, const float* __restrict__ img, float* __restrict__ dilated) {
  const int el = STREL / 2;
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = thread % m, j = thread / m;
  if (j >= n) return;
  float max = 0;
  for (int ei = 0; ei < STREL; ei++) {
    const int y = i - el + ei;
    if (y >= 0 && y < m) {
      for (int ej = 0; ej < STREL; ej++) {
        const int x = j - el + ej;
        if (x >= 0 && x < n && c_strel[ei * STREL + ej] != 0) {
          const float t = img[x * m + y];
          if (t > max) max = t;
        }
      }
    }
  }
  dilated[i * n + j] = max;
}
