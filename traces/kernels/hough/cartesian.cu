// Hough transform for lines in Cartesian coordinates in a time that does not depend on the image, without atomics (van den
// Braak, PhD thesis 2015, section 4.5, figure 4.9). For one slope the votes of a line of the image are the line itself,
// shifted: x - y slope for rows, y - x slope for columns. Consecutive threads have consecutive pixels of a line, so
// they vote in different words; a barrier separates the lines. The image is packed, a bit for each pixel, and rotated by the
// kernel that packs it, so that columns are read as rows are.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int memory[];

/// rows: bit x % 32 of word y * ceil(width / 32) + x / 32 is 1 where pixel (x, y) is an edge point; columns: the rotated
/// image, bit y % 32 of word x * ceil(height / 32) + y / 32. A warp for each tile of 32 x 32 pixels, blocks of one warp.
extern "C" __global__ void pack_and_rotate(const unsigned short* __restrict__ edges, unsigned int width,
                                           unsigned int height, const unsigned int* __restrict__ threshold,
                                           unsigned int* __restrict__ rows, unsigned int* __restrict__ columns) {
  __shared__ unsigned int tile[32];
  const unsigned int lane = threadIdx.x, x = blockIdx.x * 32 + lane, top = blockIdx.y * 32;
  const unsigned int least = *threshold;
  unsigned int column = 0;
  for (unsigned int k = 0; k < 32; ++k)
    if (x < width && top + k < height && edges[(top + k) * width + x] >= least) column |= 1u << k;
  if (x < width) columns[x * gridDim.y + blockIdx.y] = column;
  tile[lane] = column;
  __syncthreads();
  unsigned int row = 0;
  for (unsigned int k = 0; k < 32; ++k) row |= (tile[k] >> lane & 1) << k;
  if (top + lane < height) rows[(top + lane) * gridDim.x + blockIdx.x] = row;
}

/// A sub-Hough space of some lines of the packed image: bin x - y slope + lines, rounded down, for `angles` slopes from -1 to
/// 1, the tangents of angles from -45 to 45 degrees. A thread block for each part of lines_per_block lines. Dynamic
/// scratchpad memory: these lines, then a Hough line of length + 2 * lines words.
extern "C" __global__ void vote_shifted(const unsigned int* __restrict__ packed, unsigned int length,
                                        unsigned int lines, unsigned int lines_per_block, unsigned int angles,
                                        unsigned int* __restrict__ sub_spaces) {
  const unsigned int line_words = (length + 31) / 32, bins = length + 2 * lines;
  const unsigned int first = blockIdx.x * lines_per_block, own = min(lines_per_block, lines - first);
  unsigned int* const part = memory;
  unsigned int* const votes = memory + lines_per_block * line_words;
  for (unsigned int i = threadIdx.x; i < own * line_words; i += blockDim.x) part[i] = packed[first * line_words + i];
  unsigned int* space = sub_spaces + blockIdx.x * angles * bins;
  for (unsigned int angle = 0; angle < angles; ++angle) {
    const float slope = tanf(-0.785398163f + (float)angle * (1.57079633f / (float)(angles - 1)));
    for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) votes[bin] = 0;
    __syncthreads();
    for (unsigned int line = 0; line < own; ++line) {
      const int shift = __float2int_rd(fmaf(-(float)(first + line), slope, (float)lines));
      for (unsigned int x = threadIdx.x; x < length; x += blockDim.x)
        votes[(int)x + shift] += part[line * line_words + x / 32] >> x % 32 & 1;
      __syncthreads();
    }
    for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) space[bin] = votes[bin];
    space += bins;
    __syncthreads();
  }
}

/// space: the sum of `parts` sub-Hough spaces of `words` words; a thread for each.
extern "C" __global__ void sum_spaces(const unsigned int* __restrict__ sub_spaces, unsigned int parts,
                                      unsigned int words, unsigned int* __restrict__ space) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  unsigned int sum = 0;
  for (unsigned int part = 0; part < parts; ++part) sum += sub_spaces[part * words + i];
  space[i] = sum;
}
