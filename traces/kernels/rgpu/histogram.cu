// 256-bin histogram of an 8-bit grey image, R sub-histograms per thread block in scratchpad memory (Gomez-Luna, PhD thesis,
// section 4.4): consecutive threads vote in consecutive sub-histograms, bin b of sub-histogram s at word s * stride + b.
// Pixels are read 4 or 16 at a time.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int subhistograms[];

__device__ __forceinline__ void vote(unsigned int* subhistogram, unsigned int four) {
  atomicAdd(subhistogram + (four & 0xff), 1u);
  atomicAdd(subhistogram + ((four >> 8) & 0xff), 1u);
  atomicAdd(subhistogram + ((four >> 16) & 0xff), 1u);
  atomicAdd(subhistogram + (four >> 24), 1u);
}
__device__ __forceinline__ void vote(unsigned int* subhistogram, uint4 sixteen) {
  vote(subhistogram, sixteen.x);
  vote(subhistogram, sixteen.y);
  vote(subhistogram, sixteen.z);
  vote(subhistogram, sixteen.w);
}

/// `Group` is what a thread reads at a time; the next one is under way while it votes. `result` is zero before.
template <typename Group>
__device__ __forceinline__ void histogram(const unsigned char* pixels, unsigned int count, unsigned int* result,
                                          unsigned int replication, unsigned int stride) {
  for (unsigned int i = threadIdx.x; i < replication * stride; i += blockDim.x) subhistograms[i] = 0;
  __syncthreads();

  unsigned int* own = subhistograms + (threadIdx.x % replication) * stride;
  const unsigned int groups = count / sizeof(Group), step = gridDim.x * blockDim.x;
  const Group* group = reinterpret_cast<const Group*>(pixels);
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) {
    Group now = group[i];
    for (i += step; i < groups; i += step) {
      const Group next = group[i];
      vote(own, now);
      now = next;
    }
    vote(own, now);
  }
  if (blockIdx.x == 0) {  // The pixels after the last whole group.
    for (unsigned int p = groups * sizeof(Group) + threadIdx.x; p < count; p += blockDim.x) atomicAdd(own + pixels[p], 1u);
  }
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int s = 0; s < replication; ++s) sum += subhistograms[s * stride + bin];
    if (sum != 0) atomicAdd(result + bin, sum);
  }
}

extern "C" __global__ void histogram_4(const unsigned char* pixels, unsigned int count, unsigned int* result,
                                       unsigned int replication, unsigned int stride) {
  histogram<unsigned int>(pixels, count, result, replication, stride);
}
extern "C" __global__ void histogram_16(const unsigned char* pixels, unsigned int count, unsigned int* result,
                                        unsigned int replication, unsigned int stride) {
  histogram<uint4>(pixels, count, result, replication, stride);
}

/// Around the R-GPU graph configs/rgpu/histogram.yaml, which votes for pixels 0 .. first - 1: bin b of sub-histogram s lies
/// at word b * columns + s. 1024 threads.
extern "C" __global__ void histogram_around_graph(const unsigned char* pixels, unsigned int first, unsigned int count,
                                                  unsigned int* result, unsigned int columns) {
  for (unsigned int i = threadIdx.x; i < 256 * columns; i += blockDim.x) subhistograms[i] = 0;
  asm volatile("bar.sync 15;" ::: "memory");
  for (unsigned int p = first + blockIdx.x * blockDim.x + threadIdx.x; p < count; p += gridDim.x * blockDim.x)
    atomicAdd(subhistograms + pixels[p] * columns, 1u);
  __syncthreads();
  // A quarter of the columns each. Neighbouring threads begin at different columns, in different banks.
  const unsigned int bin = threadIdx.x % 256, quarter = threadIdx.x / 256;
  const unsigned int first_column = quarter * columns / 4, end = (quarter + 1) * columns / 4;
  unsigned int column = first_column == end ? 0 : first_column + bin % (end - first_column), sum = 0;
  for (unsigned int s = first_column; s < end; ++s) {
    sum += subhistograms[bin * columns + column];
    if (++column == end) column = first_column;
  }
  __syncthreads();
  subhistograms[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 256) return;
  sum += subhistograms[bin + 256] + subhistograms[bin + 512] + subhistograms[bin + 768];
  if (sum != 0) atomicAdd(result + bin, sum);
}
