// Radar and ultrasound: detection, correlation with a pulse, images from echoes.
// No fused multiply-add

#include "../functions.cuh"

/// Whether a cell exceeds the `least`-th smallest of its neighbours times `factor` / 16, as a byte. Neighbours are
/// `side` cells on each side that are more than `guard` cells away; there is nothing beyond the ends. Of each row the
/// first `columns` cells; a thread for each.
extern "C" __global__ void rank_neighbours(const unsigned short* power, unsigned char* found, int ranges, int columns,
                                           int side, int guard, int factor, int least, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  const int range = thread % columns;
  const unsigned short* row = power + thread / columns * ranges;
  int sorted[64], size = 0;
  for (int k = -side - guard; k <= side + guard; ++k) {
    if (k >= -guard && k <= guard) continue;
    const int value = range + k < 0 || range + k >= ranges ? 0 : row[range + k];
    int at = size++;
    for (; at > 0 && sorted[at - 1] > value; --at) sorted[at] = sorted[at - 1];
    sorted[at] = value;
  }
  found[thread] = (long long)sorted[least - 1] * factor < 16ll * row[range];
}

/// Words of 32 bits, of bytes that are 0 or 1. A thread for each word.
extern "C" __global__ void pack_bits(const unsigned char* bytes, unsigned int* words, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count) return;
  words[word] = 0;
  for (int i = 0; i < 32; ++i) words[word] |= (unsigned int)bytes[32 * word + i] << i;
}

/// Sums of the columns of bytes. A thread for each column.
extern "C" __global__ void add_columns(const unsigned char* bytes, unsigned int* sums, int columns, int rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  sums[column] = 0;
  for (int row = 0; row < rows; ++row) sums[column] += bytes[row * columns + column];
}

/// Correlation of rows of complex samples with a pulse. A thread for each result.
extern "C" __global__ void correlate_pulse(const float* echoes, const float* pulse, float* profiles, int samples,
                                           int taps, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  double re = 0, im = 0;
  for (int n = 0; n < taps && thread % samples + n < samples; ++n) {
    const double a = echoes[2 * (thread + n)], b = echoes[2 * (thread + n) + 1];
    re += a * pulse[2 * n] + b * pulse[2 * n + 1];
    im += b * pulse[2 * n] - a * pulse[2 * n + 1];
  }
  profiles[2 * thread] = (float)re;
  profiles[2 * thread + 1] = (float)im;
}

/// Weighted mean of the echoes of a pixel: of all elements, at the time from the wave to the pixel and back to the
/// element. The weight falls to zero at the edge of the aperture. A thread for each pixel.
extern "C" __global__ void focus(const short* echoes, float* image, int elements, int samples, double pitch,
                                 double per_sample, double sine, double cosine, double opening, double start,
                                 double spacing, double depth, int width, int height) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= width * height) return;
  const double x = (thread % width - (width - 1) / 2.0) * spacing, z = depth + thread / width * spacing;
  double sum = 0, weights = 1e-3;
  for (int element = 0; element < elements; ++element) {
    const double distance = x - (element - (elements - 1) / 2.0) * pitch;
    if (fabs(distance) > z * opening) continue;
    const double time = (z * cosine + x * sine + sqrt(distance * distance + z * z)) * per_sample + start;
    const double before = floor(time);
    if (before < 0 || before >= samples - 1) continue;
    const short* echo = echoes + element * samples + (int)before;
    const double weight = (1 + cosine_of_turns(distance / (z * opening) / 2)) / 2;
    sum += weight * (echo[0] * (1 - (time - before)) + echo[1] * (time - before));
    weights += weight;
  }
  image[thread] = (float)(sum / weights);
}
