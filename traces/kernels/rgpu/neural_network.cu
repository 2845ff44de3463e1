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

/// Two chains of operations go on together: an SM issues in order.
#define TOGETHER(pair) asm volatile("" : "+f"(pair[0]), "+f"(pair[1]))

/// Half of each image of a part through the L2 cache alone, where more lines can be under way than in L1: two words of a
/// thread of 256 each. FULL: a part of ten images; otherwise of fewer, and the last one again instead of the others.
template <bool FULL>
__device__ __forceinline__ void load_half(const float* from, unsigned int count, int second, float (&loaded)[20]) {
#pragma unroll
  for (int j = 0; j < 10; ++j) {
    const float* image = FULL ? from : from + min(j, count - 1) * IMAGE;
    const int offset = FULL ? 4 * j * IMAGE : 0;
    asm volatile("ld.global.cg.f32 %0, [%1+%2];" : "=f"(loaded[2 * j]) : "l"(image), "n"(offset));
    asm volatile("ld.global.cg.f32 %0, [%1+%2];" : "=f"(loaded[2 * j + 1]) : "l"(image + second), "n"(offset));
  }
}

template <bool FULL>
__device__ __forceinline__ void store_half(float* to, unsigned int count, int second, const float (&loaded)[20]) {
#pragma unroll
  for (int j = 0; j < 10; ++j) {
    float* image = to + (FULL ? j : min(j, count - 1)) * IMAGE;
    image[0] = loaded[2 * j];
    image[second] = loaded[2 * j + 1];
  }
}

/// Around a graph that multiplies windows of images in scratchpad memory. A block of 256 threads has one of `parts` parts of
/// the images, ten at most, and `pairs` pairs of feature maps; the graph runs twice for a pair, for three input maps each.
/// A thread has a neuron of both maps. `part_reciprocal` is 2^31 over the number of parts, rounded up. Scratchpad memory, in
/// words: weights of the pair from 0, those of the second run where the first has its own; addresses with which the graph
/// begins from 228; from 240, 153 for each image, what it leaves: 25 sums of windows for each input map and feature map;
/// behind them the images.
template <bool FULL>
__device__ __forceinline__ void around_graph(const float* images, const float* weights, float* outputs,
                                             unsigned int first, unsigned int count, unsigned int images_of_part,
                                             unsigned int first_pair, unsigned int pairs) {
  enum { PAIR = 2 * NEURONS, RUN = WEIGHTS / 2, USED = WEIGHTS + 1 + 1 + RUN, LOADS = 228, STORES = 234, SUMS = 240 };
  // The graph adds its first steps to the addresses with which it begins.
  enum { PITCH = 153, HALF = IMAGE / 2, FIRST_LOAD = 3608, FIRST_STORE = 516 };
  extern __shared__ __align__(16) float memory[];
  const int t = threadIdx.x, second = min(t + 256, HALF - 1) - t;
  const float* from = images + first * IMAGE + t;
  float* to = memory + SUMS + images_of_part * PITCH + t;
  float half[20];
  load_half<FULL>(from, count, second, half);
  const float* map = weights + first_pair * 2 * (WEIGHTS + 1);
  const int own = min(t, USED - 1);
  float first_weight = map[own], second_weight = map[own + RUN];
  const unsigned int row = t / NEURONS, column = t - row * NEURONS;
  const unsigned int last = min(first_pair + pairs, OUTPUTS / 2);
  const float* sums = memory + SUMS + min(row, count - 1) * PITCH + column;
  float* neuron = outputs + ((first + row) * OUTPUTS + 2 * first_pair) * NEURONS + column;
  int loads = 4 * (t % 3 * EDGE * EDGE + t / 3 * 2) - FIRST_LOAD, stores = 4 * NEURONS * t - FIRST_STORE;
  asm volatile("" : "+r"(loads), "+r"(stores));
  store_half<FULL>(to, count, second, half);
  // The other half comes while the graph runs for the first time.
  load_half<FULL>(from + HALF, count, second, half);
  if (t < USED) memory[t] = first_weight;
#pragma unroll 1
  for (unsigned int pair = first_pair;; ++pair) {
    if (t < 6) {
      ((int*)memory)[LOADS + t] = loads;
      ((int*)memory)[STORES + t] = stores;
    }
    asm volatile("bar.sync 15;" ::: "memory");
    float part[8] = {memory[0], memory[WEIGHTS + 1]};
#pragma unroll
    for (int k = 0; k < 6; ++k) part[k + 2] = sums[k * NEURONS];
    if (t < USED && t != 0 && t != WEIGHTS + 1) memory[t] = second_weight;
    if (t < 6) ((int*)memory)[LOADS + t] = loads + 2 * IMAGE;
    if (pair == first_pair) store_half<FULL>(to + HALF, count, second, half);
    // Of the next pair; of this one again at the end.
    if (pair + 1 < last) map += 2 * (WEIGHTS + 1);
    first_weight = map[own], second_weight = map[own + RUN];
    asm volatile("bar.sync 15;" ::: "memory");
    float rest[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) rest[k] = sums[k * NEURONS];
    if (t < USED) memory[t] = first_weight;
    float sum[2] = {part[0] + part[2], part[1] + part[3]};
#pragma unroll
    for (int k = 4; k < 8; ++k) {
      sum[k % 2] += part[k];
      if (k % 2 == 1) TOGETHER(sum);
    }
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      sum[k % 2] += rest[k];
      if (k % 2 == 1) TOGETHER(sum);
    }
    // Twice activation().
    float power[2] = {__exp2f(1.9235934f * sum[0]), __exp2f(1.9235934f * sum[1])};
    TOGETHER(power);
    if (row < count) {
      neuron[0] = 1.7159f - __fdividef(3.4318f, power[0] + 1.0f);
      neuron[NEURONS] = 1.7159f - __fdividef(3.4318f, power[1] + 1.0f);
    }
    neuron += PAIR;
    if (pair + 1 >= last) return;
  }
}

extern "C" __global__ void neural_network_around_graph(const float* images, const float* weights, float* outputs,
                                                       unsigned int image_count, unsigned int parts,
                                                       unsigned int part_reciprocal, unsigned int images_of_part,
                                                       unsigned int pairs) {
  const unsigned int group = __umulhi(2 * blockIdx.x, part_reciprocal);
  const unsigned int first = (blockIdx.x - group * parts) * images_of_part;
  const unsigned int count = min(images_of_part, image_count - first);
  if (count == 10) {
    around_graph<true>(images, weights, outputs, first, 10, 10, group * pairs, pairs);
  } else {
    around_graph<false>(images, weights, outputs, first, count, images_of_part, group * pairs, pairs);
  }
}
