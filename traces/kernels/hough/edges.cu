// The first two steps of line detection (van den Braak, PhD thesis 2015, chapter 4): the gradient of a grey image by the
// Sobel operator, and the threshold by which it becomes a binary image, from its histogram by Otsu's criterion (IEEE
// Transactions on Systems, Man, and Cybernetics 9(1), 1979).
#include "lockstep_cuda.cuh"

/// edges: |gx| + |gy| of each pixel, 0 on the border; a thread for each. image points to the first pixel of the part that is
/// used, rows lie `pitch` pixels apart.
extern "C" __global__ void sobel(const unsigned short* __restrict__ image, unsigned int pitch,
                                 unsigned short* __restrict__ edges, unsigned int width, unsigned int height) {
  const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned int gradient = 0;
  if (x > 0 && y > 0 && x + 1 < width && y + 1 < height) {
    const unsigned short* const above = image + (y - 1) * pitch + x;
    const unsigned short* const row = above + pitch;
    const unsigned short* const below = row + pitch;
    const int left = above[-1] + 2 * row[-1] + below[-1], right = above[1] + 2 * row[1] + below[1];
    const int top = above[-1] + 2 * above[0] + above[1], bottom = below[-1] + 2 * below[0] + below[1];
    gradient = abs(right - left) + abs(bottom - top);
  }
  edges[y * width + x] = gradient;
}

/// Adds the 256 bins of `shift` bits of gradient to `histogram`: a sub-histogram for each thread block in scratchpad memory.
/// All gradients are below 256 << shift.
extern "C" __global__ void edge_histogram(const unsigned short* __restrict__ edges, unsigned int pixels,
                                          unsigned int shift, unsigned int* histogram) {
  __shared__ unsigned int bins[256];
  for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x)
    atomicAdd(bins + (edges[i] >> shift), 1u);
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    if (bins[bin] != 0) atomicAdd(histogram + bin, bins[bin]);
}

/// threshold: the gradient from which on a pixel is an edge point; its bin boundary has the largest variance between the two
/// classes of pixels, the lowest of several such. One block of 256 threads.
extern "C" __global__ void otsu_threshold(const unsigned int* __restrict__ histogram, unsigned int shift,
                                          unsigned int* threshold) {
  __shared__ unsigned long long counts[256], moments[256], best[256];
  const unsigned int bin = threadIdx.x;
  counts[bin] = histogram[bin];
  moments[bin] = (unsigned long long)bin * histogram[bin];
  // Sums of bins 0 to bin.
  for (unsigned int distance = 1; distance < 256; distance *= 2) {
    __syncthreads();
    const unsigned long long count = bin >= distance ? counts[bin - distance] : 0;
    const unsigned long long moment = bin >= distance ? moments[bin - distance] : 0;
    __syncthreads();
    counts[bin] += count;
    moments[bin] += moment;
  }
  __syncthreads();

  // Bins 0 to bin are the one class, the others the other. (M n0 - m0 N)^2 / (n0 (N - n0)) has its maximum where the variance
  // between them has it.
  const unsigned long long below = counts[bin], above = counts[255] - below;
  float variance = 0;
  if (below != 0 && above != 0) {
    const float difference = (float)((long long)(moments[255] * below) - (long long)(moments[bin] * counts[255]));
    variance = difference * difference / ((float)below * (float)above);
  }
  // Numbers that are not negative are in the order of their bits.
  best[bin] = (unsigned long long)__float_as_uint(variance) << 32 | (255 - bin);
  for (unsigned int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (bin < half && best[bin + half] > best[bin]) best[bin] = best[bin + half];
  }
  if (bin == 0) *threshold = (256 - (unsigned int)(best[0] & 255)) << shift;
}
