// What CUDA's headers make of barriers and pipelines of a thread block, and of its asynchronous copies.
#include <cuda_awbarrier_primitives.h>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
extern "C" __global__ void bar(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[256];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  auto t = b.arrive();
  b.wait(std::move(t));
  out[threadIdx.x] = s[255 - threadIdx.x];
  b.arrive_and_wait();
}
extern "C" __global__ void cgcopy(const int* in, int* out, int n) {
  extern __shared__ int buf[];
  auto block = cg::this_thread_block();
  for (int i = 0; i < n; ++i) {
    cg::memcpy_async(block, buf, in + i * blockDim.x, sizeof(int) * blockDim.x);
    cg::wait(block);
    out[i * blockDim.x + threadIdx.x] = buf[blockDim.x - 1 - threadIdx.x];
    block.sync();
  }
}
extern "C" __global__ void pipe(const int4* in, int4* out, int n) {
  extern __shared__ int4 buf4[];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto p = cuda::make_pipeline(block, &st);
  for (int i = 0, f = 0; i < n; ++i) {
    for (; f < n && f < i + 2; ++f) {
      p.producer_acquire();
      cuda::memcpy_async(block, buf4 + (f % 2) * blockDim.x, in + f * blockDim.x,
                         cuda::aligned_size_t<16>(sizeof(int4) * blockDim.x), p);
      p.producer_commit();
    }
    p.consumer_wait();
    out[i * blockDim.x + threadIdx.x] = buf4[(i % 2) * blockDim.x + blockDim.x - 1 - threadIdx.x];
    p.consumer_release();
  }
}
extern "C" __global__ void tpipe(const int* in, int* out, int n) {
  extern __shared__ int buf[];
  auto p = cuda::make_pipeline();
  for (int i = 0, f = 0; i < n; ++i) {
    for (; f < n && f < i + 2; ++f) {
      p.producer_acquire();
      cuda::memcpy_async(buf + (f % 2) * blockDim.x + threadIdx.x, in + f * blockDim.x + threadIdx.x, 4, p);
      p.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(p);
    out[i * blockDim.x + threadIdx.x] = buf[(i % 2) * blockDim.x + threadIdx.x];
    p.consumer_release();
  }
}
extern "C" __global__ void aw(int* out) {
  __shared__ __mbarrier_t m;
  if (threadIdx.x == 0) __mbarrier_init(&m, blockDim.x);
  __syncthreads();
  auto t = __mbarrier_arrive(&m);
  out[threadIdx.x] = __mbarrier_token_pending_count(t);
  while (!__mbarrier_test_wait(&m, t)) {
  }
  auto u = __mbarrier_arrive_and_drop(&m);
  while (!__mbarrier_test_wait(&m, u)) {
  }
  __syncthreads();
  if (threadIdx.x == 0) __mbarrier_inval(&m);
}
