// Texts: how often a pattern occurs, the numbers in a list, samples in Rice codes; alignment of proteins.

/// Occurrences that begin in each part of the text, and the first of them. A thread for each part.
extern "C" __global__ void occurrences(const char* text, int length, const char* pattern, int size, int part,
                                       unsigned int* matches, unsigned int* first, int parts) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= parts) return;
  unsigned int count = 0, earliest = 0xffffffff;
  for (int place = p * part; place < (p + 1) * part && place + size <= length; ++place) {
    int same = 0;
    while (same < size && text[place + same] == pattern[same]) ++same;
    if (same < size) continue;
    if (count++ == 0) earliest = place;
  }
  matches[p] = count;
  first[p] = earliest;
}

/// One thread.
extern "C" __global__ void read_numbers(const char* text, int length, int* numbers) {
  int field = 0, value = 0, sign = 1;
  for (int i = 0; i < length; ++i) {
    if (text[i] == ',') {
      numbers[field++] = sign * value;
      value = 0;
      sign = 1;
    } else if (text[i] == '-') {
      sign = -1;
    } else if (text[i] != ' ') {
      value = 10 * value + (text[i] - '0');
    }
  }
}

static __device__ int next_bit(const unsigned int* words, unsigned int& position) {
  const unsigned int i = position++;
  return words[i / 32] >> (31 - i % 32) & 1;
}

/// Bit by bit, a thread for each block of samples.
extern "C" __global__ void read_samples(const unsigned int* words, unsigned int block_words, int blocks, int length,
                                        short* samples) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  unsigned int position = b * block_words * 32;
  int low_bits = 0;
  for (int i = 0; i < 4; ++i) low_bits = 2 * low_bits + next_bit(words, position);
  low_bits %= 7;
  int value = 0, slope = 0;
  for (int i = 0; i < length; ++i) {
    int code = 0;
    while (!next_bit(words, position)) ++code;
    for (int k = 0; k < low_bits; ++k) code = 2 * code + next_bit(words, position);
    const int residual = code % 2 == 0 ? code / 2 : -(code + 1) / 2;
    slope += residual;
    value += slope;
    samples[b * length + i] = value;
  }
}

/// The best local alignment with affine gaps, three tables reduced to one row each. A thread for each pair; `rows` has
/// 2 (n + 1) elements for each.
extern "C" __global__ void local_alignment(const unsigned char* queries, int m, const unsigned char* targets, int n,
                                           const signed char* similarity, int letters, int open, int extend, int pairs,
                                           int* rows, int* scores) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  int *h = rows + p * 2 * (n + 1), *f = h + n + 1, best = 0;
  for (int j = 0; j <= n; ++j) h[j] = 0, f[j] = -1000000;
  for (int i = 1; i <= m; ++i) {
    int corner = 0, e = -1000000;
    for (int j = 1; j <= n; ++j) {
      const int match = corner + similarity[queries[p * m + i - 1] * letters + targets[p * n + j - 1]];
      corner = h[j];
      e = e - extend > h[j - 1] - open ? e - extend : h[j - 1] - open;
      f[j] = f[j] - extend > h[j] - open ? f[j] - extend : h[j] - open;
      int score = match > 0 ? match : 0;
      if (e > score) score = e;
      if (f[j] > score) score = f[j];
      h[j] = score;
      if (score > best) best = score;
    }
  }
  scores[p] = best;
}
