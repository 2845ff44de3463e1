// The third layer of a network that recognises digits (Simard, Steinkraus and Platt 2003; GPGPU-Sim's benchmark NN): 50
// feature maps of 5 x 5 neurons from six maps of 13 x 13, by windows of 5 x 5 that move two elements. Weights of a feature
// map: its bias, then six windows row by row. A neuron is 1.7159 tanh(2/3 of its sum).
#include "lockstep_cuda.cuh"

/// Keeps the loads before it together: without it, clang moves each to where it is needed.
#define LOADED() asm volatile("" ::: "memory")
#define INPUTS 6
#define EDGE 13
#define WINDOW 5
#define NEURONS 25
#define IMAGE (INPUTS * EDGE * EDGE)
#define WEIGHTS (INPUTS * WINDOW * WINDOW)
#define OUTPUTS 50

/// tanh(x) = 1 - 2 / (exp(2x) + 1), with exp(x) = 2^(x log2 e).
__device__ __forceinline__ float activation(float sum) {
  return 1.7159f - __fdividef(3.4318f, __exp2f(1.9235934f * sum) + 1.0f);
}

/// A thread block for each feature map of each image, a thread for each neuron, everything from global memory.
extern "C" __global__ void neural_network_block_per_map(const float* __restrict__ images,
                                                        const float* __restrict__ weights,
                                                        float* __restrict__ outputs, unsigned int) {
  const float* weight = weights + blockIdx.x * (WEIGHTS + 1);
  const float* image = images + blockIdx.y * IMAGE + threadIdx.y * 2 * EDGE + threadIdx.x * 2;
  float sum = *weight++;
#pragma unroll 1
  for (int map = 0; map < INPUTS; ++map, image += EDGE * EDGE) {
#pragma unroll
    for (int v = 0; v < WINDOW; ++v) {
#pragma unroll
      for (int u = 0; u < WINDOW; ++u) sum += image[v * EDGE + u] * *weight++;
    }
  }
  outputs[(blockIdx.y * OUTPUTS + blockIdx.x) * NEURONS + threadIdx.y * 5 + threadIdx.x] = activation(sum);
}

/// What one tap of a window needs.
template <int MAPS, int POSITIONS>
struct Operands {
  float value[POSITIONS];
  float2 weight[(MAPS + 1) / 2];
  __device__ __forceinline__ void load(const float* image, const float* weights) {
#pragma unroll
    for (int p = 0; p < POSITIONS; ++p) value[p] = image[p * IMAGE];
#pragma unroll
    for (int m = 0; m < MAPS; m += 2) weight[m / 2] = *(const float2*)(weights + m);
  }
};

/// A thread has one neuron of MAPS feature maps, of POSITIONS images: a value from scratchpad memory serves MAPS sums, a
/// weight POSITIONS. A block has `images_per_block` images (25 threads for every POSITIONS of them) and MAPS feature maps.
template <int MAPS, int POSITIONS>
__device__ __forceinline__ void layer(const float* __restrict__ images, const float* __restrict__ weights,
                                      float* __restrict__ outputs, unsigned int images_per_block) {
  extern __shared__ __align__(16) float memory[];
  __shared__ __align__(16) float weight[WEIGHTS][(MAPS + 1) / 2 * 2];
  const int t = threadIdx.x, threads = blockDim.x;
  const unsigned int first_image = blockIdx.y * images_per_block, first_map = blockIdx.x * MAPS;
  // Eight loads at a time before the first is needed.
  const int values = images_per_block * IMAGE;
  for (int first = t; first < values; first += 8 * threads) {
    float loaded[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) loaded[j] = images[first_image * IMAGE + min(first + j * threads, values - 1)];
    LOADED();
#pragma unroll
    for (int j = 0; j < 8; ++j) memory[min(first + j * threads, values - 1)] = loaded[j];
  }
#pragma unroll 1
  for (int k = t; k < WEIGHTS; k += threads) {
    float loaded[MAPS];
#pragma unroll
    for (int m = 0; m < MAPS; ++m) loaded[m] = weights[(first_map + m) * (WEIGHTS + 1) + 1 + k];
    LOADED();
#pragma unroll
    for (int m = 0; m < MAPS; ++m) weight[k][m] = loaded[m];
  }
  float sum[POSITIONS][MAPS];
#pragma unroll
  for (int m = 0; m < MAPS; ++m) {
    sum[0][m] = weights[(first_map + m) * (WEIGHTS + 1)];
#pragma unroll
    for (int p = 1; p < POSITIONS; ++p) sum[p][m] = sum[0][m];
  }
  __syncthreads();
  const int neuron = t % NEURONS, local = t / NEURONS * POSITIONS;
  const float* image = memory + local * IMAGE + neuron / 5 * 2 * EDGE + neuron % 5 * 2;
  const float(*row)[(MAPS + 1) / 2 * 2] = weight;
#pragma unroll 1
  for (int map = 0; map < INPUTS; ++map, image += EDGE * EDGE, row += WINDOW * WINDOW) {
    // The operands of one tap are loaded while those of the one before are used.
    Operands<MAPS, POSITIONS> operands[2];
    operands[0].load(image, row[0]);
#pragma unroll
    for (int k = 0; k < WINDOW * WINDOW; ++k) {
      const Operands<MAPS, POSITIONS>& now = operands[k % 2];
      if (k + 1 < WINDOW * WINDOW) operands[(k + 1) % 2].load(image + (k + 1) / WINDOW * EDGE + (k + 1) % WINDOW, row[k + 1]);
      LOADED();
#pragma unroll
      for (int m = 0; m < MAPS; ++m) {
#pragma unroll
        for (int p = 0; p < POSITIONS; ++p) {
          sum[p][m] += now.value[p] * (m % 2 == 0 ? now.weight[m / 2].x : now.weight[m / 2].y);
        }
      }
    }
  }
#pragma unroll
  for (int p = 0; p < POSITIONS; ++p) {
#pragma unroll
    for (int m = 0; m < MAPS; ++m) {
      outputs[((first_image + local + p) * OUTPUTS + first_map + m) * NEURONS + neuron] = activation(sum[p][m]);
    }
  }
}

