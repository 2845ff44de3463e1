#pragma once
// Cooperative groups: thread blocks, tiles of warps, the threads that are active together, and grids.
#include "../../lockstep_cuda.cuh"

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
#define LOCKSTEP_GROUP __device__ __forceinline__ __attribute__((nodebug))

namespace cooperative_groups {

class thread_block {
 public:
  LOCKSTEP_GROUP static void sync() { __syncthreads(); }
  LOCKSTEP_GROUP static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  LOCKSTEP_GROUP static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  LOCKSTEP_GROUP static unsigned num_threads() { return size(); }
  LOCKSTEP_GROUP static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  LOCKSTEP_GROUP static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  LOCKSTEP_GROUP static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  LOCKSTEP_GROUP static dim3 dim_threads() { return group_dim(); }
};
LOCKSTEP_GROUP static thread_block this_thread_block() {
  return {};
}

/// Needs a launch that is cooperative.
class grid_group {
 public:
  LOCKSTEP_GROUP static bool is_valid() { return workspace() != nullptr; }
  LOCKSTEP_GROUP static unsigned long long size() { return (unsigned long long)num_blocks() * thread_block::size(); }
  LOCKSTEP_GROUP static unsigned long long num_threads() { return size(); }
  LOCKSTEP_GROUP static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  LOCKSTEP_GROUP static unsigned block_rank() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  LOCKSTEP_GROUP static unsigned long long thread_rank() {
    return (unsigned long long)block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  LOCKSTEP_GROUP static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  LOCKSTEP_GROUP static dim3 dim_blocks() { return group_dim(); }
  /// Blocks count up in the low bits; the first one adds what carries into the highest bit when all have come.
  LOCKSTEP_GROUP static void sync() {
    if (!is_valid()) asm volatile("trap;");
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      unsigned* const arrived = workspace() + 1;
      const unsigned step = block_rank() == 0 ? 0x80000000u - (num_blocks() - 1) : 1;
      __threadfence();
      const unsigned before = atomicAdd(arrived, step);
      while (((*(volatile unsigned*)arrived ^ before) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  LOCKSTEP_GROUP static unsigned* workspace() {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned*)((unsigned long long)high << 32 | low);
  }
};
LOCKSTEP_GROUP static grid_group this_grid() {
  return {};
}

/// Some lanes of a warp, numbered from 0.
class lockstep_lanes {
 public:
  LOCKSTEP_GROUP explicit lockstep_lanes(unsigned mask) : mask_(mask) {}
  LOCKSTEP_GROUP void sync() const { __syncwarp(mask_); }
  LOCKSTEP_GROUP int any(int predicate) const { return __any_sync(mask_, predicate); }
  LOCKSTEP_GROUP int all(int predicate) const { return __all_sync(mask_, predicate); }

 protected:
  LOCKSTEP_GROUP static unsigned lane() { return thread_block::thread_rank() % 32; }
  unsigned mask_;
};

template <unsigned lanes, class Parent = void>
class thread_block_tile;
template <unsigned lanes>
class thread_block_tile<lanes, void> : public lockstep_lanes {
 public:
  LOCKSTEP_GROUP thread_block_tile()
      : lockstep_lanes(lanes == 32 ? ~0u : ((1u << (lanes % 32)) - 1) << (lane() / lanes * lanes)) {}
  LOCKSTEP_GROUP static unsigned thread_rank() { return thread_block::thread_rank() % lanes; }
  LOCKSTEP_GROUP static constexpr unsigned size() { return lanes; }
  LOCKSTEP_GROUP static constexpr unsigned num_threads() { return lanes; }
  LOCKSTEP_GROUP static unsigned meta_group_rank() { return thread_block::thread_rank() / lanes; }
  LOCKSTEP_GROUP static unsigned meta_group_size() { return (thread_block::size() + lanes - 1) / lanes; }
  template <class T>
  LOCKSTEP_GROUP T shfl(T value, int rank) const {
    return __shfl_sync(mask_, value, rank, (int)lanes);
  }
  template <class T>
  LOCKSTEP_GROUP T shfl_up(T value, unsigned distance) const {
    return __shfl_up_sync(mask_, value, distance, (int)lanes);
  }
  template <class T>
  LOCKSTEP_GROUP T shfl_down(T value, unsigned distance) const {
    return __shfl_down_sync(mask_, value, distance, (int)lanes);
  }
  template <class T>
  LOCKSTEP_GROUP T shfl_xor(T value, int mask) const {
    return __shfl_xor_sync(mask_, value, mask, (int)lanes);
  }
  LOCKSTEP_GROUP unsigned ballot(int predicate) const {
    return __ballot_sync(mask_, predicate) >> (lane() / lanes * lanes) & (~0u >> (32 - lanes));
  }
};
template <unsigned lanes, class Parent>
class thread_block_tile : public thread_block_tile<lanes> {};
template <unsigned lanes, class Group>
LOCKSTEP_GROUP static thread_block_tile<lanes, Group> tiled_partition(const Group&) {
  return {};
}

class coalesced_group : public lockstep_lanes {
 public:
  LOCKSTEP_GROUP explicit coalesced_group(unsigned mask) : lockstep_lanes(mask) {}
  LOCKSTEP_GROUP unsigned thread_rank() const { return __popc(mask_ & ((1u << lane()) - 1)); }
  LOCKSTEP_GROUP unsigned size() const { return __popc(mask_); }
  LOCKSTEP_GROUP unsigned num_threads() const { return size(); }
  template <class T>
  LOCKSTEP_GROUP T shfl(T value, unsigned rank) const {
    unsigned rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    return __shfl_sync(mask_, value, __ffs(rest) - 1);
  }
};
LOCKSTEP_GROUP static coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

template <class Group>
LOCKSTEP_GROUP static void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
#undef LOCKSTEP_GROUP
#endif
