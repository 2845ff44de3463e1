// What goes through the data stage of the scratchpad beside its accesses: one launch of one thread block for each kernel below and
// for 1, 2 and 4 warps. A profiler counts the wavefronts:
//   nvcc -std=c++17 -arch=native -o data_stage_uses data_stage_uses.cu
//   ncu --csv --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,smsp__inst_executed_pipe_lsu.sum ./data_stage_uses
// What each of them counts on an H200 stands in isa/machine/README.md.

#include <cstdio>

__device__ unsigned thread() { return threadIdx.x + blockIdx.x * blockDim.x; }

#define READS(name, reg)                                 \
  __global__ void reads_##name(unsigned* out) {          \
    unsigned value;                                      \
    asm volatile("mov.u32 %0, " reg ";" : "=r"(value));  \
    out[value & 1023] = 1;                               \
  }
READS(tid_x, "%%tid.x")
READS(tid_y, "%%tid.y")
READS(ctaid_x, "%%ctaid.x")
READS(laneid, "%%laneid")
READS(warpid, "%%warpid")
READS(lanemask_lt, "%%lanemask_lt")
READS(smid, "%%smid")
READS(clock, "%%clock")

__global__ void nothing(unsigned*) {}
__global__ void shuffles(unsigned* out) {
  unsigned x = thread();
  for (int k = 0; k < 8; ++k) x = __shfl_sync(~0u, x, (x + 3) & 31);
  out[thread()] = x;
}
__global__ void votes(unsigned* out) {
  unsigned x = thread();
  for (int k = 0; k < 8; ++k) x += __ballot_sync(~0u, x & 5);
  out[thread()] = x;
}
__global__ void reductions(unsigned* out) {
  unsigned x = thread();
  for (int k = 0; k < 4; ++k) x += __reduce_add_sync(~0u, x & 5);
  out[thread()] = x;
}
__global__ void matches(unsigned* out) {
  unsigned x = thread();
  for (int k = 0; k < 4; ++k) x += __match_any_sync(~0u, x & 5);
  out[thread()] = x;
}
__global__ void barrier_at_the_end(unsigned*) { __syncthreads(); }
template <int count>
__global__ void barriers(unsigned* out) {
  __shared__ unsigned word[128];
  word[threadIdx.x] = threadIdx.x;
  for (int k = 0; k < count; ++k) {
    __syncthreads();
    word[threadIdx.x] += word[threadIdx.x ^ 1];
  }
  out[thread()] = word[threadIdx.x];
}
__global__ void barriers_in_a_row(unsigned* out) {
  for (int k = 0; k < 4; ++k) __syncthreads();
  out[thread()] = 1;
}
__global__ void store_without_lanes(unsigned* out, unsigned none) {
  __shared__ unsigned word[128];
  word[threadIdx.x] = 0;
  if (threadIdx.x >= none) word[threadIdx.x ^ 3] = 1;
  __syncthreads();
  out[thread()] = word[threadIdx.x ^ 1];
}
__global__ void load_without_lanes(unsigned* out, unsigned none) {
  __shared__ unsigned word[128];
  word[threadIdx.x] = 0;
  __syncthreads();
  unsigned x = 0;
  if (threadIdx.x >= none) x = word[threadIdx.x ^ 1];
  out[thread()] = x;
}
__global__ void global_load_without_lanes(unsigned* out, unsigned none) {
  unsigned x = 0;
  if (threadIdx.x >= none) x = out[thread() + 4096];
  out[thread()] = x;
}
__global__ void fences(unsigned* out) {
  out[thread()] = 1;
  __threadfence();
  out[thread() + 4096] = 1;
}

int main() {
  constexpr unsigned none = 9999;
  unsigned* out = nullptr;
  cudaMalloc(&out, 1 << 20);
  cudaMemset(out, 0, 1 << 20);
  void (*const plain[])(unsigned*) = {nothing,     reads_tid_x,       reads_tid_y,  reads_ctaid_x,      reads_laneid,
                                      reads_warpid, reads_lanemask_lt, reads_smid,   reads_clock,        shuffles,
                                      votes,       reductions,        matches,      barrier_at_the_end, barriers<1>,
                                      barriers<2>, barriers<4>,       barriers_in_a_row, fences};
  void (*const guarded[])(unsigned*, unsigned) = {store_without_lanes, load_without_lanes, global_load_without_lanes};
  for (const int warps : {1, 2, 4}) {
    for (const auto kernel : plain) kernel<<<1, 32 * warps>>>(out);
    for (const auto kernel : guarded) kernel<<<1, 32 * warps>>>(out, none);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
}
