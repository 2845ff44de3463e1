// How many accesses to memory a warp issues before it is held: the clock behind N accesses of one kind, each of which takes the
// load-store units long. A warp of the thread block does this alone, beside one of the same scheduler, and beside one of another.
//
//   nvcc -O2 -std=c++17 -o access_queue tools/capture/access_queue.cu && ./access_queue
//
// A line per kind and other warp: for each N, cycles from the first access to the clock behind the last.
#include <cuda_runtime.h>

#include <cstdio>

enum Kind { shared_load, shared_store, wide_shared_store, shared_add, global_load, global_store, global_add };
static const char* const names[] = {"ld.shared",    "st.shared",       "st.shared.v4", "red.shared",
                                    "ld.global.ca", "st.global", "red.global"};

template <Kind kind, int count>
__global__ void issue(unsigned* out, unsigned* global, unsigned* cycles, int other) {
  extern __shared__ unsigned memory[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) memory[i] = i;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Lanes lie 128 bytes apart: in one bank, or in lines of their own.
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + lane * 128;
  unsigned* const pointer = global + lane * 32;
  unsigned value[count] = {}, sum = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {  // The last finds code and lines in their caches.
    __syncthreads();
    if (warp != 0 && warp != static_cast<unsigned>(other)) continue;
    unsigned start, stop;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
#pragma unroll
    for (int n = 0; n < count; ++n) {
      if (kind == shared_load) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value[n]) : "r"(address) : "memory");
      if (kind == shared_store) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(lane) : "memory");
      if (kind == wide_shared_store)
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(lane), "r"(sum), "r"(start),
                     "r"(warp)
                     : "memory");
      if (kind == shared_add) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(lane) : "memory");
      if (kind == global_load)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value[n]) : "l"(pointer + n * 1024) : "memory");
      if (kind == global_store) asm volatile("st.global.u32 [%0], %1;" ::"l"(pointer + n * 1024), "r"(lane) : "memory");
      if (kind == global_add) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(pointer + n * 1024), "r"(lane) : "memory");
    }
    asm volatile("mov.u32 %0, %%clock;" : "=r"(stop)::"memory");
#pragma unroll
    for (int n = 0; n < count; ++n) sum ^= value[n];
    if (lane == 0) cycles[warp] = stop - start;
  }
  out[threadIdx.x] = sum;
}

template <Kind kind, int count>
void measure(unsigned* out, unsigned* global, unsigned* cycles, int other) {
  unsigned best = ~0u;
  for (int times = 0; times < 4; ++times) {
    unsigned now = 0;
    issue<kind, count><<<1, 256, 32768>>>(out, global, cycles, other);
    cudaMemcpy(&now, cycles, sizeof now, cudaMemcpyDeviceToHost);
    best = now < best ? now : best;
  }
  std::printf(" %d:%u", count, best);
}

template <Kind kind>
void measure_all(unsigned* out, unsigned* global, unsigned* cycles) {
  for (const int other : {0, 4, 1}) {
    std::printf("%s, %s:", names[kind], other == 0 ? "alone" : other == 4 ? "two of a scheduler" : "two of two schedulers");
    measure<kind, 1>(out, global, cycles, other), measure<kind, 2>(out, global, cycles, other);
    measure<kind, 3>(out, global, cycles, other), measure<kind, 4>(out, global, cycles, other);
    measure<kind, 6>(out, global, cycles, other), measure<kind, 7>(out, global, cycles, other);
    measure<kind, 8>(out, global, cycles, other), measure<kind, 9>(out, global, cycles, other);
    measure<kind, 10>(out, global, cycles, other), measure<kind, 11>(out, global, cycles, other);
    measure<kind, 12>(out, global, cycles, other), measure<kind, 14>(out, global, cycles, other);
    measure<kind, 16>(out, global, cycles, other), measure<kind, 18>(out, global, cycles, other);
    measure<kind, 24>(out, global, cycles, other);
    std::printf("\n");
  }
}

int main() {
  unsigned *out = nullptr, *global = nullptr, *cycles = nullptr;
  cudaMalloc(&out, 1024), cudaMalloc(&global, 1 << 20), cudaMalloc(&cycles, 1024);
  cudaMemset(global, 0, 1 << 20);
  measure_all<shared_load>(out, global, cycles), measure_all<shared_store>(out, global, cycles);
  measure_all<wide_shared_store>(out, global, cycles), measure_all<shared_add>(out, global, cycles);
  measure_all<global_load>(out, global, cycles), measure_all<global_store>(out, global, cycles);
  measure_all<global_add>(out, global, cycles);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
