// Stores of records of several words: each thread stores, or loads and stores, the words of its record one after the other, so that
// each store of a warp touches the same lines as the next.

/// `pitch` words lie between the beginnings of two records. An update adds 1 to every word.
template <int words>
__device__ __forceinline__ void records(float* buffer, unsigned int pitch, unsigned int update) {
  float* const record = buffer + (blockIdx.x * blockDim.x + threadIdx.x) * pitch;
  float values[words];
  if (update != 0) {
#pragma unroll
    for (int n = 0; n < words; ++n) values[n] = record[n];
#pragma unroll
    for (int n = 0; n < words; ++n) values[n] += 1.0f;
  } else {
#pragma unroll
    for (int n = 0; n < words; ++n) values[n] = 1.0f;
  }
  // In order, and none made wide.
#pragma unroll
  for (int n = 0; n < words; ++n)
    asm volatile("st.global.f32 [%0], %1;" : : "l"(record + n), "f"(values[n]) : "memory");
}

#define RECORDS(words)                                                                                        \
  extern "C" __global__ void records_##words(float* buffer, unsigned int pitch, unsigned int update) {        \
    records<words>(buffer, pitch, update);                                                                    \
  }

RECORDS(2)
RECORDS(3)
RECORDS(4)
RECORDS(6)
RECORDS(8)
RECORDS(16)
