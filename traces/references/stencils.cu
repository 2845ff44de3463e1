// Repeated steps on a grid whose cells see their four neighbours; outside lies the nearest cell inside. In double precision
// from the first step to the last; a thread for each cell, a launch for each step.
//
// No fused multiply-add: a product is rounded before it is added.

struct Cell {
  int x, y, width, height;
  __device__ Cell(int width, int height) : width(width), height(height) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x = i % width;
    y = i / width;
  }
  __device__ bool inside() const { return y < height; }
  __device__ int at(int dx = 0, int dy = 0) const {
    return min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1);
  }
};

extern "C" __global__ void stencil_begin(const float* cells, double* exact, int width, int height) {
  const Cell cell(width, height);
  if (cell.inside()) exact[cell.at()] = cells[cell.at()];
}

extern "C" __global__ void stencil_end(const double* exact, float* cells, int width, int height) {
  const Cell cell(width, height);
  if (cell.inside()) cells[cell.at()] = exact[cell.at()];
}

/// Speckle reducing anisotropic diffusion (Yu and Acton), the first half of a step: diffusion coefficients, with the same
/// squared coefficient of variation `speckle` of an even area for the whole image.
extern "C" __global__ void srad_coefficients(const double* image, double* coefficients, int width, int height,
                                             double speckle) {
  const Cell cell(width, height);
  if (!cell.inside()) return;
  const double centre = image[cell.at()];
  const double north = (image[cell.at(0, -1)] - centre) / centre, south = (image[cell.at(0, 1)] - centre) / centre;
  const double west = (image[cell.at(-1, 0)] - centre) / centre, east = (image[cell.at(1, 0)] - centre) / centre;
  const double squares = north * north + south * south + west * west + east * east;
  const double sum = north + south + west + east;
  const double variation = (squares / 2 - sum * sum / 16) / ((1 + sum / 4) * (1 + sum / 4));
  const double coefficient = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
  coefficients[cell.at()] = min(max(coefficient, 0.0), 1.0);
}

/// The second half: what flows in from the neighbours.
extern "C" __global__ void srad_flow(const double* image, const double* coefficients, double* next, int width,
                                     int height, double lambda) {
  const Cell cell(width, height);
  if (!cell.inside()) return;
  const double centre = image[cell.at()];
  const double inflow = coefficients[cell.at()] * (image[cell.at(0, -1)] + image[cell.at(-1, 0)] - 2 * centre) +
                        coefficients[cell.at(0, 1)] * (image[cell.at(0, 1)] - centre) +
                        coefficients[cell.at(1, 0)] * (image[cell.at(1, 0)] - centre);
  next[cell.at()] = centre + lambda / 4 * inflow;
}

/// Heat exchange: a cell grows by warming * (power + x * (both neighbours in its row - 2 * itself) + y * (those in its
/// column - 2 * itself) + z * (ambient - itself)).
extern "C" __global__ void hotspot(const double* cells, const float* power, double* next, int width, int height,
                                   double warming, double x, double y, double z, double ambient) {
  const Cell cell(width, height);
  if (!cell.inside()) return;
  const double centre = cells[cell.at()];
  const double along_x = cells[cell.at(-1, 0)] + cells[cell.at(1, 0)] - 2 * centre;
  const double along_y = cells[cell.at(0, -1)] + cells[cell.at(0, 1)] - 2 * centre;
  next[cell.at()] = centre + warming * (power[cell.at()] + along_x * x + along_y * y + (ambient - centre) * z);
}
