// Compiled by both compilers into the .ptx files beside this one; README.md has the commands.
#ifdef __CUDACC_RTC__
#error "compile with nvcc or clang"
#endif
#ifndef __NVCC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
__device__ inline int thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int block_index() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline void wait() { __nvvm_bar_sync(0); }
__device__ inline void add(int* place, int value) { __nvvm_atom_add_gen_i(place, value); }
#else
__device__ inline int thread_index() { return threadIdx.x; }
__device__ inline int block_index() { return blockIdx.x; }
__device__ inline void wait() { __syncthreads(); }
__device__ inline void add(int* place, int value) { atomicAdd(place, value); }
#endif

struct Pair {
  int number;
  float weight;
};

__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int cells[8];
__device__ int* const third_cell = cells + 2;

__device__ __attribute__((noinline)) int pick(int index, const int* from) {
  if (index > 3) return from[index & 1];
  return from[0] * 3;
}

__device__ __attribute__((noinline)) Pair make_pair(int number) { return {number, number * 0.5f}; }

extern "C" __global__ void gather(int* out, const float* in, int n, Pair extra) {
  __shared__ int tile[128];
  extern __shared__ int dynamic[];
  const int i = block_index() * 128 + thread_index();
  int kept[4];
  for (int j = 0; j < 4; ++j) kept[j] = out[i + j];
  tile[thread_index()] = pick(i, kept);
  dynamic[thread_index()] = factors[i & 3] + *third_cell;
  wait();
  add(&tile[(i * 7) & 127], extra.number);
  wait();
  const Pair pair = make_pair(i);
  if (i < n) out[i] = tile[127 - thread_index()] + dynamic[0] + pair.number + static_cast<int>(pair.weight * in[i]);
}

extern "C" __global__ void classify(int* out, int n) {
  const int i = thread_index();
  for (int k = i; k < n; k += 32) {
    switch (out[k] & 7) {
      case 0: out[k] += 3; break;
      case 1: out[k] *= 5; break;
      case 2: out[k] ^= 9;
      case 3: out[k] -= k; break;
      default:
        while (out[k] > 100) out[k] /= 7;
    }
  }
}
