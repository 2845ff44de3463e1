// Groups of a table, keys that are looked up, words of genomes.

/// How many rows have each key, and the sum and the largest of their prices; rows with a status of 230 and more do not count. A group
/// is six words: key, count, sum in two, largest, nothing. The place of a key is 12 bits of its product with 2^32 / 1.618, and each
/// key has one of its own. One thread.
extern "C" __global__ void groups_of(const unsigned int* keys, const unsigned int* prices, const unsigned char* status,
                                     int rows, unsigned int* groups, int places) {
  for (int place = 0; place < places; ++place) {
    groups[6 * place] = 0xffffffff;
    for (int word = 1; word < 6; ++word) groups[6 * place + word] = 0;
  }
  for (int row = 0; row < rows; ++row) {
    if (status[row] >= 230) continue;
    unsigned int* group = groups + 6 * (keys[row] * 2654435769u / 4096 % places);
    group[0] = keys[row];
    ++group[1];
    const unsigned int price = prices[row], sum = group[2] + price;
    group[3] += sum < price ? 1 : 0;
    group[2] = sum;
    if (price > group[4]) group[4] = price;
  }
}

/// How many of the keys that were looked up are there: no key twice, and the number i 7919 mod `period` of it below `inserted`.
/// One thread.
extern "C" __global__ void count_found(unsigned int inserted, unsigned int probed, unsigned int period,
                                       unsigned int* counters) {
  unsigned int found = 0;
  for (unsigned long long i = 0; i < probed; ++i) found += i * 7919 % period < inserted ? 1 : 0;
  counters[0] = 0;
  counters[1] = found;
}

/// Two bits for each of the 21 letters from each place of each read on, the first highest (A 0, C 1, T 2, G 3): of them or of the
/// other strand, A for T, C for G and the last first, what is smaller. A thread for each place.
extern "C" __global__ void words_of_reads(const unsigned char* reads, int length, int count,
                                          unsigned long long* words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, places = length - 20;
  if (i >= count * places) return;
  const unsigned char* letters = reads + i / places * length + i % places;
  unsigned long long here = 0, other = 0;
  for (int k = 0; k < 21; ++k) {
    const unsigned char a = letters[k], b = letters[20 - k];
    here = 4 * here + (a == 'A' ? 0 : a == 'C' ? 1 : a == 'T' ? 2 : 3);
    other = 4 * other + (b == 'T' ? 0 : b == 'G' ? 1 : b == 'A' ? 2 : 3);
  }
  words[i] = here < other ? here : other;
}

/// Merges neighbours of sorted runs. A thread for each two of them.
extern "C" __global__ void merge_runs(const unsigned long long* from, unsigned long long* to, int run, int n) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * run;
  if (begin >= n) return;
  const int middle = min(begin + run, n), end = min(middle + run, n);
  int i = begin, j = middle;
  for (int place = begin; place < end; ++place)
    to[place] = j == end || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
}

/// How many words occur once, twice, ..., from 63 times on together; words are sorted. One thread.
extern "C" __global__ void spectrum_of(const unsigned long long* words, int n, unsigned int* spectrum) {
  for (int first = 0, end = 0; first < n; first = end) {
    while (end < n && words[end] == words[first]) ++end;
    ++spectrum[min(end - first, 63)];
  }
}

/// Which places a table with linear probing fills: 1 there, whatever the order. The hash is the finaliser of MurmurHash3. One thread.
extern "C" __global__ void filled_places(const unsigned long long* words, int n, unsigned int* filled,
                                         unsigned int places) {
  for (int i = 0; i < n; ++i) {
    if (i > 0 && words[i] == words[i - 1]) continue;
    unsigned long long hash = words[i];
    for (int step = 0; step < 3; ++step) {
      hash ^= hash / (1ull << 33);
      if (step < 2) hash *= step == 0 ? 0xff51afd7ed558ccdull : 0xc4ceb9fe1a85ec53ull;
    }
    unsigned int place = hash % places;
    while (filled[place]) place = (place + 1) % places;
    filled[place] = 1;
  }
}

/// Where a place is filled, the middle of what a key or a count there can be. A thread for each place.
extern "C" __global__ void middles(const unsigned int* filled, unsigned long long* keys, unsigned int* counts,
                                   unsigned long long largest_key, unsigned int largest_count, unsigned int places) {
  const unsigned int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= places) return;
  keys[place] = filled[place] ? largest_key / 2 + 1 : 0;
  counts[place] = filled[place] ? largest_count / 2 + 1 : 0;
}
