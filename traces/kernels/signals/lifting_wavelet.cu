// Reversible 5/3 wavelet transform of an image of 16 bits by lifting, level by level: A. R. Calderbank et al.,
// "Wavelet transforms that map integers to integers", Appl. Comput. Harmon. Anal. 5, 1998; ISO/IEC 15444-1, annex F.
// Rows go through shared memory; columns are walked with the last samples in registers.
#include <cuda_runtime.h>

#define PAIRS 256
#define STRIP 32

/// Rows: low half to the left, high half to the right. A block for 2 * PAIRS samples of a row.
extern "C" __global__ void __launch_bounds__(PAIRS)
    lift_rows(const short* __restrict__ in, short* __restrict__ out, int width, int pitch) {
  __shared__ int x[2 * PAIRS + 3];  // from two samples before
  __shared__ int high[PAIRS + 1];   // from one before
  const int t = threadIdx.x, first = blockIdx.x * 2 * PAIRS;
  const short* row = in + (size_t)blockIdx.y * pitch;
  for (int i = t; i < 2 * PAIRS + 3; i += PAIRS) {
    int at = first + i - 2;
    if (at < 0) at = -at;
    if (at >= width) at = 2 * (width - 1) - at;
    x[i] = row[max(at, 0)];
  }
  __syncthreads();
  const int h = x[2 * t + 3] - ((x[2 * t + 2] + x[2 * t + 4]) >> 1);
  high[t + 1] = h;
  if (t == 0) high[0] = x[1] - ((x[0] + x[2]) >> 1);
  __syncthreads();
  const int pair = first / 2 + t;
  if (2 * pair < width) {
    short* result = out + (size_t)blockIdx.y * pitch;
    result[pair] = x[2 * t + 2] + ((high[t] + h + 2) >> 2);
    result[width / 2 + pair] = h;
  }
}

/// Columns: low half above, high half below. A thread for STRIP pairs of a column.
extern "C" __global__ void __launch_bounds__(128)
    lift_columns(const short* __restrict__ in, short* __restrict__ out, int width, int height, int pitch) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  const short* x = in + column;
  short* y = out + column;
  const int first = blockIdx.y * STRIP, last = min(height / 2, first + STRIP);
  int even = x[(size_t)2 * first * pitch];
  // The high sample before the first; above the image it is the mirrored one below.
  const int odd_before = x[(size_t)abs(2 * first - 1) * pitch], even_before = x[(size_t)abs(2 * first - 2) * pitch];
  int before = odd_before - ((even_before + even) >> 1);
#pragma unroll 4
  for (int k = first; k < last; ++k) {
    const int odd = x[(size_t)(2 * k + 1) * pitch];
    const int next = 2 * k + 2 < height ? x[(size_t)(2 * k + 2) * pitch] : even;
    const int high = odd - ((even + next) >> 1);
    y[(size_t)k * pitch] = even + ((before + high + 2) >> 2);
    y[(size_t)(height / 2 + k) * pitch] = high;
    before = high;
    even = next;
  }
}
