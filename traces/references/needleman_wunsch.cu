// Global alignment by Needleman and Wunsch: a score is the best of its upper left neighbour plus the similarity, and of its
// left and upper neighbours less the penalty of a gap.

#include "whole.cuh"

/// The scores of one anti-diagonal (row + column = diagonal + 2), a thread for each row; a launch for each diagonal. Rows
/// of `width`, the first of which, and the first column, are a border. Only scores in the tiles of `tile` x `tile` behind
/// the border on their anti-diagonals `first` to `last` are computed.
extern "C" __global__ void needleman_wunsch(const int* similarity, int* scores, int width, int height, int penalty,
                                            int diagonal, int tile, int first, int last) {
  const int row = 1 + blockIdx.x * blockDim.x + threadIdx.x, column = diagonal + 2 - row;
  if (row >= height || column < 1 || column >= width) return;
  const int tiles = (row - 1) / tile + (column - 1) / tile;
  if (tiles < first || tiles > last) return;
  int* score = scores + row * width + column;
  const long long aligned = (long long)score[-width - 1] + similarity[row * width + column];
  const long long gap = (long long)max(score[-1], score[-width]) - penalty;
  score[0] = whole(aligned > gap ? aligned : gap);
}
