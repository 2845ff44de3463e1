// Particle filter that follows a disc in a noisy video (one frame): propagation and likelihood, weights, their distribution,
// resampling.
#define PI 3.1415926535897932
#define A 1103515245
#define C 12345
#define M 2147483647

__device__ double d_randu(int* seed, int index) {
  int num = A * seed[index] + C;
  seed[index] = num % M;
  return fabs(seed[index] / (double)M);
}

__device__ double d_randn(int* seed, int index) {
  const double u = d_randu(seed, index);
  const double v = d_randu(seed, index);
  const double cosine = cos(2 * PI * v);
  const double rt = -2 * log(u);
  return sqrt(rt) * cosine;
}

__device__ double round_double(double value) {
  int i = (int)value;
  return value - i < 0.5 ? i : i + 1;
}

/// Moves each particle at random, weighs it by the pixels of a disc around it, and adds up the weights of the block.
extern "C" __global__ void likelihood_kernel(double* arrayX, double* arrayY, const double* xj, const double* yj,
                                             const int* objxy, double* likelihood, const unsigned char* image,
                                             double* weights, int particles, int ones, int width, int height, int* seed,
                                             double* partial) {
  __shared__ double buffer[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double w = 0;
  if (i < particles) {
    arrayX[i] = xj[i] + 1.0 + 5.0 * d_randn(seed, i);
    arrayY[i] = yj[i] - 2.0 + 2.0 * d_randn(seed, i);
    double sum = 0;
    for (int k = 0; k < ones; k++) {
      const int x = (int)round_double(arrayX[i]) + objxy[2 * k + 1];
      const int y = (int)round_double(arrayY[i]) + objxy[2 * k];
      int index = abs(y * width + x);
      if (index >= width * height) index = 0;
      const double p = image[index];
      sum += ((p - 100) * (p - 100) - (p - 228) * (p - 228)) / 50.0;
    }
    likelihood[i] = sum / ones - 300;
    w = weights[i] * exp(likelihood[i] / 500);
    weights[i] = w;
  }
  buffer[threadIdx.x] = w;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) buffer[threadIdx.x] += buffer[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = buffer[0];
}

/// Sum of the blocks' sums, left in the first.
extern "C" __global__ void sum_kernel(double* partial, int blocks) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    double sum = 0;
    for (int x = 0; x < blocks; x++) sum += partial[x];
    partial[0] = sum;
  }
}

/// Divides the weights by their sum; `u` are equally spaced points at which the distribution is sampled.
extern "C" __global__ void normalize_weights(double* weights, int particles, const double* partial, double* cdf,
                                             double* u, int* seed) {
  __shared__ double u1, total;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) total = partial[0];
  __syncthreads();
  if (i < particles) weights[i] = weights[i] / total;
  if (threadIdx.x == 0) u1 = (1.0 / particles) * 0.37;
  __syncthreads();
  if (i < particles) u[i] = u1 + i / (double)particles;
}

/// Prefix sums of the weights by one thread.
extern "C" __global__ void cdf_kernel(const double* weights, double* cdf, int particles) {
  if (threadIdx.x == 0) {
    cdf[0] = weights[0];
    for (int x = 1; x < particles; x++) cdf[x] = weights[x] + cdf[x - 1];
  }
}

/// Each sample takes the position of the first particle whose distribution function reaches it.
extern "C" __global__ void find_index_kernel(const double* arrayX, const double* arrayY, const double* cdf,
                                             const double* u, double* xj, double* yj, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    int index = -1;
    for (int x = 0; x < particles; x++) {
      if (cdf[x] >= u[i]) {
        index = x;
        break;
      }
    }
    if (index == -1) index = particles - 1;
    xj[i] = arrayX[index];
    yj[i] = arrayY[index];
  }
}
