// Sorting, merging and intersecting lists.

/// Sorts rows by merging runs of 1, 2, 4, ... keys to and fro. A thread for each row.
extern "C" __global__ void sort_rows(const unsigned long long* keys, unsigned long long* sorted,
                                     unsigned long long* spare, int length, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned long long *from = sorted + row * length, *to = spare + row * length;
  for (int i = 0; i < length; ++i) from[i] = keys[row * length + i];
  for (int run = 1; run < length; run *= 2) {
    for (int begin = 0; begin < length; begin += 2 * run) {
      const int middle = min(begin + run, length), end = min(begin + 2 * run, length);
      int i = begin, j = middle;
      for (int place = begin; place < end; ++place) {
        if (j == end || (i < middle && from[i] <= from[j]))
          to[place] = from[i++];
        else
          to[place] = from[j++];
      }
    }
    unsigned long long* other = from;
    from = to;
    to = other;
  }
  for (int i = 0; i < length; ++i) sorted[row * length + i] = from[i];
}

/// Merges two sorted arrays. A thread for each key of both.
extern "C" __global__ void merge(const int* a, int m, const int* b, int n, int* merged) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m + n) return;
  const int own = i < m ? a[i] : b[i - m];
  const int* other = i < m ? b : a;
  int first = 0, last = i < m ? n : m;
  while (first != last) {
    const int middle = (first + last) / 2;
    const bool before = i < m ? other[middle] < own : other[middle] <= own;
    if (before)
      first = middle + 1;
    else
      last = middle;
  }
  merged[(i < m ? i : i - m) + first] = own;
}

/// What two increasing lists have in common. A thread for each pair of lists.
extern "C" __global__ void common_elements(const unsigned int* a, unsigned int m, const unsigned int* b, unsigned int n,
                                           unsigned int* common, unsigned int* counts, unsigned int pairs) {
  const unsigned int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= pairs) return;
  unsigned int i = 0, j = 0, count = 0;
  while (i < m && j < n) {
    const unsigned int x = a[pair * m + i], y = b[pair * n + j];
    if (x == y) common[pair * m + count++] = x;
    if (x <= y) ++i;
    if (y <= x) ++j;
  }
  counts[pair] = count;
}
