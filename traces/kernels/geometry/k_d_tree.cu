// Nearest points in many small clouds: a block builds a balanced k-d tree of 255 points in shared memory by sorting
// them by subtree and coordinate, level after level (Wald, 2022, "GPU-friendly, parallel, and (almost-)in-place
// construction of left-balanced k-d trees"), and then searches it without a stack (Wald, 2022, "A stack-free
// traversal algorithm for left-balanced k-d trees").
#include <cuda_runtime.h>

#define LEVELS 8
#define POINTS 255
#define SLOTS 256
#define THREADS 128

/// Squared distances from queries to the nearest points of their clouds. Coordinates are below 2^15.
extern "C" __global__ void __launch_bounds__(THREADS)
    nearest_in_cloud(const short4* __restrict__ clouds, const short4* __restrict__ queries,
                     unsigned* __restrict__ squares, int per_cloud) {
  __shared__ short4 points[SLOTS];
  __shared__ unsigned keys[SLOTS];
  __shared__ short tree[3][SLOTS];

  for (int i = threadIdx.x; i < SLOTS; i += THREADS) {
    // Key: subtree, coordinate, place in the cloud. One slot stays empty and is the last.
    points[i] = i < POINTS ? clouds[blockIdx.x * POINTS + i] : make_short4(0, 0, 0, 0);
    keys[i] = i < POINTS ? i : 0xffffffffu;
  }
  __syncthreads();

  for (int level = 0; level < LEVELS; ++level) {
    // The coordinate of this level.
    const int axis = level % 3;
    for (int i = threadIdx.x; i < SLOTS; i += THREADS) {
      const unsigned key = keys[i];
      if (key != 0xffffffffu) {
        const short4 p = points[key & 255];
        const unsigned along = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
        keys[i] = (key & 0xff0000ffu) | along << 8;
      }
    }
    __syncthreads();
    for (int run = 2; run <= SLOTS; run *= 2) {
      for (int distance = run / 2; distance > 0; distance /= 2) {
        const int i = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
        const unsigned a = keys[i], b = keys[i + distance];
        if ((a > b) == ((i & run) == 0)) {
          keys[i] = b;
          keys[i + distance] = a;
        }
        __syncthreads();
      }
    }
    // Of each subtree the middle point stays; those before and behind it go to its children.
    const int done = (1 << level) - 1, length = (1 << (LEVELS - level)) - 1;
    for (int i = done + threadIdx.x; i < POINTS; i += THREADS) {
      const unsigned key = keys[i];
      const int subtree = key >> 24, middle = done + (subtree - done) * length + length / 2;
      const int next = i == middle ? subtree : 2 * subtree + (i < middle ? 1 : 2);
      keys[i] = (key & 0x00ffffffu) | (unsigned)next << 24;
    }
    __syncthreads();
  }
  // Once more, in the order of the nodes.
  for (int i = threadIdx.x; i < POINTS; i += THREADS) {
    const unsigned key = keys[i];
    const short4 p = points[key & 255];
    tree[0][key >> 24] = p.x;
    tree[1][key >> 24] = p.y;
    tree[2][key >> 24] = p.z;
  }
  __syncthreads();

  for (int q = threadIdx.x; q < per_cloud; q += THREADS) {
    const short4 query = queries[blockIdx.x * per_cloud + q];
    unsigned least = 0xffffffffu;
    int node = 0, from = -1;
    while (node >= 0) {
      const int parent = (node + 1) / 2 - 1;  // -1 of the root
      if (node >= POINTS) {
        from = node;
        node = parent;
        continue;
      }
      const int dx = query.x - tree[0][node], dy = query.y - tree[1][node], dz = query.z - tree[2][node];
      const bool from_child = from >= 2 * node + 1;
      if (!from_child) least = min(least, (unsigned)(dx * dx) + dy * dy + dz * dz);
      const int axis = (31 - __clz(node + 1)) % 3;
      const int across = axis == 0 ? dx : axis == 1 ? dy : dz;
      const int close = 2 * node + (across > 0 ? 2 : 1), distant = 2 * node + (across > 0 ? 1 : 2);
      int next;
      if (!from_child) {
        next = close;
      } else if (from == close) {
        next = (unsigned)(across * across) < least ? distant : parent;
      } else {
        next = parent;
      }
      from = node;
      node = next;
    }
    squares[blockIdx.x * per_cloud + q] = least;
  }
}
