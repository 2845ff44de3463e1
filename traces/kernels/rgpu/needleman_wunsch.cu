// Global alignment by Needleman and Wunsch in two levels, as Rodinia's NW: tiles along anti-diagonals, a launch for each, and
// anti-diagonals within a tile. A score is the largest of: the one left above plus the similarity of the two elements, the
// one above and the one to the left, each minus the penalty of a gap. `scores` has a border of one row above and one column
// to the left, and so has `similarity`, whose border nobody reads.
#include "lockstep_cuda.cuh"

/// Keeps the loads before it together: without it, clang moves each to where it is needed.
#define LOADED() asm volatile("" ::: "memory")

/// Launch number `diagonal` of tiles of `height` x `width` of an alignment with `columns` x `rows` tiles.
struct Tile {
  unsigned int x, y;
  __device__ __forceinline__ Tile(unsigned int diagonal, unsigned int columns) {
    const unsigned int first = diagonal < columns ? 0 : diagonal - columns + 1;  // row of the tile at the right end
    y = first + blockIdx.x;
    x = diagonal - y;
  }
};

/// Tiles of TILE x TILE, a thread for each column, one step for each anti-diagonal. PADDING: words after each row of
/// scores; with one, the lanes of an anti-diagonal lie in different banks. AT_ONCE: rows that are loaded before the first is
/// needed.
template <int TILE, int PADDING>
__device__ __forceinline__ void align_tile(const int* __restrict__ similarity, int* __restrict__ scores, int width,
                                           int penalty, unsigned int diagonal, unsigned int columns) {
  enum { AT_ONCE = TILE < 32 ? TILE : 32 };
  __shared__ int similar[TILE][TILE];
  __shared__ int score[TILE + 1][TILE + 1 + PADDING];
  const Tile tile(diagonal, columns);
  const int t = threadIdx.x;
  const int corner = width * TILE * tile.y + TILE * tile.x;
  const int above = scores[corner + t], left = scores[corner + width * (t + 1)], last = scores[corner + TILE];
  score[0][t] = above;
  score[t + 1][0] = left;
  if (t == 0) score[0][TILE] = last;
#pragma unroll 1
  for (int row = 0; row < TILE; row += AT_ONCE) {
    int loaded[AT_ONCE];
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) loaded[r] = similarity[corner + width * (row + r + 1) + t + 1];
    LOADED();
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) similar[row + r][t] = loaded[r];
  }
  int* own = &score[1][1] + t - t * (TILE + 1 + PADDING);
  const int* own_similar = &similar[0][0] + t - t * TILE;
#pragma unroll 4
  for (int step = 0; step < 2 * TILE - 1; ++step) {
    __syncthreads();
    if ((unsigned int)(step - t) < TILE) {
      const int northwest = own[-2 - TILE - PADDING], west = own[-1], north = own[-1 - TILE - PADDING];
      *own = max(northwest + *own_similar, max(west, north) - penalty);
    }
    own += TILE + 1 + PADDING;
    own_similar += TILE;
  }
  __syncthreads();
#pragma unroll 1
  for (int row = 0; row < TILE; row += AT_ONCE) {
    int found[AT_ONCE];
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) found[r] = score[row + r + 1][t + 1];
    LOADED();
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) scores[corner + width * (row + r + 1) + t + 1] = found[r];
  }
}

