// Ultrasound image of a plane wave by delay and sum with linear interpolation and an aperture that grows with depth:
// G. Montaldo et al., "Coherent plane-wave compounding for very high frame rate ultrasonography", IEEE Trans. UFFC
// 56(3), 2009; weights by the Hann window. A thread per pixel, a loop over the elements within the aperture.
#include <cuda_runtime.h>

struct Probe {
  int elements, samples;
  float pitch;         // of elements, in wavelengths
  float per_sample;    // samples per wavelength
  float sine, cosine;  // of the wave's angle
  float opening;       // half the aperture, as a part of the depth
  float start;         // sample at time 0
};

/// Sums of the echoes of each pixel. Echoes lie element by element; pixels are `spacing` wavelengths apart.
extern "C" __global__ void __launch_bounds__(256)
    delay_and_sum(const short* __restrict__ echoes, float* __restrict__ image, Probe p, float spacing, float depth,
                  int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float x = (column - 0.5f * (width - 1)) * spacing, z = depth + row * spacing;
  const float sent = z * p.cosine + x * p.sine;
  const float half = z * p.opening, middle = 0.5f * (p.elements - 1);
  const int first = max(0, (int)ceilf((x - half) / p.pitch + middle));
  const int last = min(p.elements - 1, (int)floorf((x + half) / p.pitch + middle));
  const float inverse = 1.f / half;
  float sum = 0.f, weights = 1e-3f;
  for (int e = first; e <= last; ++e) {
    const float dx = x - ((float)e - middle) * p.pitch;
    const float at = (sent + sqrtf(dx * dx + z * z)) * p.per_sample + p.start;
    const int i = (int)at;
    const float part = at - (float)i;
    if (i < 0 || i >= p.samples - 1) continue;
    const short* echo = echoes + e * p.samples + i;
    const float a = (float)echo[0], b = (float)echo[1];
    const float weight = 0.5f + 0.5f * cospif(dx * inverse);
    sum = fmaf(weight, fmaf(part, b - a, a), sum);
    weights += weight;
  }
  image[(size_t)row * width + column] = sum / weights;
}
