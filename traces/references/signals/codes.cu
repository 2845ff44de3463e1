// Codes of communications: low-density parity-check, Reed-Solomon and turbo codes, scrambling.

/// A layer of min-sum decoding: row `row` of the circulants, `weight` of them in a row. `messages` has a number for
/// each codeword, circulant and row of it. A thread for each row of a circulant of each codeword that is not `done`.
extern "C" __global__ void min_sum_layer(const unsigned short* circulants, int* posterior, int* messages,
                                         const int* done, int row, int rows, int columns, int weight, int lifting,
                                         int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int word = thread / lifting, z = thread % lifting;
  if (word >= count || done[word]) return;
  int values[32], places[32];
  for (int k = 0; k < weight; ++k) {
    const int code = circulants[row * weight + k];
    places[k] = (word * columns + code % 256) * lifting + (z + code / 256) % lifting;
    int value = posterior[places[k]] - messages[((word * rows + row) * weight + k) * lifting + z];
    if (value > 127) value = 127;
    if (value < -127) value = -127;
    values[k] = value;
  }
  for (int k = 0; k < weight; ++k) {
    int size = 127, negative = 0;
    for (int other = 0; other < weight; ++other) {
      if (other == k) continue;
      const int value = values[other];
      if (value < 0) negative = !negative;
      if ((value < 0 ? -value : value) < size) size = value < 0 ? -value : value;
    }
    const int message = (negative ? -1 : 1) * (size * 3 / 4);
    messages[((word * rows + row) * weight + k) * lifting + z] = message;
    posterior[places[k]] = values[k] + message;
  }
}

/// Counts an iteration of each codeword that is not done, and says whether it is now, because all checks hold. A
/// thread for each.
extern "C" __global__ void check_codewords(const unsigned short* circulants, const int* posterior, int* done,
                                           int* iterations, int rows, int columns, int weight, int lifting, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count || done[word]) return;
  ++iterations[word];
  for (int row = 0; row < rows; ++row) {
    for (int z = 0; z < lifting; ++z) {
      int ones = 0;
      for (int k = 0; k < weight; ++k) {
        const int code = circulants[row * weight + k];
        if (posterior[(word * columns + code % 256) * lifting + (z + code / 256) % lifting] < 0) ++ones;
      }
      if (ones % 2 == 1) return;
    }
  }
  done[word] = 1;
}

/// Words whose bits say which of 32 numbers are negative.
extern "C" __global__ void pack_signs(const int* numbers, unsigned int* words, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count) return;
  words[word] = 0;
  for (int i = 0; i < 32; ++i)
    if (numbers[32 * word + i] < 0) words[word] |= 1u << i;
}

/// Product in GF(256), bit by bit.
static inline __device__ int field_product(int a, int b) {
  int product = 0;
  for (int i = 0; i < 8; ++i) {
    if (b >> i & 1) product ^= a;
    a *= 2;
    if (a >= 256) a ^= 0x11d;
  }
  return product;
}

/// Coefficients of the product of x + 2^j for j = 1 ... degree, the highest first. One thread.
extern "C" __global__ void generator_polynomial(unsigned char* coefficients, int degree) {
  int root = 1;
  for (int i = 0; i <= degree; ++i) coefficients[i] = i == 0;
  for (int j = 1; j <= degree; ++j) {
    root = field_product(root, 2);
    for (int i = j; i > 0; --i) coefficients[i] ^= field_product(coefficients[i - 1], root);
  }
}

/// Codewords: messages, and the remainders of their division by the generator polynomial. A thread for each.
extern "C" __global__ void divide_messages(const unsigned char* messages, const unsigned char* generator,
                                           unsigned char* codewords, int data, int checks, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count) return;
  const int length = data + checks;
  unsigned char* codeword = codewords + word * length;
  for (int i = 0; i < length; ++i) codeword[i] = i < data ? messages[word * data + i] : 0;
  for (int i = 0; i < data; ++i) {
    const int quotient = codeword[i];
    for (int j = 0; j <= checks; ++j) codeword[i + j] ^= field_product(generator[j], quotient);
  }
  for (int i = 0; i < data; ++i) codeword[i] = messages[word * data + i];
}

/// How many bytes of a codeword are wrong. A thread for each codeword.
extern "C" __global__ void count_errors(const unsigned char* errors, int* counts, int length, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count) return;
  counts[word] = 0;
  for (int i = 0; i < length; ++i)
    if (errors[word * length + i] != 0) ++counts[word];
}

