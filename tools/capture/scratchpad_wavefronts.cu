// Wide accesses to scratchpad memory, one launch of one warp for each line of a file: "KIND MASK E0 ... E31", where KIND is 0
// (load 8 bytes per lane), 1 (load 16), 2 (store 8) or 3 (store 16), MASK the active lanes in hexadecimal and E the number
// of the element that each lane names. A profiler counts their wavefronts:
//   nvcc -arch=native -o wavefronts scratchpad_wavefronts.cu
//   ncu --csv --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum ./wavefronts PATTERNS
// On an H200 every launch counts one more than its access makes.

#include <cstdio>

constexpr int lanes = 32, kinds = 4, bytes = 32768;

template <int kind>
__global__ void access(const int* element, unsigned mask, float* out) {
  extern __shared__ float memory[];
  constexpr unsigned width = kind % 2 == 0 ? 8 : 16;
  const unsigned lane = threadIdx.x;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + element[lane] * width;
  float a = lane, b = 0, c = 0, d = 0;
  if ((mask >> lane & 1) != 0) {
    if (kind == 0) asm volatile("ld.volatile.shared.v2.f32 {%0,%1},[%2];" : "=f"(a), "=f"(b) : "r"(address));
    if (kind == 1)
      asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3},[%4];"
                   : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                   : "r"(address));
    if (kind == 2) asm volatile("st.volatile.shared.v2.f32 [%0],{%1,%1};" ::"r"(address), "f"(a));
    if (kind == 3) asm volatile("st.volatile.shared.v4.f32 [%0],{%1,%1,%1,%1};" ::"r"(address), "f"(a));
  }
  out[lane] = a + b + c + d;
}

int main(int count, char** arguments) {
  std::FILE* const file = count == 2 ? std::fopen(arguments[1], "r") : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "usage: wavefronts PATTERNS\n");
    return 2;
  }
  void (*const kernels[kinds])(const int*, unsigned, float*) = {access<0>, access<1>, access<2>, access<3>};
  int* element = nullptr;
  float* out = nullptr;
  cudaMalloc(&element, lanes * sizeof *element);
  cudaMalloc(&out, lanes * sizeof *out);
  int kind = 0;
  unsigned mask = 0;
  while (std::fscanf(file, "%d %x", &kind, &mask) == 2) {
    int elements[lanes];
    for (int& one : elements)
      if (std::fscanf(file, "%d", &one) != 1) return 2;
    if (kind < 0 || kind >= kinds) return 2;
    cudaMemcpy(element, elements, sizeof elements, cudaMemcpyHostToDevice);
    kernels[kind]<<<1, lanes, bytes>>>(element, mask, out);
  }
  std::fclose(file);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
