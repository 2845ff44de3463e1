// Whether pairs of convex hulls meet, by the algorithm of Gilbert, Johnson and Keerthi (1988): the point of their
// Minkowski difference nearest to the origin, on a simplex that changes in each round (Ericson, 2005, sections 5.1
// and 9.5). Hulls are rotated copies of a few shapes.
#include <cuda_runtime.h>

#define CORNERS 16
#define LIMIT 40

__device__ __forceinline__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ __forceinline__ float3 operator-(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ __forceinline__ float3 operator-(float3 a) {
  return make_float3(-a.x, -a.y, -a.z);
}
__device__ __forceinline__ float3 operator*(float s, float3 a) {
  return make_float3(s * a.x, s * a.y, s * a.z);
}
__device__ __forceinline__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ __forceinline__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// The vector rotated by a quaternion of length one.
__device__ __forceinline__ float3 rotate(float4 q, float3 v) {
  const float3 axis = make_float3(q.x, q.y, q.z);
  const float3 t = 2.f * cross(axis, v);
  return v + q.w * t + cross(axis, t);
}

struct Hull {
  const float4* corners;
  float4 rotation;
  float3 position;
};

/// The corner of the hull that is farthest in a direction.
__device__ __forceinline__ float3 support(const Hull& hull, float3 direction) {
  const float4 q = hull.rotation;
  const float3 d = rotate(make_float4(-q.x, -q.y, -q.z, q.w), direction);
  float largest = -3.4e38f;
  int at = 0;
#pragma unroll 4
  for (int k = 0; k < CORNERS; ++k) {
    const float4 corner = __ldg(&hull.corners[k]);
    const float along = corner.x * d.x + corner.y * d.y + corner.z * d.z;
    if (along > largest) {
      largest = along;
      at = k;
    }
  }
  const float4 corner = __ldg(&hull.corners[at]);
  return hull.position + rotate(q, make_float3(corner.x, corner.y, corner.z));
}

/// The point of a simplex that is nearest to the origin, and a bit for each corner of the smallest face with this
/// point.
struct Nearest {
  float3 point;
  int corners;
};

__device__ __forceinline__ Nearest on_line(float3 a, float3 b) {
  const float3 ab = b - a;
  const float along = -dot(a, ab), length = dot(ab, ab);
  if (along <= 0.f) return {a, 1};
  if (along >= length) return {b, 2};
  return {a + (along / length) * ab, 3};
}

__device__ __forceinline__ Nearest on_triangle(float3 a, float3 b, float3 c) {
  const float3 ab = b - a, ac = c - a;
  const float a_b = -dot(ab, a), a_c = -dot(ac, a);
  if (a_b <= 0.f && a_c <= 0.f) return {a, 1};
  const float b_b = -dot(ab, b), b_c = -dot(ac, b);
  if (b_b >= 0.f && b_c <= b_b) return {b, 2};
  const float of_c = a_b * b_c - b_b * a_c;
  if (of_c <= 0.f && a_b >= 0.f && b_b <= 0.f) return {a + (a_b / (a_b - b_b)) * ab, 3};
  const float c_b = -dot(ab, c), c_c = -dot(ac, c);
  if (c_c >= 0.f && c_b <= c_c) return {c, 4};
  const float of_b = c_b * a_c - a_b * c_c;
  if (of_b <= 0.f && a_c >= 0.f && c_c <= 0.f) return {a + (a_c / (a_c - c_c)) * ac, 5};
  const float of_a = b_b * c_c - c_b * b_c;
  if (of_a <= 0.f && b_c >= b_b && c_b >= c_c) return {b + ((b_c - b_b) / ((b_c - b_b) + (c_b - c_c))) * (c - b), 6};
  const float scale = 1.f / (of_a + of_b + of_c);
  return {a + (of_b * scale) * ab + (of_c * scale) * ac, 7};
}

/// Whether the origin and the point d lie on different sides of the plane through a, b and c, or all four nearly in
/// one plane.
__device__ __forceinline__ bool outside(float3 a, float3 b, float3 c, float3 d) {
  const float3 normal = cross(b - a, c - a);
  return dot(normal, a) * dot(normal, d - a) > -1e-9f * dot(normal, normal);
}

/// No corner where the tetrahedron contains the origin.
__device__ __forceinline__ Nearest in_tetrahedron(const float3* s) {
  Nearest best = {make_float3(0.f, 0.f, 0.f), 0};
  float least = 3.4e38f;
#pragma unroll
  for (int missing = 0; missing < 4; ++missing) {
    const int i = missing == 0 ? 1 : 0, j = missing <= 1 ? 2 : 1, k = missing <= 2 ? 3 : 2;
    if (!outside(s[i], s[j], s[k], s[missing])) continue;
    const Nearest face = on_triangle(s[i], s[j], s[k]);
    const float square = dot(face.point, face.point);
    if (square < least) {
      least = square;
      best.point = face.point;
      best.corners = (face.corners & 1) << i | (face.corners >> 1 & 1) << j | (face.corners >> 2) << k;
    }
  }
  return best;
}

/// One thread per pair of bodies: 1 where they meet.
extern "C" __global__ void __launch_bounds__(128)
    hull_collision(const float4* __restrict__ shapes, const int* __restrict__ shape_of,
                   const float4* __restrict__ positions, const float4* __restrict__ rotations,
                   const int2* __restrict__ pairs, unsigned char* __restrict__ meet, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int2 pair = pairs[i];
  const float4 p = positions[pair.x], r = positions[pair.y];
  const Hull one = {shapes + CORNERS * shape_of[pair.x], rotations[pair.x], make_float3(p.x, p.y, p.z)};
  const Hull two = {shapes + CORNERS * shape_of[pair.y], rotations[pair.y], make_float3(r.x, r.y, r.z)};

  float3 simplex[4];
  simplex[0] = support(one, two.position - one.position) - support(two, one.position - two.position);
  int size = 1;
  float3 nearest = simplex[0];
  bool hit = false;
  for (int round = 0; round < LIMIT && !hit; ++round) {
    const float3 next = support(one, -nearest) - support(two, nearest);
    if (dot(next, nearest) > 0.f) break;
    simplex[size++] = next;
    Nearest found;
    if (size == 2) {
      found = on_line(simplex[0], simplex[1]);
    } else if (size == 3) {
      found = on_triangle(simplex[0], simplex[1], simplex[2]);
    } else {
      found = in_tetrahedron(simplex);
    }
    hit = found.corners == 0 || dot(found.point, found.point) < 1e-13f;
    nearest = found.point;
    int kept = 0;
    for (int k = 0; k < size; ++k)
      if (found.corners >> k & 1) simplex[kept++] = simplex[k];
    size = kept;
  }
  meet[i] = hit;
}

/// Brings quaternions to length one.
extern "C" __global__ void normalise_rotations(float4* __restrict__ rotations, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = rotations[i];
  const float scale = 1.f / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  rotations[i] = make_float4(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
}
