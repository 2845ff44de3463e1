// Regions of an image: pixels above (or not above) a threshold that hang together by their sides. Kernels of a sequence; what
// the host decides between them is in the workload `image-regions`.
#include "lockstep_cuda.cuh"

constexpr unsigned int levels = 256;

// How often each of the 256 upper levels occurs: pixels of `bits` bits, one sub-histogram per thread block.
extern "C" __global__ void level_histogram(const unsigned short* __restrict__ pixels, unsigned int count,
                                           unsigned int bits, unsigned int* histogram) {
  __shared__ unsigned int own[levels];
  for (unsigned int level = threadIdx.x; level < levels; level += blockDim.x) own[level] = 0;
  __syncthreads();
  const unsigned int step = blockDim.x * gridDim.x;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    atomicAdd(own + (pixels[i] >> (bits - 8)), 1u);
  __syncthreads();
  for (unsigned int level = threadIdx.x; level < levels; level += blockDim.x)
    if (own[level] != 0) atomicAdd(histogram + level, own[level]);
}

// Otsu's threshold: the level t for which the classes "up to t" and "above t" differ most. One block of 256 threads, each with
// a level; ties go to the lower one. result[0] = t, result[1] = pixels above it.
extern "C" __global__ void otsu_threshold(const unsigned int* __restrict__ histogram, unsigned int* result) {
  __shared__ unsigned int counts[levels];
  __shared__ unsigned long long sums[levels];
  __shared__ double best[levels];
  __shared__ unsigned int at[levels];
  const unsigned int t = threadIdx.x;
  counts[t] = histogram[t];
  sums[t] = (unsigned long long)histogram[t] * t;
  __syncthreads();
  for (unsigned int step = 1; step < levels; step *= 2) {
    const unsigned int count = t >= step ? counts[t - step] : 0;
    const unsigned long long sum = t >= step ? sums[t - step] : 0;
    __syncthreads();
    counts[t] += count;
    sums[t] += sum;
    __syncthreads();
  }
  const unsigned int all = counts[levels - 1], below = counts[t], above = all - below;
  double variance = 0;
  if (below != 0 && above != 0) {
    const double apart = (double)sums[t] / below - (double)(sums[levels - 1] - sums[t]) / above;
    variance = (double)below * above * (apart * apart);
  }
  best[t] = variance;
  at[t] = t;
  for (unsigned int half = levels / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t >= half) continue;
    const bool higher = best[t + half] > best[t];
    const bool first_of_equal = best[t + half] == best[t] && at[t + half] < at[t];
    if (!higher && !first_of_equal) continue;
    best[t] = best[t + half];
    at[t] = at[t + half];
  }
  if (t != 0) return;
  result[0] = at[0];
  result[1] = all - counts[at[0]];
}

// Objects get labels of their own, 1 + pixel; what is no object has 0. parent[p] is the label that pixel p's label leads to.
extern "C" __global__ void label_pixels(const unsigned short* __restrict__ pixels, unsigned int count, unsigned int bits,
                                        unsigned int threshold, unsigned int objects_are_bright, unsigned int* labels,
                                        unsigned int* parent) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const bool bright = (unsigned int)(pixels[i] >> (bits - 8)) > threshold;
  labels[i] = bright == (objects_are_bright != 0) ? i + 1 : 0;
  parent[i] = i + 1;
}

// Leads the label of each object pixel to the smallest label beside it. *changed becomes 1 where there is a smaller one.
extern "C" __global__ void join_neighbours(const unsigned int* __restrict__ labels, unsigned int width,
                                           unsigned int height, unsigned int* parent, unsigned int* changed) {
  const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned int i = y * width + x, own = labels[i];
  if (own == 0) return;
  unsigned int least = own;
  const auto look_at = [&](unsigned int neighbour) {
    const unsigned int label = labels[neighbour];
    if (label != 0 && label < least) least = label;
  };
  if (x > 0) look_at(i - 1);
  if (x + 1 < width) look_at(i + 1);
  if (y > 0) look_at(i - width);
  if (y + 1 < height) look_at(i + width);
  if (least == own) return;
  atomicMin(parent + own - 1, least);
  *changed = 1;
}

// Gives each object pixel the label at the end of its chain.
extern "C" __global__ void follow_labels(const unsigned int* __restrict__ parent, unsigned int count,
                                         unsigned int* labels) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned int label = labels[i];
  if (label == 0) return;
  while (parent[label - 1] < label) label = parent[label - 1];
  labels[i] = label;
}

// Pixels of each region, at its label - 1, and in *regions how many regions there are.
extern "C" __global__ void measure_regions(const unsigned int* __restrict__ labels, unsigned int count,
                                           unsigned int* sizes, unsigned int* regions) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || labels[i] == 0) return;
  atomicAdd(sizes + labels[i] - 1, 1u);
  if (labels[i] == i + 1) atomicAdd(regions, 1u);
}

// Removes regions of fewer than `least` pixels, and counts in *regions those that stay.
extern "C" __global__ void discard_regions(unsigned int* labels, const unsigned int* __restrict__ sizes,
                                           unsigned int count, unsigned int least, unsigned int* regions) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || labels[i] == 0) return;
  if (sizes[labels[i] - 1] < least) {
    labels[i] = 0;
  } else if (labels[i] == i + 1) {
    atomicAdd(regions, 1u);
  }
}

// A colour for each label, dark grey where there is none: three bytes a pixel.
extern "C" __global__ void paint_regions(const unsigned int* __restrict__ labels, unsigned int count,
                                         unsigned char* picture) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned int mixed = labels[i] * 2654435761u;  // Knuth's multiplicative hash.
  for (unsigned int channel = 0; channel < 3; ++channel) {
    const unsigned char level = 64 + ((mixed >> (8 * channel + 8)) & 0x7f) + ((mixed >> (8 * channel + 7)) & 0x3f);
    picture[3 * i + channel] = labels[i] == 0 ? 32 : level;
  }
}
