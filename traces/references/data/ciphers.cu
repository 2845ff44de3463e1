// AES-128 in counter mode by the definitions of FIPS 197, byte by byte.

struct Nonce {
  unsigned int high, low;
};

/// The product of two elements of the field of 256 elements.
static __device__ unsigned int product(unsigned int a, unsigned int b) {
  unsigned int sum = 0;
  for (int bit = 0; bit < 8; ++bit) {
    if (b >> bit & 1) sum ^= a;
    a = a << 1 ^ (a >> 7) * 0x11b;
  }
  return sum;
}

/// The substitution box: the inverse in the field, then an affine map of its bits. A thread for each of 256 bytes.
extern "C" __global__ void substitution(unsigned char* box) {
  const unsigned int byte = threadIdx.x;
  unsigned int inverse = 0, mapped = 0;
  for (unsigned int other = 1; other < 256; ++other)
    if (product(byte, other) == 1) inverse = other;
  for (int bit = 0; bit < 8; ++bit) {
    unsigned int sum = 0x63 >> bit;
    for (int k = 4; k <= 8; ++k) sum ^= inverse >> (bit + k) % 8;
    mapped |= (sum & 1) << bit;
  }
  box[byte] = mapped;
}

/// The words of all round keys, first byte highest. One thread.
extern "C" __global__ void expand_key(const unsigned char* box, const unsigned int* key, unsigned int* words) {
  unsigned int constant = 1;
  for (int i = 0; i < 44; ++i) {
    if (i < 4) {
      words[i] = key[i];
      continue;
    }
    unsigned int word = words[i - 1];
    if (i % 4 == 0) {
      unsigned int substituted = 0;
      for (int byte = 0; byte < 4; ++byte) substituted |= box[word >> 8 * byte & 255] << (8 * byte + 8) % 32;
      word = substituted ^ constant << 24;
      constant = product(constant, 2);
    }
    words[i] = words[i - 4] ^ word;
  }
}

/// A thread for each block of 16 bytes.
extern "C" __global__ void encrypt_counters(const unsigned char* plain, unsigned char* secret, const unsigned char* box,
                                            const unsigned int* words, Nonce nonce, unsigned long long start,
                                            unsigned int blocks) {
  const unsigned int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks) return;
  const unsigned long long counter = start + block;
  unsigned char state[16], moved[16];
  for (int i = 0; i < 16; ++i) {
    const int shift = 24 - i % 4 * 8;
    state[i] = i < 4 ? nonce.high >> shift : i < 8 ? nonce.low >> shift : counter >> (i < 12 ? 32 + shift : shift);
  }
  for (int round = 0; round <= 10; ++round) {
    if (round > 0) {
      for (int i = 0; i < 16; ++i) moved[i] = box[state[(i + i % 4 * 4) % 16]];
      for (int i = 0; i < 16; ++i) {
        const int column = i / 4 * 4;
        const unsigned int a = moved[i], b = moved[column + (i + 1) % 4], c = moved[column + (i + 2) % 4],
                           d = moved[column + (i + 3) % 4];
        const unsigned int twice = (a ^ b) << 1;
        state[i] = round == 10 ? a : twice ^ (twice >> 8) * 0x11b ^ b ^ c ^ d;
      }
    }
    for (int i = 0; i < 16; ++i) state[i] ^= words[4 * round + i / 4] >> (24 - i % 4 * 8);
  }
  for (int i = 0; i < 16; ++i) secret[16 * block + i] = plain[16 * block + i] ^ state[i];
}
