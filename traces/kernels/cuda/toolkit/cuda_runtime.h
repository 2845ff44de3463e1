#pragma once
// The runtime API as far as host code beside kernels must be understood: nothing here is ever executed. Any arguments do.
#include "../../lockstep_cuda.cuh"

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
// What a program may use without including it, as the toolkit includes it.
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime_types.h"

// What clang makes of <<<...>>>.
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr);

#define LOCKSTEP_RUNTIME(name) \
  template <class... T>        \
  cudaError_t name(T...);
#define LOCKSTEP_RUNTIME_TYPED(name) \
  LOCKSTEP_RUNTIME(name)             \
  template <class Named, class... T> \
  cudaError_t name(T...);
LOCKSTEP_RUNTIME(cudaMalloc)
LOCKSTEP_RUNTIME(cudaMallocHost)
LOCKSTEP_RUNTIME(cudaMallocManaged)
LOCKSTEP_RUNTIME(cudaMallocPitch)
LOCKSTEP_RUNTIME(cudaMallocArray)
LOCKSTEP_RUNTIME(cudaMallocAsync)
LOCKSTEP_RUNTIME(cudaMalloc3D)
LOCKSTEP_RUNTIME(cudaMalloc3DArray)
LOCKSTEP_RUNTIME(cudaHostAlloc)
LOCKSTEP_RUNTIME(cudaHostGetDevicePointer)
LOCKSTEP_RUNTIME(cudaHostRegister)
LOCKSTEP_RUNTIME(cudaHostUnregister)
LOCKSTEP_RUNTIME(cudaFree)
LOCKSTEP_RUNTIME(cudaFreeAsync)
LOCKSTEP_RUNTIME(cudaFreeArray)
LOCKSTEP_RUNTIME(cudaFreeHost)
LOCKSTEP_RUNTIME(cudaMemcpy)
LOCKSTEP_RUNTIME(cudaMemcpyAsync)
LOCKSTEP_RUNTIME(cudaMemcpy2D)
LOCKSTEP_RUNTIME(cudaMemcpy2DAsync)
LOCKSTEP_RUNTIME(cudaMemcpy3D)
LOCKSTEP_RUNTIME(cudaMemcpyToArray)
LOCKSTEP_RUNTIME(cudaMemcpy2DToArray)
LOCKSTEP_RUNTIME(cudaMemcpyToSymbol)
LOCKSTEP_RUNTIME(cudaMemcpyToSymbolAsync)
LOCKSTEP_RUNTIME(cudaMemcpyFromSymbol)
LOCKSTEP_RUNTIME(cudaGetSymbolAddress)
LOCKSTEP_RUNTIME(cudaMemset)
LOCKSTEP_RUNTIME(cudaMemsetAsync)
LOCKSTEP_RUNTIME(cudaMemset2D)
LOCKSTEP_RUNTIME(cudaMemGetInfo)
LOCKSTEP_RUNTIME(cudaMemPrefetchAsync)
LOCKSTEP_RUNTIME(cudaMemAdvise)
LOCKSTEP_RUNTIME(cudaDeviceSynchronize)
LOCKSTEP_RUNTIME(cudaDeviceReset)
LOCKSTEP_RUNTIME(cudaDeviceGetAttribute)
LOCKSTEP_RUNTIME(cudaDeviceSetCacheConfig)
LOCKSTEP_RUNTIME(cudaDeviceSetLimit)
LOCKSTEP_RUNTIME(cudaDeviceSetSharedMemConfig)
LOCKSTEP_RUNTIME(cudaThreadSynchronize)
LOCKSTEP_RUNTIME(cudaThreadExit)
LOCKSTEP_RUNTIME(cudaGetLastError)
LOCKSTEP_RUNTIME(cudaPeekAtLastError)
LOCKSTEP_RUNTIME(cudaGetDevice)
LOCKSTEP_RUNTIME(cudaSetDevice)
LOCKSTEP_RUNTIME(cudaSetDeviceFlags)
LOCKSTEP_RUNTIME(cudaGetDeviceCount)
LOCKSTEP_RUNTIME(cudaGetDeviceProperties)
LOCKSTEP_RUNTIME(cudaDriverGetVersion)
LOCKSTEP_RUNTIME(cudaRuntimeGetVersion)
LOCKSTEP_RUNTIME(cudaEventCreate)
LOCKSTEP_RUNTIME(cudaEventCreateWithFlags)
LOCKSTEP_RUNTIME(cudaEventDestroy)
LOCKSTEP_RUNTIME(cudaEventElapsedTime)
LOCKSTEP_RUNTIME(cudaEventQuery)
LOCKSTEP_RUNTIME(cudaEventRecord)
LOCKSTEP_RUNTIME(cudaEventSynchronize)
LOCKSTEP_RUNTIME(cudaStreamCreate)
LOCKSTEP_RUNTIME(cudaStreamCreateWithFlags)
LOCKSTEP_RUNTIME(cudaStreamDestroy)
LOCKSTEP_RUNTIME(cudaStreamQuery)
LOCKSTEP_RUNTIME(cudaStreamSynchronize)
LOCKSTEP_RUNTIME(cudaStreamWaitEvent)
LOCKSTEP_RUNTIME(cudaLaunchKernel)
LOCKSTEP_RUNTIME(cudaLaunchCooperativeKernel)
LOCKSTEP_RUNTIME(cudaProfilerStart)
LOCKSTEP_RUNTIME(cudaProfilerStop)
LOCKSTEP_RUNTIME(cudaBindTexture)
LOCKSTEP_RUNTIME(cudaBindTexture2D)
LOCKSTEP_RUNTIME(cudaBindTextureToArray)
LOCKSTEP_RUNTIME(cudaUnbindTexture)
LOCKSTEP_RUNTIME(cudaCreateTextureObject)
LOCKSTEP_RUNTIME(cudaDestroyTextureObject)
LOCKSTEP_RUNTIME(cudaCreateSurfaceObject)
LOCKSTEP_RUNTIME(cudaDestroySurfaceObject)
// With these the kernel that is meant can be named with its types.
LOCKSTEP_RUNTIME_TYPED(cudaFuncSetAttribute)
LOCKSTEP_RUNTIME_TYPED(cudaFuncSetCacheConfig)
LOCKSTEP_RUNTIME_TYPED(cudaFuncGetAttributes)
LOCKSTEP_RUNTIME_TYPED(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
LOCKSTEP_RUNTIME_TYPED(cudaOccupancyMaxPotentialBlockSize)
#undef LOCKSTEP_RUNTIME_TYPED
#undef LOCKSTEP_RUNTIME

// In their place stand texture objects.
template <class T, int dimensions = 1, int mode = 0>
struct texture {
  static_assert(sizeof(T) == 0, "texture references are no longer in CUDA: let the kernel take a cudaTextureObject_t");
};

const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc();
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind);
cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth);
cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height);
cudaPos make_cudaPos(size_t x, size_t y, size_t z);
#endif
