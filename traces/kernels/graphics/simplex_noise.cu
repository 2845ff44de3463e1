// Simplex noise in three dimensions, several octaves, for each pixel of a slice of clouds; the permutation table is in
// constant memory.
__constant__ unsigned char perm[512];

__device__ inline float grad(int hash, float x, float y, float z) {
  const int h = hash & 15;
  const float u = h < 8 ? x : y;
  const float v = h < 4 ? y : (h == 12 || h == 14 ? x : z);
  return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}

__device__ inline float corner(int hash, float x, float y, float z) {
  float t = 0.6f - x * x - y * y - z * z;
  if (t < 0) return 0;
  t *= t;
  return t * t * grad(hash, x, y, z);
}

__device__ float simplex3(float x, float y, float z) {
  const float F3 = 1.0f / 3, G3 = 1.0f / 6;
  const float s = (x + y + z) * F3;
  const int i = (int)floorf(x + s), j = (int)floorf(y + s), k = (int)floorf(z + s);
  const float t = (i + j + k) * G3;
  const float x0 = x - (i - t), y0 = y - (j - t), z0 = z - (k - t);
  int i1, j1, k1, i2, j2, k2;
  if (x0 >= y0) {
    if (y0 >= z0) {
      i1 = 1;
      j1 = 0;
      k1 = 0;
      i2 = 1;
      j2 = 1;
      k2 = 0;
    } else if (x0 >= z0) {
      i1 = 1;
      j1 = 0;
      k1 = 0;
      i2 = 1;
      j2 = 0;
      k2 = 1;
    } else {
      i1 = 0;
      j1 = 0;
      k1 = 1;
      i2 = 1;
      j2 = 0;
      k2 = 1;
    }
  } else {
    if (y0 < z0) {
      i1 = 0;
      j1 = 0;
      k1 = 1;
      i2 = 0;
      j2 = 1;
      k2 = 1;
    } else if (x0 < z0) {
      i1 = 0;
      j1 = 1;
      k1 = 0;
      i2 = 0;
      j2 = 1;
      k2 = 1;
    } else {
      i1 = 0;
      j1 = 1;
      k1 = 0;
      i2 = 1;
      j2 = 1;
      k2 = 0;
    }
  }
  const int ii = i & 255, jj = j & 255, kk = k & 255;
  float n = corner(perm[ii + perm[jj + perm[kk]]], x0, y0, z0);
  n += corner(perm[ii + i1 + perm[jj + j1 + perm[kk + k1]]], x0 - i1 + G3, y0 - j1 + G3, z0 - k1 + G3);
  n += corner(perm[ii + i2 + perm[jj + j2 + perm[kk + k2]]], x0 - i2 + 2 * G3, y0 - j2 + 2 * G3, z0 - k2 + 2 * G3);
  n += corner(perm[ii + 1 + perm[jj + 1 + perm[kk + 1]]], x0 - 1 + 3 * G3, y0 - 1 + 3 * G3, z0 - 1 + 3 * G3);
  return 32.0f * n;
}

/// A pixel for each thread, from 0 to 1.
extern "C" __global__ void clouds(float* __restrict__ out, int width, int height, float scale, float time, int octaves,
                                  float persistence) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float sum = 0, amplitude = 1, frequency = scale, norm = 0;
  for (int o = 0; o < octaves; ++o) {
    sum += amplitude * simplex3(px * frequency, py * frequency, time * frequency);
    norm += amplitude;
    amplitude *= persistence;
    frequency *= 2;
  }
  out[py * width + px] = 0.5f + 0.5f * sum / norm;
}
