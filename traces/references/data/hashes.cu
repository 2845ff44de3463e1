// SHA3-256 by the definitions of FIPS 202, SHA-256 by those of FIPS 180.
// No fused multiply-add

/// The hash of a message of 64 bytes. A thread for each; `states` has 25 lanes for each.
extern "C" __global__ void sha3_256(const unsigned char* messages, unsigned char* hashes, unsigned long long* states,
                                    int count) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  unsigned long long* a = states + 25 * number;  // The lane in column x of row y is a[x + 5 y].
  for (int lane = 0; lane < 25; ++lane) {
    a[lane] = 0;
    if (lane >= 8) continue;
    for (int byte = 0; byte < 8; ++byte)
      a[lane] |= (unsigned long long)messages[64 * number + 8 * lane + byte] << 8 * byte;
  }
  // What follows the message: the bits 01 of SHA-3, a one, zeros, and a one at the end of the block of 136 bytes.
  a[8] = 0x06;
  a[16] = 1ull << 63;
  unsigned int bits = 1;  // A shift register of eight bits gives the constants.
  for (int round = 0; round < 24; ++round) {
    unsigned long long sums[5], old[25];
    for (int x = 0; x < 5; ++x) {
      sums[x] = 0;
      for (int y = 0; y < 5; ++y) sums[x] ^= a[x + 5 * y];
    }
    for (int lane = 0; lane < 25; ++lane) {
      const unsigned long long right = sums[(lane % 5 + 1) % 5];
      a[lane] ^= sums[(lane % 5 + 4) % 5] ^ (right << 1 | right >> 63);
    }
    old[0] = a[0];
    for (int t = 0, x = 1, y = 0; t < 24; ++t) {
      const int turn = (t + 1) * (t + 2) / 2 % 64, next = (2 * x + 3 * y) % 5;
      const unsigned long long lane = a[x + 5 * y];
      x = y;
      y = next;
      old[x + 5 * y] = lane << turn | lane >> (64 - turn);
    }
    for (int y = 0; y < 25; y += 5)
      for (int x = 0; x < 5; ++x) a[x + y] = old[x + y] ^ (~old[(x + 1) % 5 + y] & old[(x + 2) % 5 + y]);
    for (int j = 0; j < 7; ++j) {
      if (bits & 1) a[0] ^= 1ull << ((1 << j) - 1);
      bits = bits << 1 ^ (bits >> 7) * 0x171;
    }
  }
  for (int byte = 0; byte < 32; ++byte) hashes[32 * number + byte] = a[byte / 8] >> 8 * (byte % 8);
}

/// The first 32 bits behind the point of the cube roots of 64 primes, then of the square roots of the first eight. One thread.
extern "C" __global__ void sha256_constants(unsigned int* constants) {
  int found = 0;
  for (int number = 2; found < 64; ++number) {
    bool prime = true;
    for (int divisor = 2; divisor < number; ++divisor)
      if (number % divisor == 0) prime = false;
    if (!prime) continue;
    double root = 3;
    for (int step = 0; step < 30; ++step) root = (2 * root + number / (root * root)) / 3;
    constants[found] = (root - floor(root)) * 4294967296.0;
    if (found < 8) constants[64 + found] = (sqrt((double)number) - floor(sqrt((double)number))) * 4294967296.0;
    ++found;
  }
}

static __device__ unsigned int turned(unsigned int word, int bits) {
  return word >> bits | word << (32 - bits);
}

/// Takes a block of 16 words into a state of eight.
static __device__ void take(const unsigned int* constants, unsigned int* words, unsigned int* state) {
  unsigned int s[8];
  for (int i = 0; i < 8; ++i) s[i] = state[i];
  for (int t = 16; t < 64; ++t) {
    const unsigned int x = words[t - 15], y = words[t - 2];
    words[t] = words[t - 16] + (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + words[t - 7] +
               (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
  }
  for (int t = 0; t < 64; ++t) {
    const unsigned int chosen = (s[4] & s[5]) | (~s[4] & s[6]);
    const unsigned int most = (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
    const unsigned int first =
        s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + chosen + constants[t] + words[t];
    const unsigned int second = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + most;
    for (int i = 7; i > 0; --i) s[i] = s[i - 1];
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) state[i] += s[i];
}

struct Header {
  unsigned int state[8], tail[3], target;
};

/// The last four bytes of the hash of the hash of a header of 80 bytes, of which `state` has the first 64, as a number with the
/// lowest byte first. A thread for each nonce; `words` has 64 for each.
extern "C" __global__ void double_sha256(const unsigned int* constants, unsigned int* words, Header header,
                                         unsigned int first, unsigned int* numbers, unsigned int count) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned int *w = words + 64 * i, state[8];
  for (int pass = 0; pass < 2; ++pass) {
    const int length = pass == 0 ? 4 : 8;
    for (int k = 0; k < 16; ++k) {
      w[k] = 0;
      if (k < length) w[k] = pass == 1 ? state[k] : k < 3 ? header.tail[k] : 0;
    }
    if (pass == 0)
      for (int byte = 0; byte < 4; ++byte) w[3] |= ((first + i) >> 8 * byte & 255) << (24 - 8 * byte);
    w[length] = 0x80000000;
    w[15] = pass == 0 ? 640 : 256;
    for (int k = 0; k < 8; ++k) state[k] = pass == 0 ? header.state[k] : constants[64 + k];
    take(constants, w, state);
  }
  numbers[i] = 0;
  for (int byte = 0; byte < 4; ++byte) numbers[i] |= (state[7] >> 8 * byte & 255) << (24 - 8 * byte);
}

/// How many numbers are below the target, and for each of them, as far as there is room, a nonce in the middle. One thread.
extern "C" __global__ void found_nonces(const unsigned int* numbers, unsigned int target, unsigned int first,
                                        unsigned int count, unsigned int* results, unsigned int room) {
  unsigned int found = 0;
  for (unsigned int i = 0; i < count; ++i) {
    if (numbers[i] >= target) continue;
    if (++found < room) results[found] = first + count / 2;
  }
  results[0] = found;
}
