// Conway's game of life on a torus, 32 cells in a word: the eight neighbours of all of them are added up bit by bit.
#include "lockstep_cuda.cuh"

struct Sum {
  unsigned int ones, twos;
};

__device__ __forceinline__ Sum add(unsigned int a, unsigned int b, unsigned int c) {
  return {a ^ b ^ c, (a & b) | (c & (a ^ b))};
}

/// The words of a row: what lies to the left of each cell, the cells, what lies to the right.
struct Row {
  unsigned int left, middle, right;
  __device__ Row(const unsigned int* row, int x, int words) {
    middle = row[x];
    left = __funnelshift_l(row[x == 0 ? words - 1 : x - 1], middle, 1);
    right = __funnelshift_r(middle, row[x + 1 == words ? 0 : x + 1], 1);
  }
};

extern "C" __global__ void life_bits(const unsigned int* __restrict__ before, unsigned int* __restrict__ after,
                                     int words, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= height) return;
  const Row above(before + (y == 0 ? height - 1 : y - 1) * words, x, words);
  const Row own(before + y * words, x, words);
  const Row below(before + (y + 1 == height ? 0 : y + 1) * words, x, words);
  const Sum upper = add(above.left, above.middle, above.right), lower = add(below.left, below.middle, below.right);
  const unsigned int sides = own.left ^ own.right, both = own.left & own.right;
  const Sum ones = add(upper.ones, lower.ones, sides);
  const Sum twos = add(upper.twos, lower.twos, both);
  // Two or three neighbours: exactly one two, and no four.
  const unsigned int two = twos.ones ^ ones.twos, four = twos.twos | (twos.ones & ones.twos);
  after[y * words + x] = two & ~four & (ones.ones | own.middle);
}