/// A thread has a row of five neurons of one feature map: a row of inputs serves 25 products. Lanes differ in the map, so
/// that inputs are broadcast and weights (151 words apart) lie in different banks. A block has all maps of its images, whose
/// rows are stretched to 16 words.
extern "C" __global__ void neural_network_rows(const float* __restrict__ images, const float* __restrict__ weights,
                                               float* __restrict__ outputs, unsigned int images_per_block) {
  enum { PITCH = 16, STRETCHED = INPUTS * EDGE * PITCH, ALL_WEIGHTS = OUTPUTS * (WEIGHTS + 1), AT_ONCE = 10 };
  extern __shared__ __align__(16) float memory[];
  __shared__ __align__(16) float weight[(ALL_WEIGHTS + 3) / 4 * 4];
  const int t = threadIdx.x, threads = blockDim.x;
  const unsigned int first_image = blockIdx.x * images_per_block;
  for (int first = t; first < ALL_WEIGHTS; first += AT_ONCE * threads) {
    float loaded[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; ++j) loaded[j] = weights[min(first + j * threads, ALL_WEIGHTS - 1)];
    LOADED();
#pragma unroll
    for (int j = 0; j < AT_ONCE; ++j) weight[min(first + j * threads, ALL_WEIGHTS - 1)] = loaded[j];
  }
  // Half a warp stretches a row.
  const int rows = images_per_block * INPUTS * EDGE, column = t % PITCH;
  for (int first = t / PITCH; first < rows; first += threads / PITCH * 4) {
    float loaded[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = min(first + j * (threads / PITCH), rows - 1);
      loaded[j] = column < EDGE ? images[first_image * IMAGE + row * EDGE + column] : 0.0f;
    }
    LOADED();
#pragma unroll
    for (int j = 0; j < 4; ++j) memory[min(first + j * (threads / PITCH), rows - 1) * PITCH + column] = loaded[j];
  }
  __syncthreads();
  for (int job = t; job < images_per_block * WINDOW * OUTPUTS; job += threads) {
    const int map = job % OUTPUTS, y = job / OUTPUTS % WINDOW, local = job / (OUTPUTS * WINDOW);
    const float* own_weights = weight + map * (WEIGHTS + 1);
    const float4* image = (const float4*)(memory + local * STRETCHED + 2 * y * PITCH);
    float sum[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) sum[x] = own_weights[0];
#pragma unroll 1
    for (int input = 0; input < INPUTS; ++input, own_weights += WINDOW * WINDOW, image += EDGE * PITCH / 4) {
      float4 row[2][4];
      float w[2][WINDOW];
#pragma unroll
      for (int v = 0; v <= WINDOW; ++v) {
        // The operands of one row are loaded while those of the one before are used.
        if (v < WINDOW) {
#pragma unroll
          for (int q = 0; q < 4; ++q) row[v % 2][q] = image[v * PITCH / 4 + q];
#pragma unroll
          for (int u = 0; u < WINDOW; ++u) w[v % 2][u] = own_weights[1 + v * WINDOW + u];
          LOADED();
        }
        if (v > 0) {
          const float4* r = row[(v - 1) % 2];
          const float values[EDGE] = {r[0].x, r[0].y, r[0].z, r[0].w, r[1].x, r[1].y, r[1].z,
                                      r[1].w, r[2].x, r[2].y, r[2].z, r[2].w, r[3].x};
#pragma unroll
          for (int u = 0; u < WINDOW; ++u) {
#pragma unroll
            for (int x = 0; x < 5; ++x) sum[x] += values[2 * x + u] * w[(v - 1) % 2][u];
          }
        }
      }
    }
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      outputs[((first_image + local) * OUTPUTS + map) * NEURONS + 5 * y + x] = activation(sum[x]);
    }
  }
}

#define NEURAL_NETWORK(MAPS, POSITIONS)                                                                           \
  extern "C" __global__ void neural_network_##MAPS##x##POSITIONS(                                                 \
      const float* __restrict__ images, const float* __restrict__ weights, float* __restrict__ outputs,           \
      unsigned int images_per_block) {                                                                            \
    layer<MAPS, POSITIONS>(images, weights, outputs, images_per_block);                                           \
  }
NEURAL_NETWORK(1, 1)
NEURAL_NETWORK(2, 1)
NEURAL_NETWORK(5, 1)
NEURAL_NETWORK(5, 2)
NEURAL_NETWORK(10, 1)
NEURAL_NETWORK(10, 2)

/// What is left to do when a graph has summed: from sums to neurons, in place.
extern "C" __global__ void neural_network_activate(float* __restrict__ neurons, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) neurons[i] = activation(neurons[i]);
}
