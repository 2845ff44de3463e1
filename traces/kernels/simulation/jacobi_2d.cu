// Jacobi iteration of Poisson's equation in double precision, 5 points, from one array to the other; then the largest change per
// block.
/// One iteration; the border stays.
extern "C" __global__ void jacobi_step(const double* __restrict__ in, const double* __restrict__ rhs,
                                       double* __restrict__ out, int nx, int ny, double h2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 0 || y <= 0 || x >= nx - 1 || y >= ny - 1) return;
  const int i = y * nx + x;
  out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + h2 * rhs[i]);
}

/// Largest |a - b| among the elements of each block.
extern "C" __global__ void max_change(const double* __restrict__ a, const double* __restrict__ b,
                                      double* __restrict__ change, int n) {
  __shared__ double part[256];
  double largest = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    largest = fmax(largest, fabs(a[i] - b[i]));
  part[threadIdx.x] = largest;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] = fmax(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) change[blockIdx.x] = part[0];
}
