// Statistics: clusters, trees, neighbours, selection, moments, drawn numbers.
// No fused multiply-add

#include "../functions.cuh"

/// A round of k-means: the nearest centre of each point, and then, a thread for each coordinate of a centre, means.
extern "C" __global__ void nearest_centres(const double* points, const double* centres, unsigned char* nearest,
                                           int size, int k, int n) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  double best = 0;
  for (int c = 0; c < k; ++c) {
    double distance = 0;
    for (int d = 0; d < size; ++d) {
      const double difference = points[p * size + d] - centres[c * size + d];
      distance += difference * difference;
    }
    if (c > 0 && distance >= best) continue;
    best = distance;
    nearest[p] = c;
  }
}

extern "C" __global__ void means(const double* points, double* centres, const unsigned char* nearest, int size, int k,
                                 int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= k * size) return;
  double sum = 0;
  int count = 0;
  for (int p = 0; p < n; ++p) {
    if (nearest[p] != i / size) continue;
    sum += points[p * size + i % size];
    ++count;
  }
  if (count > 0) centres[i] = sum / count;
}

/// The sum of what all trees say about a row. A thread for each; nodes of a level stand from left to right.
extern "C" __global__ void votes(const float* features, int width, const unsigned char* tested, const float* thresholds,
                                 const short* leaves, int trees, int depth, int rows, int* sums) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  const int inner = (1 << depth) - 1;
  for (int tree = 0; tree < trees; ++tree) {
    int position = 0;
    for (int level = 0; level < depth; ++level) {
      const int node = tree * inner + (1 << level) - 1 + position;
      position *= 2;
      if (!(features[row * width + tested[node]] < thresholds[node])) position += 1;
    }
    sum += leaves[tree * (inner + 1) + position];
  }
  sums[row] = sum;
}

/// Places of the smallest distances by insertion. A thread for each query; coordinates are whole numbers, `ranks` has k + 1
/// elements for each query.
extern "C" __global__ void neighbours(const float* queries, int query_count, const float* points, int count, int k,
                                      long long* ranks, int* found) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= query_count) return;
  long long* rank = ranks + q * (k + 1);
  int kept = 0;
  for (int p = 0; p < count; ++p) {
    const int x = (int)points[3 * p] - (int)queries[3 * q], y = (int)points[3 * p + 1] - (int)queries[3 * q + 1],
              z = (int)points[3 * p + 2] - (int)queries[3 * q + 2];
    // Equal distances in the order of the points.
    const long long own = (long long)(x * x + y * y + z * z) * count + p;
    if (kept == k && own > rank[k - 1]) continue;
    int place = kept;
    for (; place > 0 && rank[place - 1] > own; --place) rank[place] = rank[place - 1];
    rank[place] = own;
    if (kept < k) ++kept;
  }
  for (int i = 0; i < k; ++i) found[q * k + i] = i < kept ? rank[i] % count : -1;
}

/// The k-th largest value of a row, by halving the range of values until one is left; then those as large. A thread for each row.
extern "C" __global__ void select(const float* values, int length, int k, float* limits, unsigned char* selected,
                                  int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* v = values + row * length;
  double low = -1e9, high = 1e9;
  while (true) {
    // At least k values are as large as `low`, fewer are as large as `high`.
    double smallest = high, largest = low;
    for (int i = 0; i < length; ++i) {
      if (v[i] >= low && v[i] < high && v[i] < smallest) smallest = v[i];
      if (v[i] >= low && v[i] < high && v[i] > largest) largest = v[i];
    }
    if (smallest >= largest) {
      low = smallest;
      break;
    }
    const double middle = smallest + (largest - smallest) / 2;
    const double pivot = middle > smallest ? middle : largest;
    int count = 0;
    for (int i = 0; i < length; ++i) count += v[i] >= pivot;
    if (count >= k)
      low = pivot;
    else
      high = pivot;
  }
  limits[row] = low;
  for (int i = 0; i < length; ++i) selected[row * length + i] = v[i] >= low;
}

/// Central moments of columns by two passes. A thread for each column.
extern "C" __global__ void moments(const float* values, int rows, int columns, double* results) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  double mean = 0, squares = 0, cubes = 0, fourths = 0;
  for (int r = 0; r < rows; ++r) mean += values[r * columns + c];
  mean /= rows;
  for (int r = 0; r < rows; ++r) {
    const double d = values[r * columns + c] - mean;
    squares += d * d / rows;
    cubes += d * d * d / rows;
    fourths += d * d * d * d / rows;
  }
  results[4 * c] = mean;
  results[4 * c + 1] = squares;
  results[4 * c + 2] = cubes / sqrt(squares * squares * squares);
  results[4 * c + 3] = fourths / (squares * squares) - 3;
}

/// The Mersenne twister as a sequence: each number from those 624, 623 and 227 before it. A thread for each stream; `state` has
/// (rounds + 1) * 624 words for each.
extern "C" __global__ void twister(unsigned int seed, unsigned int* state, unsigned int* numbers, int rounds,
                                   int streams) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  unsigned int* x = state + s * (rounds + 1) * 624;
  x[0] = seed + s;
  for (int i = 1; i < 624; ++i) x[i] = 1812433253 * (x[i - 1] ^ x[i - 1] / 0x40000000) + i;
  for (int i = 624; i < 624 * (rounds + 1); ++i) {
    unsigned int joined = x[i - 624] / 0x80000000 * 0x80000000 + x[i - 623] % 0x80000000;
    x[i] = x[i - 227] ^ joined / 2;
    if (joined % 2 == 1) x[i] ^= 0x9908b0df;
    unsigned int y = x[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >> 18;
    numbers[s * rounds * 624 + i - 624] = y;
  }
}

struct Market {
  float price, strike, drift, volatility;
};

static __device__ unsigned int high_word(unsigned int a, unsigned int b) {
  return (unsigned long long)a * b >> 32;
}

/// What each path pays. A thread for each path.
extern "C" __global__ void paths(Market market, int steps, unsigned int seed, double* paid, int n) {
  const int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= n) return;
  double sum = 0, logarithm = 0;
  for (int step = 0; step < steps; step += 4) {
    unsigned int c[4] = {(unsigned int)path, (unsigned int)step, 0, 0}, keys[2] = {seed, 0x12345678};
    for (int round = 0; round < 10; ++round) {
      const unsigned int next[4] = {high_word(3449720151u, c[2]) ^ c[1] ^ keys[0], 3449720151u * c[2],
                                    high_word(3528531795u, c[0]) ^ c[3] ^ keys[1], 3528531795u * c[0]};
      for (int i = 0; i < 4; ++i) c[i] = next[i];
      keys[0] += 2654435769u;
      keys[1] += 3144134277u;
    }
    for (int i = 0; i < 4; ++i) {
      const double u = (c[i / 2 * 2] / 256 + 0.5) / 16777216, turns = c[i / 2 * 2 + 1] / 256 / 16777216.0;
      const double draw = sqrt(-2 * log(u)) * (i % 2 == 0 ? cosine_of_turns(turns) : sine_of_turns(turns));
      logarithm += market.drift + (double)market.volatility * draw;
      sum += market.price * exponential(logarithm);
    }
  }
  paid[path] = sum / steps > market.strike ? sum / steps - market.strike : 0;
}

/// A thread for each sum.
extern "C" __global__ void sums_of(const double* paid, float* sums, int each, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < each; ++k) sum += paid[i * each + k];
  sums[i] = sum;
}
