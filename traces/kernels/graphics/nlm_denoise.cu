// Non local means: each pixel becomes the mean of a window of 11x11, weighted by the likeness of blocks of 5x5; the picture's
// part is in shared memory.
#define WINDOW 5
#define BLOCK 2
#define TILE 16
#define HALO (WINDOW + BLOCK)
#define SIDE (TILE + 2 * HALO)

/// A pixel for each thread.
extern "C" __global__ void nlm(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int width,
                               int height, float noise, float lerp_c) {
  __shared__ float tile[SIDE][SIDE];
  const int x0 = blockIdx.x * TILE - HALO, y0 = blockIdx.y * TILE - HALO;
  for (int i = threadIdx.y * TILE + threadIdx.x; i < SIDE * SIDE; i += TILE * TILE) {
    const int x = min(max(x0 + i % SIDE, 0), width - 1), y = min(max(y0 + i / SIDE, 0), height - 1);
    tile[i / SIDE][i % SIDE] = in[y * width + x] / 255.0f;
  }
  __syncthreads();
  const int cx = threadIdx.x + HALO, cy = threadIdx.y + HALO;
  float sum = 0, weights = 0, counted = 0;
  for (int i = -WINDOW; i <= WINDOW; ++i)
    for (int j = -WINDOW; j <= WINDOW; ++j) {
      float d = 0;
#pragma unroll
      for (int n = -BLOCK; n <= BLOCK; ++n)
#pragma unroll
        for (int m = -BLOCK; m <= BLOCK; ++m) {
          const float e = tile[cy + i + n][cx + j + m] - tile[cy + n][cx + m];
          d += e * e;
        }
      const float w = __expf(-(d * noise + (i * i + j * j) / (float)((2 * WINDOW + 1) * (2 * WINDOW + 1))));
      sum += tile[cy + i][cx + j] * w;
      weights += w;
      counted += w > 0.02f ? 1.0f / ((2 * WINDOW + 1) * (2 * WINDOW + 1)) : 0;
    }
  sum /= weights;
  const float q = counted > 0.2f ? lerp_c : 1.0f - lerp_c;
  sum += (tile[cy][cx] - sum) * q;
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = (unsigned char)(sum * 255.0f + 0.5f);
}