/// Tiles of `HEIGHT` x 32 COLUMNS for one warp, whose lanes need no barrier. A lane has COLUMNS neighbouring columns and
/// keeps the row above in registers; scores take the place of similarities, where the next lane finds its neighbour to the
/// left. Lanes that are not yet, or no longer, in the tile work on rows above and below it that nobody reads: no branches.
template <int COLUMNS, int HEIGHT>
__device__ __forceinline__ void align_tile_in_registers(const int* __restrict__ similarity, int* __restrict__ scores,
                                                        int width, int penalty, unsigned int diagonal,
                                                        unsigned int columns) {
  // Word 0 of a row is the score left of the tile. Lanes of an anti-diagonal lie in different banks.
  enum { WIDTH = 32 * COLUMNS, STRIDE = WIDTH + 1 + COLUMNS % 2, AT_ONCE = 32 / COLUMNS };
  __shared__ int cell[(HEIGHT + 62) * STRIDE];
  int* const first_row = cell + 31 * STRIDE;
  const Tile tile(diagonal, columns);
  const int t = threadIdx.x;
  const int corner = width * HEIGHT * tile.y + WIDTH * tile.x;
  int border[HEIGHT / 32], above[COLUMNS], north[COLUMNS];
#pragma unroll
  for (int i = 0; i < HEIGHT / 32; ++i) border[i] = scores[corner + width * (32 * i + t + 1)];
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) north[c] = above[c] = scores[corner + COLUMNS * t + c + 1];
  const int above_west = scores[corner + COLUMNS * t];
  int northwest = above_west;
#pragma unroll 1
  for (int row = 0; row < HEIGHT; row += AT_ONCE) {
    int loaded[AT_ONCE][COLUMNS];
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) {
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        loaded[r][c] = similarity[corner + width * (row + r + 1) + 32 * c + t + 1];
      }
    }
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) {
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) first_row[(row + r) * STRIDE + 32 * c + t + 1] = loaded[r][c];
    }
  }
#pragma unroll
  for (int i = 0; i < HEIGHT / 32; ++i) first_row[(32 * i + t) * STRIDE] = border[i];
  __syncthreads();
  volatile int* own = first_row - t * STRIDE + COLUMNS * t;
  int row = -t;
#pragma unroll 4
  for (int step = 0; step < HEIGHT + 31; ++step) {
    int west = own[0], similar[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) similar[c] = own[c + 1];
    northwest = row == 0 ? above_west : northwest;
    const int west_before = west;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      north[c] = row == 0 ? above[c] : north[c];
      const int best = max(northwest + similar[c], north[c] - penalty);
      northwest = north[c];
      west = max(best, west - penalty);
      north[c] = west;
    }
#pragma unroll
    for (int c = COLUMNS - 1; c >= 0; --c) own[c + 1] = north[c];
    northwest = west_before;
    own += STRIDE;
    ++row;
  }
  __syncthreads();
#pragma unroll 1
  for (int row = 0; row < HEIGHT; row += AT_ONCE) {
    int found[AT_ONCE][COLUMNS];
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) {
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) found[r][c] = first_row[(row + r) * STRIDE + 32 * c + t + 1];
    }
    LOADED();
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) {
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) scores[corner + width * (row + r + 1) + 32 * c + t + 1] = found[r][c];
    }
  }
}

#define NEEDLEMAN_WUNSCH(NAME, CALL)                                                                              \
  extern "C" __global__ void needleman_wunsch_##NAME(const int* __restrict__ similarity,                          \
                                                     int* __restrict__ scores, int width, int penalty,            \
                                                     unsigned int diagonal, unsigned int columns) {               \
    CALL(similarity, scores, width, penalty, diagonal, columns);                                                  \
  }
NEEDLEMAN_WUNSCH(tile_8, (align_tile<8, 1>))
NEEDLEMAN_WUNSCH(tile_16, (align_tile<16, 0>))
NEEDLEMAN_WUNSCH(tile_32, (align_tile<32, 0>))
NEEDLEMAN_WUNSCH(tile_64, (align_tile<64, 0>))
NEEDLEMAN_WUNSCH(padded_16, (align_tile<16, 1>))
NEEDLEMAN_WUNSCH(padded_32, (align_tile<32, 1>))
NEEDLEMAN_WUNSCH(padded_64, (align_tile<64, 1>))
NEEDLEMAN_WUNSCH(registers_1, (align_tile_in_registers<1, 32>))
NEEDLEMAN_WUNSCH(registers_2, (align_tile_in_registers<2, 64>))
NEEDLEMAN_WUNSCH(registers_4, (align_tile_in_registers<4, 32>))
