// The ChaCha20 stream cipher and CRC-32, by their definitions.

struct Parameters {
  unsigned int key[8];
  unsigned int nonce[3];
  unsigned int start;
};

static __device__ unsigned int turned(unsigned int word, int bits) {
  return word << bits | word >> (32 - bits);
}

/// A thread for each block of 16 words; `state` has 16 words for each.
extern "C" __global__ void chacha20(const unsigned int* plain, unsigned int* secret, unsigned int* state,
                                    unsigned int blocks, Parameters p) {
  const unsigned int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks) return;
  unsigned int* s = state + block * 16;
  const char* text = "expand 32-byte k";
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < 16; ++i) {
      unsigned int word;
      if (i < 4)
        word = text[4 * i] | text[4 * i + 1] << 8 | text[4 * i + 2] << 16 | text[4 * i + 3] << 24;
      else if (i < 12)
        word = p.key[i - 4];
      else
        word = i == 12 ? p.start + block : p.nonce[i - 13];
      s[i] = pass == 0 ? word : s[i] + word;
    }
    if (pass == 1) break;
    for (int round = 0; round < 20; ++round) {
      for (int column = 0; column < 4; ++column) {
        const int slant = round % 2, a = column, b = 4 + (column + slant) % 4, c = 8 + (column + 2 * slant) % 4,
                  d = 12 + (column + 3 * slant) % 4;
        s[a] += s[b], s[d] = turned(s[d] ^ s[a], 16);
        s[c] += s[d], s[b] = turned(s[b] ^ s[c], 12);
        s[a] += s[b], s[d] = turned(s[d] ^ s[a], 8);
        s[c] += s[d], s[b] = turned(s[b] ^ s[c], 7);
      }
    }
  }
  for (int i = 0; i < 16; ++i) secret[block * 16 + i] = plain[block * 16 + i] ^ s[i];
}

/// Bit by bit, a thread for each record.
extern "C" __global__ void crc32(const unsigned char* bytes, const unsigned int* first_words,
                                 const unsigned int* lengths, unsigned int* sums, int records) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= records) return;
  unsigned int remainder = 0xffffffff;
  for (unsigned int i = 0; i < lengths[r]; ++i) {
    remainder ^= bytes[4 * first_words[r] + i];
    for (int bit = 0; bit < 8; ++bit) remainder = remainder % 2 == 0 ? remainder / 2 : remainder / 2 ^ 0xedb88320;
  }
  sums[r] = 0xffffffff - remainder;
}
