#pragma once
// What the CUDA runtime does for a kernel: output, memory of the heap, assertions.

extern "C" {
/// clang passes the arguments to vprintf, whose format is CUDA's.
__device__ int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
__device__ void* malloc(size_t bytes);
__device__ void free(void* address);
/// What the macro of <assert.h> calls.
__device__ void __assert_fail(const char* condition, const char* file, unsigned int line,
                              const char* function) noexcept __attribute__((noreturn));
}

// clang's own header has the operators `new` and `delete` of kernels, which call malloc and free. It comes with a C++ library.
#if __has_include(<new>)
#include <new>
#endif
