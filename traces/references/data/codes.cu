// Base64, differences of a few bits, lengths of runs.

/// Three bytes are four characters. A thread for each character.
extern "C" __global__ void base64(const unsigned char* bytes, unsigned char* characters, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = 0;
  for (unsigned int bit = 6 * i; bit < 6 * i + 6; ++bit) value = 2 * value + (bytes[bit / 8] >> (7 - bit % 8) & 1);
  if (value < 26)
    characters[i] = 'A' + value;
  else if (value < 52)
    characters[i] = 'a' + value - 26;
  else if (value < 62)
    characters[i] = '0' + value - 52;
  else
    characters[i] = value == 62 ? '+' : '/';
}

/// Sums of differences of a few bits: 0, 1, 2, 3, 4, ... stand for 0, -1, 1, -2, 2, ... A thread for each page of 1024; a page
/// is its first word, the bits of a difference, and what is before the first.
extern "C" __global__ void packed_differences(const unsigned int* pages, const unsigned int* words, int* values,
                                              int count) {
  const int page = blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= count) return;
  const unsigned int width = pages[4 * page + 1];
  unsigned long long at = 32ull * pages[4 * page];
  long long value = (int)pages[4 * page + 2];
  for (int i = 0; i < 1024; ++i) {
    long long code = 0;
    for (unsigned int bit = 0; bit < width; ++bit, ++at) code += (long long)(words[at / 32] >> at % 32 & 1) << bit;
    value += code % 2 == 0 ? code / 2 : -(code + 1) / 2;
    values[1024 * page + i] = value;
  }
}

/// Runs of equal bytes, and in `before` how many begin before each tile. One thread.
extern "C" __global__ void runs(const unsigned char* bytes, int n, int tile, int* before, int* count,
                                unsigned char* symbols, int* starts, int* lengths) {
  int number = 0;
  for (int i = 0; i < n; ++number) {
    const int symbol = bytes[i];
    symbols[number] = symbol;
    starts[number] = i;
    const int start = i;
    for (; i < n && bytes[i] == symbol; ++i)
      if (i % tile == 0) before[i / tile] = i == start ? number : number + 1;
    lengths[number] = i - start;
  }
  *count = number;
}
