// Images: circles of gradients, dilation, cosine transforms, denoising, rotation.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// The largest squared mean over variance of the radial gradients on circles around pixels at least `border` from the edges.
/// Images go column by column. `places` are the steps to x, then to y, of all points of all circles; `directions` cosines and
/// sines of the points. A thread for each pixel.
extern "C" __global__ void circle_scores(const float* grad_x, const float* grad_y, const int* places,
                                         const float* directions, double* exact, float* scores, int height, int columns,
                                         int rows, int border, int circles, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns * rows) return;
  const int pixel = (i / rows + border) * height + i % rows + border;
  double best = 0;
  for (int circle = 0; circle < circles; ++circle) {
    double mean = 0, variance = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < points; ++k) {
        const int at = pixel + places[circle * points + k] * height + places[(circles + circle) * points + k];
        const double value = (double)grad_x[at] * directions[k] + (double)grad_y[at] * directions[points + k];
        if (pass == 0)
          mean += value / points;
        else
          variance += (value - mean) * (value - mean) / (points - 1);
      }
    best = fmax(best, mean * mean / variance);
  }
  exact[pixel] = best;
  scores[pixel] = best;
}

/// The largest value within a disc, at least 0. The image goes column by column, the result row by row. A thread for each pixel.
extern "C" __global__ void dilation(const double* image, float* result, int height, int width, int radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height * width) return;
  double largest = 0;
  for (int y = max(i / width - radius, 0); y <= min(i / width + radius, height - 1); ++y)
    for (int x = max(i % width - radius, 0); x <= min(i % width + radius, width - 1); ++x) {
      const int dx = x - i % width, dy = y - i / width;
      if (dx * dx + dy * dy <= radius * radius) largest = fmax(largest, image[x * height + y]);
    }
  result[i] = largest;
}

/// Inverse cosine transform by its definition, of coefficients in zigzag order. Element 8 x + u of `cosines` belongs to place x
/// and frequency u. A thread for each pixel.
extern "C" __global__ void inverse_cosine_transform(const short* coefficients, const unsigned short* quantisation,
                                                    const double* cosines, unsigned char* pixels, int blocks_x,
                                                    int blocks_y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, width = 8 * blocks_x;
  if (i >= 64 * blocks_x * blocks_y) return;
  const int x = i % width, y = i / width;
  const short* block = coefficients + (y / 8 * blocks_x + x / 8) * 64;
  double sum = 128.5;
  for (int k = 0, row = 0, column = 0; k < 64; ++k) {
    sum += block[k] * quantisation[k] * cosines[x % 8 * 8 + column] * cosines[y % 8 * 8 + row];
    if ((row + column) % 2 == 0) {  // Up to the right, until an edge.
      if (column == 7)
        ++row;
      else
        ++column, row -= row > 0;
    } else {
      if (row == 7)
        ++column;
      else
        ++row, column -= column > 0;
    }
  }
  pixels[i] = sum < 0 ? 0 : sum > 255 ? 255 : (int)sum;
}

/// An image with `border` pixels more on each side, those of its edges. A thread for each pixel of the result.
extern "C" __global__ void frame(const unsigned char* in, int* out, int width, int height, int border) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, pitch = width + 2 * border;
  if (i >= pitch * (height + 2 * border)) return;
  const int x = i % pitch - border, y = i / pitch - border;
  out[i] = in[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

/// Non local means with windows of 11x11 pixels and blocks of 5x5, of an image with a border of 7. A thread for each pixel.
extern "C" __global__ void non_local_means(const int* in, unsigned char* out, int width, int height, float strength,
                                           float share) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, pitch = width + 14;
  if (i >= width * height) return;
  const int* own = in + (i / width + 7) * pitch + i % width + 7;
  double sum = 0, total = 0;
  int alike = 0;
  for (int dy = -5; dy <= 5; ++dy)
    for (int dx = -5; dx <= 5; ++dx) {
      const int* other = own + dy * pitch + dx;
      int squares = 0;
      for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x) {
          const int difference = own[y * pitch + x] - other[y * pitch + x];
          squares += difference * difference;
        }
      const double weight = exponential(-(squares / 65025.0 * strength + (dx * dx + dy * dy) / 121.0));
      sum += weight * *other;
      total += weight;
      alike += weight > 0.02;
    }
  const double mean = sum / total, kept = alike / 121.0 > 0.2 ? share : 1 - share;
  out[i] = (int)(mean + (*own - mean) * kept + 0.5);
}

/// Rotation of pixels of four bytes around the middle. A texture's filter counts places in 256ths of a texel. A thread for each
/// byte of the result.
extern "C" __global__ void rotation(const unsigned char* in, unsigned char* out, int width, int height, float cosine,
                                    float sine, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 * width * height) return;
  const double u = i / 4 % width - width / 2.0, v = i / 4 / width - height / 2.0;
  const double x = (cosine * u - sine * v) * scale + width / 2.0, y = (sine * u + cosine * v) * scale + height / 2.0;
  const double right = floor(x * 256 + 0.5) / 256, down = floor(y * 256 + 0.5) / 256;
  double value = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const double column = floor(right) + corner % 2, row = floor(down) + corner / 2;
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const double weight = (1 - fabs(right - column)) * (1 - fabs(down - row));
    value += weight * in[((int)row * width + (int)column) * 4 + i % 4];
  }
  out[i] = (int)(value + 0.5);
}