/// Extrinsic information of a convolutional code with feedback 1 + D^2 + D^3 and parity 1 + D + D^3: the best path
/// with a bit that is one, less the best with a bit that is zero, less what was known of the bit. A thread for each
/// window, which has `metrics` for (window + 1) steps of 8 states.
extern "C" __global__ void best_paths(const signed char* systematic, const signed char* parity, int* metrics,
                                      short* extrinsic, int window, int training, int windows_per_codeword,
                                      int windows) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= windows) return;
  const int first = number * window, last = first + window;
  const int begin = number % windows_per_codeword == 0 ? first : first - training;
  const int end = (number + 1) % windows_per_codeword == 0 ? last : last + training;
  const int impossible = -1000000000;
  int* kept = metrics + number * (window + 1) * 8;
  int now[8], next[8];
  for (int s = 0; s < 8; ++s) now[s] = 0;
  for (int k = begin; k < last; ++k) {
    for (int s = 0; s < 8; ++s) {
      if (k >= first) kept[(k - first) * 8 + s] = now[s];
      next[s] = impossible;
    }
    for (int s = 0; s < 8; ++s) {
      for (int bit = 0; bit < 2; ++bit) {
        const int in = (bit + s / 2 + s) % 2;
        const int check = (in + s / 4 + s) % 2;
        const int value = now[s] + bit * systematic[k] + check * parity[k];
        const int to = in * 4 + s / 2;
        if (value > next[to]) next[to] = value;
      }
    }
    for (int s = 0; s < 8; ++s) now[s] = next[s];
  }
  for (int s = 0; s < 8; ++s) now[s] = 0;
  for (int k = end - 1; k >= first; --k) {
    int best[2] = {impossible, impossible};
    for (int s = 0; s < 8; ++s) {
      next[s] = impossible;
      for (int bit = 0; bit < 2; ++bit) {
        const int in = (bit + s / 2 + s) % 2;
        const int check = (in + s / 4 + s) % 2;
        const int value = now[in * 4 + s / 2] + bit * systematic[k] + check * parity[k];
        if (value > next[s]) next[s] = value;
        if (k < last && kept[(k - first) * 8 + s] + value > best[bit]) best[bit] = kept[(k - first) * 8 + s] + value;
      }
    }
    if (k < last) extrinsic[k] = (short)(best[1] - best[0] - systematic[k]);
    for (int s = 0; s < 8; ++s) now[s] = next[s];
  }
}

/// Bits of codewords with those of a Gold sequence added, bit by bit: the sum of x(n + 31) = x(n + 3) + x(n), which
/// begins with a one and zeros, and y(n + 31) = y(n + 3) + y(n + 2) + y(n + 1) + y(n), which begins with the seed,
/// from bit 1600 on. A thread for each codeword.
extern "C" __global__ void add_gold_sequence(const unsigned int* bits, const unsigned int* seeds,
                                             unsigned int* scrambled, int words, int count) {
  const int codeword = blockIdx.x * blockDim.x + threadIdx.x;
  if (codeword >= count) return;
  unsigned int x = 1, y = seeds[codeword];
  for (int n = 0; n < 1600 + 32 * words; ++n) {
    const int at = codeword * words + (n - 1600) / 32;
    if (n >= 1600) {
      if (n % 32 == 0) scrambled[at] = bits[at];
      scrambled[at] ^= ((x ^ y) & 1) << n % 32;
    }
    x = x / 2 + ((x ^ x >> 3) & 1) * (1u << 30);
    y = y / 2 + ((y ^ y >> 1 ^ y >> 2 ^ y >> 3) & 1) * (1u << 30);
  }
}

/// Bits of polar codes by successive cancellation, one after the other, each from the channel's likelihoods and the
/// bits before it: x(k) is the sum of u(j) over all j whose ones include those of k. `numbers` has 2 * length numbers
/// for each codeword. A thread each.
extern "C" __global__ void cancel_successively(const signed char* channel, const unsigned int* frozen, int* numbers,
                                               unsigned int* decoded, int length, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count) return;
  int *likelihood = numbers + word * 2 * length, *sum = likelihood + length;
  for (int i = 0; i < length / 32; ++i) decoded[word * (length / 32) + i] = 0;
  unsigned int* bits = decoded + word * (length / 32);
  for (int i = 0; i < length; ++i) {
    for (int j = 0; j < length; ++j) likelihood[j] = channel[word * length + j];
    int first = 0;
    for (int size = length / 2; size > 0; size /= 2) {
      const int right = i / size % 2;
      if (right) {
        for (int j = 0; j < size; ++j) sum[j] = bits[(first + j) / 32] >> (first + j) % 32 & 1;
        for (int step = 1; step < size; step *= 2)
          for (int j = 0; j < size; ++j)
            if (j / step % 2 == 0) sum[j] ^= sum[j + step];
        first += size;
      }
      for (int j = 0; j < size; ++j) {
        const int a = likelihood[j], b = likelihood[j + size];
        if (right) {
          likelihood[j] = sum[j] ? b - a : b + a;
        } else {
          int least = a < 0 ? -a : a;
          if (b < least && -b < least) least = b < 0 ? -b : b;
          likelihood[j] = (a < 0) == (b < 0) ? least : -least;
        }
      }
    }
    if (likelihood[0] < 0 && !(frozen[i / 32] >> i % 32 & 1)) bits[i / 32] |= 1u << i % 32;
  }
}

/// Bytes of codewords, that at (f1 i + f2 i^2) mod length at place i, or back. A thread for each codeword.
extern "C" __global__ void permute(const signed char* in, const int* codewords, signed char* out, int inverse,
                                   int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count) return;
  const int first = codewords[4 * word];
  const long long length = codewords[4 * word + 1], f1 = codewords[4 * word + 2], f2 = codewords[4 * word + 3];
  for (long long i = 0; i < length; ++i) {
    const long long place = (f1 + f2 * i) * i % length;
    if (inverse) {
      out[first + place] = in[first + i];
    } else {
      out[first + i] = in[first + place];
    }
  }
}
