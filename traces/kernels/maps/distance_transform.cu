// Squared Euclidean distance of each pixel to the nearest pixel of an object, for many small images, by the two scans
// of Meijster, Roerdink and Hesselink (2000): distances in columns, then the lower envelope of the parabolas of a
// row, on two stacks.
#include <cuda_runtime.h>

#define SIDE 256
#define FAR 1000

/// Distances within a column, one thread per column.
extern "C" __global__ void __launch_bounds__(64)
    column_distances(const unsigned char* __restrict__ images, unsigned short* __restrict__ distances, int threshold) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const long long first = (long long)(column / SIDE) * SIDE * SIDE + column % SIDE;
  const unsigned char* image = images + first;
  unsigned short* to = distances + first;
  int distance = FAR;
#pragma unroll 4
  for (int y = 0; y < SIDE; ++y) {
    distance = image[y * SIDE] < threshold ? 0 : min(distance + 1, FAR);
    to[y * SIDE] = distance;
  }
#pragma unroll 4
  for (int y = SIDE - 2; y >= 0; --y) {
    distance = min(distance + 1, (int)to[y * SIDE]);
    to[y * SIDE] = distance;
  }
}

/// Squared distances, one thread per row: where each parabola of the envelope stands and from where on it is the
/// lowest.
extern "C" __global__ void __launch_bounds__(64)
    row_envelopes(const unsigned short* __restrict__ distances, unsigned* __restrict__ squares) {
  short stands[SIDE], begins[SIDE];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short* g = distances + (long long)row * SIDE;
  unsigned* to = squares + (long long)row * SIDE;
  int top = 0;
  stands[0] = 0;
  begins[0] = 0;
  for (int u = 1; u < SIDE; ++u) {
    const int at_u = g[u];
    while (top >= 0) {
      const int x = begins[top] - stands[top], height = g[stands[top]], y = begins[top] - u;
      if (x * x + height * height <= y * y + at_u * at_u) break;
      --top;
    }
    if (top < 0) {
      top = 0;
      stands[0] = u;
      begins[0] = 0;
    } else {
      const int i = stands[top], height = g[i];
      // Rounded down; the numerator is not negative, for the parabola at i is the lower one at begins[top] >= 0.
      const int from = 1 + (u * u - i * i + at_u * at_u - height * height) / (2 * (u - i));
      if (from < SIDE) {
        ++top;
        stands[top] = u;
        begins[top] = from;
      }
    }
  }
  for (int u = SIDE - 1; u >= 0; --u) {
    const int x = u - stands[top], height = g[stands[top]];
    to[u] = x * x + height * height;
    if (u == begins[top]) --top;
  }
}
