// How often each bin occurs among pixels: bin = pixel * bins / levels, rounded down. A pixel that is not below `levels`
// stops with an error.
//
// Thread t counts pixels t, t + threads, ... in `counts`, where it has bins of its own; then the bins of all are added up.

template <typename Pixel>
static __device__ void count(const Pixel* pixels, unsigned int n, unsigned int* counts, unsigned int bins,
                             unsigned int levels) {
  unsigned int* own = counts + threadIdx.x * bins;
  for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
    if (pixels[i] >= levels) __builtin_trap();
    ++own[pixels[i] * bins / levels];
  }
}

extern "C" __global__ void count_u8(const unsigned char* pixels, unsigned int n, unsigned int* counts,
                                    unsigned int bins, unsigned int levels) {
  count(pixels, n, counts, bins, levels);
}

extern "C" __global__ void count_u16(const unsigned short* pixels, unsigned int n, unsigned int* counts,
                                     unsigned int bins, unsigned int levels) {
  count(pixels, n, counts, bins, levels);
}

extern "C" __global__ void count_u32(const unsigned int* pixels, unsigned int n, unsigned int* counts,
                                     unsigned int bins, unsigned int levels) {
  count(pixels, n, counts, bins, levels);
}

extern "C" __global__ void add_up(const unsigned int* counts, unsigned int threads, unsigned int bins,
                                  unsigned int* histogram) {
  const unsigned int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  unsigned int sum = 0;
  for (unsigned int thread = 0; thread < threads; ++thread) sum += counts[thread * bins + bin];
  histogram[bin] = sum;
}
