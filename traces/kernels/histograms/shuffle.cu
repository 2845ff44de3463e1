// Puts words that lie far apart beside each other (van den Braak, PhD thesis, section 3.5: "pre-shuffled" pixels): the words as
// a matrix of 32 rows, transposed, through tiles of 32x32 in scratchpad memory.
#include "../lockstep_cuda.cuh"

/// Blocks of 32 x 8 threads, one for 32 columns; `words` is a multiple of 1024.
extern "C" __global__ void shuffle_words(const unsigned int* from, unsigned int words, unsigned int* to) {
  __shared__ unsigned int tile[32][33];
  const unsigned int columns = words / 32, first = blockIdx.x * 32;
  for (unsigned int row = threadIdx.y; row < 32; row += 8)
    tile[row][threadIdx.x] = from[row * columns + first + threadIdx.x];
  __syncthreads();
  for (unsigned int column = threadIdx.y; column < 32; column += 8)
    to[(first + column) * 32 + threadIdx.x] = tile[threadIdx.x][column];
}
