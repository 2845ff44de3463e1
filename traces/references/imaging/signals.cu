// Coding of levels, bit by bit, and filters of audio channels in double precision.
//
// No fused multiply-add: a product is rounded before it is added.

/// Writes an exponential Golomb code, as many zeros as there are bits behind the first one, then the value plus one.
static __device__ int write_code(unsigned int* words, int position, unsigned int value) {
  int length = 1;
  while ((value + 1) >> length) ++length;
  position += length - 1;
  for (int bit = length - 1; bit >= 0; --bit, ++position)
    if ((value + 1) >> bit & 1) words[position / 32] |= 0x80000000u >> position % 32;
  return position;
}

/// Blocks of 8x8 levels as runs of zeros and levels, a thread for each. The words are zero before.
extern "C" __global__ void code_blocks(const short* levels, unsigned int* words, unsigned short* bits, int blocks,
                                       int words_per_block) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks) return;
  unsigned int* own = words + block * words_per_block;
  int position = 0, run = 0, x = 0, y = 0;
  for (int k = 0; k < 64; ++k) {
    const int level = levels[64 * block + 8 * y + x];
    if (level) {
      position = write_code(own, position, run);
      position = write_code(own, position, level < 0 ? 2 * -level : 2 * level - 1);
    }
    run = level ? 0 : run + 1;
    // Diagonals in turn up to the right and down to the left.
    if ((x + y) % 2 == 0) {
      if (x == 7)
        ++y;
      else if (y == 0)
        ++x;
      else
        ++x, --y;
    } else {
      if (y == 7)
        ++x;
      else if (x == 0)
        ++y;
      else
        --x, ++y;
    }
  }
  if (run) {
    position = write_code(own, position, run);
    position = write_code(own, position, 0);
  }
  bits[block] = position;
}

/// A cascade of filters of second order (b0, b1, b2, a1, a2) in direct form I, a thread for each channel.
extern "C" __global__ void cascade(const short* input, short* output, const float* sections, int channels,
                                   int samples) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  double before[5] = {}, before_that[5] = {};
  for (int t = 0; t < samples; ++t) {
    double x = input[t * channels + channel];
    for (int k = 0; k < 4; ++k) {
      const float* c = sections + 5 * k;
      const double y =
          c[0] * x + c[1] * before[k] + c[2] * before_that[k] - c[3] * before[k + 1] - c[4] * before_that[k + 1];
      before_that[k] = before[k];
      before[k] = x;
      x = y;
    }
    before_that[4] = before[4];
    before[4] = x;
    output[t * channels + channel] = (short)min(max(floor(x + 0.5), -32768.0), 32767.0);
  }
}
