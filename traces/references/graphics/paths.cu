// Paths of light between spheres, in single precision step by step: with walls that are spheres of radius 100000 it leaves two
// digits of a place, and from there on paths are others. So this file repeats the arithmetic of the kernel under test, nothing
// else of it; products that are added without a rounding of their own are written as such.
//
// No fused multiply-add but those.

/// Scalar and vector products, and vectors of length 1.
static __device__ float dot(const float* a, const float* b) {
  return fmaf(a[2], b[2], fmaf(a[0], b[0], a[1] * b[1]));
}

static __device__ void cross(const float* a, const float* b, float* r) {
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    r[k] = fmaf(a[i], b[j], -(a[j] * b[i]));
  }
}

static __device__ void make_unit(float* a) {
  const float factor = rsqrtf(dot(a, a));
  for (int k = 0; k < 3; ++k) a[k] *= factor;
}

/// The next number from 0 to 1 of a xorshift generator.
static __device__ float draw(unsigned int* state) {
  unsigned int x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return (float)(x / 256) / 16777216;
}

/// The nearest of `n` spheres in direction d, or -1. A sphere is twelve numbers: middle and radius, emission and kind, colour.
static __device__ int nearest_sphere(const float* spheres, int n, const float* from, const float* d, float* distance) {
  int nearest = -1;
  for (int i = 0; i < n; ++i) {
    float to[3];
    for (int k = 0; k < 3; ++k) to[k] = spheres[12 * i + k] - from[k];
    const float middle = dot(d, to), radius = spheres[12 * i + 3];
    const float square = fmaf(radius, radius, fmaf(middle, middle, -dot(to, to)));
    if (square < 0) continue;
    const float half = sqrtf(square);
    const float t = middle - half > 0.01f ? middle - half : middle + half;
    if (t <= 0.01f || (nearest >= 0 && t >= *distance)) continue;
    nearest = i;
    *distance = t;
  }
  return nearest;
}

/// A direction from a matt surface, with the cosine as its density.
static __device__ void scatter(const float* normal, unsigned int* state, bool along_y, float* d) {
  const float angle = 6.2831853f * draw(state), square = draw(state), radius = sqrtf(square),
              height = sqrtf(1 - square);
  const float axis[3] = {along_y ? 0.0f : 1.0f, along_y ? 1.0f : 0.0f, 0};
  float u[3], v[3];
  cross(axis, normal, u);
  make_unit(u);
  cross(normal, u, v);
  const float right = radius * __cosf(angle), up = radius * __sinf(angle);
  for (int k = 0; k < 3; ++k) d[k] = fmaf(normal[k], height, fmaf(u[k], right, up * v[k]));
  make_unit(d);
}

/// A direction from glass or through it. Returns how it goes on: 0, all of the light is reflected; 1, reflected; -1, through.
static __device__ int refract(const float* outward, const float* facing, const float* mirrored, unsigned int* state,
                              float* d) {
  const bool enters = dot(outward, facing) > 0;
  const float ratio = enters ? 1 / 1.5f : 1.5f, cosine = dot(d, facing);
  const float square = fmaf(-(ratio * ratio), fmaf(-cosine, cosine, 1), 1);
  if (square >= 0) {
    float through[3];
    const float factor = fmaf(cosine, ratio, sqrtf(square));
    for (int k = 0; k < 3; ++k) through[k] = fmaf(d[k], ratio, -(facing[k] * factor));
    make_unit(through);
    const float c = 1 - (enters ? -cosine : dot(outward, through));
    if (draw(state) >= fmaf(c, c * (c * (c * (c * 0.96f))), 0.04f)) {
      for (int k = 0; k < 3; ++k) d[k] = through[k];
      return -1;
    }
  }
  for (int k = 0; k < 3; ++k) d[k] = mirrored[k];
  return square >= 0;
}

/// What comes back along a path from `from` in direction d, both of which change.
static __device__ void follow(const float* spheres, int n, int most, unsigned int* state, float* from, float* d,
                              float* light) {
  float passed[3] = {1, 1, 1};
  for (int bounce = 0; bounce < most; ++bounce) {
    float distance = 0;
    const int number = nearest_sphere(spheres, n, from, d, &distance);
    if (number < 0) return;
    const float* sphere = spheres + 12 * number;
    float place[3], outward[3], facing[3], mirrored[3], colour[3];
    for (int k = 0; k < 3; ++k) {
      place[k] = fmaf(d[k], distance, from[k]);
      outward[k] = place[k] - sphere[k];
      light[k] = fmaf(passed[k], sphere[4 + k], light[k]);
      colour[k] = sphere[8 + k];
    }
    if (bounce >= 3) {  // Some paths end, the others count more.
      const float survival = fmaxf(colour[0], fmaxf(colour[1], colour[2]));
      if (draw(state) >= survival) return;
      for (int k = 0; k < 3; ++k) colour[k] *= 1 / survival;
    }
    make_unit(outward);
    const float along = dot(d, outward);
    for (int k = 0; k < 3; ++k) {
      passed[k] *= colour[k];
      facing[k] = along < 0 ? outward[k] : -outward[k];
      mirrored[k] = fmaf(-outward[k], 2 * along, d[k]);
    }
    int side = 0;
    if (sphere[7] == 0)
      scatter(facing, state, fabsf(outward[0]) > 0.1f, d);
    else if (sphere[7] == 2)
      side = refract(outward, facing, mirrored, state, d);
    else
      for (int k = 0; k < 3; ++k) d[k] = mirrored[k];
    for (int k = 0; k < 3; ++k)
      from[k] = side == 0 ? fmaf(facing[k], 0.02f, place[k]) : place[k] + side * (facing[k] * 0.02f);
  }
}

/// Mean light of `samples` paths. A thread for each pixel.
extern "C" __global__ void mean_light(const float* spheres, int n, float* image, int width, int height, int samples,
                                      int most, unsigned int frame) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  unsigned int state = (i * 9781u + frame * 6271u) ^ 61;
  state = (state ^ state >> 16) * 9;
  state = (state ^ state >> 4) * 0x27d4eb2d;
  state = (state ^ state >> 15) | 1;
  float forward[3] = {0, -0.042612f, -1}, up[3], sum[3] = {0, 0, 0};
  const float right[3] = {width * 0.5135f / height, 0, 0};
  make_unit(forward);
  cross(right, forward, up);
  make_unit(up);
  for (int sample = 0; sample < samples; ++sample) {
    const float u = (i % width + draw(&state)) / width - 0.5f, v = (i / width + draw(&state)) / height - 0.5f;
    float d[3], from[3], light[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) d[k] = forward[k] + fmaf(right[k], u, up[k] * 0.5135f * v);
    make_unit(d);
    for (int k = 0; k < 3; ++k) from[k] = fmaf(d[k], 140, k == 0 ? 50.0f : k == 1 ? 52.0f : 295.6f);
    follow(spheres, n, most, &state, from, d, light);
    for (int k = 0; k < 3; ++k) sum[k] = fmaf(light[k], 1.0f / samples, sum[k]);
  }
  for (int k = 0; k < 3; ++k) image[4 * i + k] = sum[k];
  image[4 * i + 3] = 1;
}
