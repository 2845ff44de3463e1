// Areas that polygons have in common, planes near points, histograms of distances.
// No fused multiply-add

/// The sum of the cross products of the ends of those parts of the edges of one polygon that lie inside another one.
static inline __device__ double edges_inside(const float* one, const float* other, int corners) {
  double sum = 0;
  for (int k = 0; k < corners; ++k) {
    const double px = one[2 * k], py = one[2 * k + 1];
    const double qx = one[2 * ((k + 1) % corners)], qy = one[2 * ((k + 1) % corners) + 1];
    double begin = 0, end = 1;
    for (int m = 0; m < corners; ++m) {
      const double ax = other[2 * m], ay = other[2 * m + 1];
      const double bx = other[2 * ((m + 1) % corners)], by = other[2 * ((m + 1) % corners) + 1];
      const double at_p = (bx - ax) * (py - ay) - (by - ay) * (px - ax);
      const double at_q = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax);
      if (at_p < 0 && at_q < 0) {
        end = -1;
      } else if (at_p < 0) {
        const double t = at_p / (at_p - at_q);
        if (t > begin) begin = t;
      } else if (at_q < 0) {
        const double t = at_p / (at_p - at_q);
        if (t < end) end = t;
      }
    }
    if (begin >= end) continue;
    const double ux = px + begin * (qx - px), uy = py + begin * (qy - py);
    const double vx = px + end * (qx - px), vy = py + end * (qy - py);
    sum += ux * vy - uy * vx;
  }
  return sum;
}

/// Common areas by Green's theorem: the outline of what is common consists of the edges of each polygon inside the
/// other one. A thread for each pair.
extern "C" __global__ void common_areas(const float* polygons, const int* pairs, float* areas, int corners, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float *one = polygons + 2 * corners * pairs[2 * i], *two = polygons + 2 * corners * pairs[2 * i + 1];
  areas[i] = 0.5 * (edges_inside(one, two, corners) + (one == two ? 0 : edges_inside(two, one, corners)));
}

static inline __device__ unsigned scrambled(unsigned v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  v ^= v >> 16;
  return v;
}

/// The plane through three points, whose numbers are drawn.
struct Plane {
  const float* corner[3];
  double normal[3], square = 0;

  __device__ Plane(const float* points, int n, unsigned seed, int plane) {
    for (int k = 0; k < 3; ++k) corner[k] = points + 4 * (scrambled(seed + 3 * plane + k) % (unsigned)n);
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      normal[k] = ((double)corner[1][a] - corner[0][a]) * ((double)corner[2][b] - corner[0][b]) -
                  ((double)corner[1][b] - corner[0][b]) * ((double)corner[2][a] - corner[0][a]);
      square += normal[k] * normal[k];
    }
  }
  __device__ bool is_near(const float* point, double tolerance) const {
    double along = 0;
    for (int k = 0; k < 3; ++k) along += normal[k] * ((double)point[k] - corner[0][k]);
    return along * along <= tolerance * tolerance * square;
  }
};

/// How many points are near a plane through three of them, whose numbers are drawn. A thread for each plane.
extern "C" __global__ void points_near_planes(const float* points, int* counts, int n, unsigned seed, double tolerance,
                                              int planes) {
  const int plane = blockIdx.x * blockDim.x + threadIdx.x;
  if (plane >= planes) return;
  const Plane drawn(points, n, seed, plane);
  int count = 0;
  for (int i = 0; drawn.square > 1e-12 && i < n; ++i) count += drawn.is_near(points + 4 * i, tolerance);
  counts[plane] = count;
}

/// The first plane with the most points, and how many it has. One thread.
extern "C" __global__ void best_plane(const int* counts, int* best, int planes) {
  best[0] = 0;
  best[1] = counts[0];
  for (int k = 1; k < planes; ++k)
    if (counts[k] > best[1]) {
      best[0] = k;
      best[1] = counts[k];
    }
}

/// Bits of the points near a plane. A thread for each 32 points.
extern "C" __global__ void bits_near_plane(const float* points, const int* best, unsigned* near, int n, unsigned seed,
                                           double tolerance) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (32 * w >= n) return;
  const Plane drawn(points, n, seed, best[0]);
  unsigned word = 0;
  for (int i = 32 * w; i < 32 * w + 32 && i < n; ++i)
    if (drawn.is_near(points + 4 * i, tolerance)) word |= 1u << i % 32;
  near[w] = word;
}

/// Histograms of the distances of drawn pairs of points, `parts` for each model. A thread for each part, which has
/// the pairs that `threads / parts` threads would draw; their generators begin with the multiples of a constant.
extern "C" __global__ void drawn_distances(const short* points, unsigned* histograms, int per_model, int samples,
                                           int width, int bins, int parts, int threads, int models) {
  const int part = blockIdx.x * blockDim.x + threadIdx.x;
  if (part >= parts * models) return;
  const short* model = points + 4ll * (part / parts) * per_model;
  for (int k = 0; k < threads / parts; ++k) {
    unsigned long long state = (part * (threads / parts) + k + 1) * 2654435761ull & 0xffffffff;
    for (int sample = 0; sample < samples; ++sample) {
      int chosen[2];
      for (int end = 0; end < 2; ++end) {
        state = (state ^ state << 13) & 0xffffffff;
        state ^= state >> 17;
        state = (state ^ state << 5) & 0xffffffff;
        chosen[end] = (int)(state * per_model >> 32);
      }
      double square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double difference = model[4 * chosen[0] + axis] - model[4 * chosen[1] + axis];
        square += difference * difference;
      }
      const int bin = (int)sqrt(square) / width;
      ++histograms[(long long)part * bins + (bin < bins ? bin : bins - 1)];
    }
  }
}

/// The sums of the parts of each model. A thread for each bin of each model.
extern "C" __global__ void sums_of_parts(const unsigned* parts_histograms, unsigned* histograms, int bins, int parts,
                                         int models) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bins * models) return;
  unsigned sum = 0;
  for (int part = 0; part < parts; ++part) sum += parts_histograms[(i / bins * parts + part) * bins + i % bins];
  histograms[i] = sum;
}
