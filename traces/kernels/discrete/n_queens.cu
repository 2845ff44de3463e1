// Counts the ways to place n queens on a board of n x n (bit boards after Richards 1997): each thread continues one placement
// of the first three queens, backtracking with a stack in shared memory.
#include "lockstep_cuda.cuh"

#define THREADS 96
#define DEEPEST 16

extern "C" __global__ void __launch_bounds__(THREADS) n_queens(int n, unsigned int* __restrict__ ways) {
  __shared__ unsigned int stack[DEEPEST][THREADS];
  const unsigned int t = threadIdx.x, start = blockIdx.x * THREADS + t, board = (1u << n) - 1;
  if (start >= n * n * n) return;
  unsigned int columns = 0, left = 0, right = 0;
  unsigned int rest = start;
  for (int row = 0; row < 3; ++row, rest /= n) {
    const unsigned int queen = 1u << rest % n;
    if ((columns | left | right) & queen) {
      ways[start] = 0;
      return;
    }
    columns |= queen;
    left = (left | queen) << 1;
    right = (right | queen) >> 1;
  }

  // Diagonals that leave the board on the left are kept above its n bits, so that a step back finds them again; those on the
  // right likewise in the upper half of a long word.
  unsigned long long falling = (unsigned long long)right << 32, rising = left;
  unsigned int free = board & ~(columns | left | right), count = 0;
  int depth = 0;
  const int last = n - 3;
  while (true) {
    if (free == 0) {
      if (--depth < 0) break;
      const unsigned int saved = stack[depth][t];
      const unsigned int queen = saved & -saved;
      columns ^= queen;
      rising = rising >> 1 ^ queen;
      falling = falling << 1 ^ (unsigned long long)queen << 32;
      free = saved & (saved - 1);
      continue;
    }
    if (depth == last - 1) {
      count += __popc(free);
      free = 0;
      continue;
    }
    const unsigned int queen = free & -free;
    stack[depth++][t] = free;
    columns |= queen;
    rising = (rising ^ queen) << 1;
    falling = (falling ^ (unsigned long long)queen << 32) >> 1;
    free = board & ~(columns | (unsigned int)rising | (unsigned int)(falling >> 32));
  }
  ways[start] = count;
}
