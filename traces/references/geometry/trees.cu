// Trees over sorted codes, rectangles in windows, nearest points.

/// The key of a leaf: its code and its place.
static inline __device__ unsigned long long key_of(const unsigned* codes, int i) {
  return (unsigned long long)codes[i] << 32 | (unsigned)i;
}

static inline __device__ int highest_bit(unsigned long long v) {
  int bit = -1;
  for (; v != 0; v >>= 1) ++bit;
  return bit;
}

/// The leaves below inner node i: from i on to that side where codes are more alike, as long as they are more alike
/// than to the other side.
static inline __device__ void range_of(const unsigned* codes, int i, int n, int* first, int* last) {
  *first = *last = i;
  if (i == 0) {
    *last = n - 1;
    return;
  }
  const unsigned long long own = key_of(codes, i);
  const int before = highest_bit(own ^ key_of(codes, i - 1)), after = highest_bit(own ^ key_of(codes, i + 1));
  if (after < before) {
    while (*last + 1 < n && (own ^ key_of(codes, *last + 1)) >> before == 0) ++*last;
  } else {
    while (*first > 0 && (own ^ key_of(codes, *first - 1)) >> after == 0) --*first;
  }
}

/// Children of inner nodes: the range is divided behind the last leaf whose key has a zero where the first and last
/// key differ. A thread for each inner node.
extern "C" __global__ void children_of_nodes(const unsigned* codes, int* children, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  int first, last;
  range_of(codes, i, n, &first, &last);
  const int bit = highest_bit(key_of(codes, first) ^ key_of(codes, last));
  int split = first;
  while ((key_of(codes, split + 1) >> bit & 1) == 0) ++split;
  children[2 * i] = split == first ? n - 1 + split : split;
  children[2 * i + 1] = split + 1 == last ? n - 1 + split + 1 : split + 1;
}

/// Boxes of leaves: balls around the places whose coordinates' bits alternate in the codes. A thread for each leaf.
extern "C" __global__ void boxes_of_leaves(const unsigned* codes, const float* radii, float* boxes, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  int place[3] = {0, 0, 0};
  for (int bit = 0; bit < 30; ++bit) place[bit % 3] |= (int)(codes[k] >> bit & 1) << bit / 3;
  for (int axis = 0; axis < 3; ++axis) {
    boxes[8 * (n - 1 + k) + axis] = place[axis] - radii[k];
    boxes[8 * (n - 1 + k) + 4 + axis] = place[axis] + radii[k];
  }
}

/// Boxes of inner nodes, from all of their leaves. A thread for each node.
extern "C" __global__ void boxes_of_nodes(const unsigned* codes, float* boxes, int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n - 1) return;
  int first, last;
  range_of(codes, node, n, &first, &last);
  for (int side = 0; side < 7; ++side) {
    if (side == 3) continue;
    float best = boxes[8 * (n - 1 + first) + side];
    for (int k = first; k <= last; ++k) {
      const float value = boxes[8 * (n - 1 + k) + side];
      if (side < 3 ? value < best : value > best) best = value;
    }
    boxes[8 * node + side] = best;
  }
}

/// Rectangles around entries, 32 of them together. A thread for each.
extern "C" __global__ void around_entries(int* tree, int from, int count, int to) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node * 32 >= count) return;
  for (int side = 0; side < 4; ++side) {
    int best = 0;
    for (int k = node * 32; k < count && k < node * 32 + 32; ++k) {
      const int value = tree[4 * (from + k) + side];
      if (k == node * 32 || (side < 2 ? value < best : value > best)) best = value;
    }
    tree[4 * (to + node) + side] = best;
  }
}

/// Rectangles that meet windows and the sums of their numbers. Rectangle i begins in the cell, 64 units wide, whose
/// coordinates are the even and the odd bits of i, and is at most 100 units wide. A thread for each window.
extern "C" __global__ void in_windows(const int* rectangles, const int* windows, unsigned* found, int columns, int rows,
                                      int queries) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  const int* w = windows + 4 * q;
  unsigned count = 0, sum = 0;
  const int left = w[0] < 100 ? 0 : (w[0] - 100) / 64, top = w[1] < 100 ? 0 : (w[1] - 100) / 64;
  for (int y = top; y < rows && y * 64 <= w[3]; ++y)
    for (int x = left; x < columns && x * 64 <= w[2]; ++x) {
      int i = 0;
      for (int bit = 0; bit < 9; ++bit) i |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
      const int* r = rectangles + 4 * i;
      if (r[2] < w[0] || r[0] > w[2] || r[3] < w[1] || r[1] > w[3]) continue;
      ++count;
      sum += i;
    }
  found[2 * q] = count;
  found[2 * q + 1] = sum;
}

/// The least squared distance from a query to a point of its cloud. A thread for each query.
extern "C" __global__ void least_squares(const short* clouds, const short* queries, unsigned* squares, int points,
                                         int per_cloud, int n) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= n) return;
  long long least = 1ll << 40;
  for (int k = 0; k < points; ++k) {
    const short* point = clouds + 4 * (q / per_cloud * points + k);
    long long square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int difference = point[axis] - queries[4 * q + axis];
      square += (long long)difference * difference;
    }
    if (square < least) least = square;
  }
  squares[q] = (unsigned)least;
}
