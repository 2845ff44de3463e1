// Compares the special function unit of isa/exec/arithmetic/special_functions.hpp with a GPU: every .approx.ftz.f32 function
// for all 2^32 arguments. On a machine with a GPU, from the project's root:
//
//   g++ -std=c++20 -O2 -ffp-contract=off -I. -c isa/exec/arithmetic/special_functions.cpp -o functions.o
//   g++ -std=c++20 -O2 -I. -c isa/exec/arithmetic/special_function_tables.cpp -o tables.o
//   nvcc -std=c++17 -O2 -arch=native -I. tools/capture/special_functions.cu functions.o tables.o -o special_functions
//   ./special_functions
//
// Prints how many results differ for each function, with the first of them; exit code 1 when any does.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "isa/exec/arithmetic/special_functions.hpp"

namespace special = lockstep::exec::special;

namespace {

#define GPU_FUNCTION(name, instruction)               \
  struct name {                                       \
    static __device__ float apply(float x) {          \
      float y;                                        \
      asm(instruction " %0, %1;" : "=f"(y) : "f"(x)); \
      return y;                                       \
    }                                                 \
  };
GPU_FUNCTION(Reciprocal, "rcp.approx.ftz.f32")
GPU_FUNCTION(ReciprocalRoot, "rsqrt.approx.ftz.f32")
GPU_FUNCTION(Root, "sqrt.approx.ftz.f32")
GPU_FUNCTION(Logarithm, "lg2.approx.ftz.f32")
GPU_FUNCTION(Power, "ex2.approx.ftz.f32")
GPU_FUNCTION(Sine, "sin.approx.ftz.f32")
GPU_FUNCTION(Cosine, "cos.approx.ftz.f32")

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// What sin.approx and cos.approx multiply with before the unit, rounded towards zero.
float revolutions(float x) {
  const double product = static_cast<double>(x) * 0.15915493667125701904f;
  const float nearest = static_cast<float>(product);
  return std::fabs(nearest) > std::fabs(product) ? std::nextafterf(nearest, 0.0f) : nearest;
}
float sine(float x) {
  return special::sine(revolutions(x));
}
float cosine(float x) {
  return special::cosine(revolutions(x));
}

constexpr std::uint32_t part = 1u << 28;

template <class Function>
__global__ void evaluate(std::uint32_t first, std::uint32_t* out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __float_as_uint(Function::apply(__uint_as_float(first + i)));
}

template <class Function>
bool compare(const char* name, float (*model)(float), std::uint32_t* device, std::vector<std::uint32_t>& host) {
  std::uint64_t differ = 0;
  std::uint32_t example = 0, measured = 0;
  for (std::uint32_t k = 0; k < 16; ++k) {
    evaluate<Function><<<part / 256, 256>>>(k * part, device);
    if (cudaMemcpy(host.data(), device, std::size_t{part} * 4, cudaMemcpyDeviceToHost) != cudaSuccess) {
      std::fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
      return false;
    }
    const unsigned threads = std::thread::hardware_concurrency() > 0 ? std::thread::hardware_concurrency() : 1;
    std::vector<std::uint64_t> wrong(threads, 0);
    std::vector<std::uint32_t> first(threads, 0);
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        for (std::uint64_t i = std::uint64_t{part} * t / threads; i < std::uint64_t{part} * (t + 1) / threads; ++i) {
          const auto argument = static_cast<std::uint32_t>(k * std::uint64_t{part} + i);
          if (bits_of(model(float_of(argument))) != host[i] && wrong[t]++ == 0)
            first[t] = static_cast<std::uint32_t>(i);
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    for (unsigned t = 0; t < threads; ++t) {
      if (wrong[t] != 0 && differ == 0) {
        example = k * part + first[t];
        measured = host[first[t]];
      }
      differ += wrong[t];
    }
  }
  std::printf("%-12s %llu of 2^32 results differ\n", name, static_cast<unsigned long long>(differ));
  if (differ != 0) {
    std::printf("  of %08x: the GPU gives %08x, the model %08x\n", example, measured,
                bits_of(model(float_of(example))));
  }
  return differ == 0;
}

}  // namespace

int main() {
  std::uint32_t* device = nullptr;
  if (cudaMalloc(&device, std::size_t{part} * 4) != cudaSuccess) {
    std::fprintf(stderr, "no GPU with 1 GiB of free memory: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 3;
  }
  std::vector<std::uint32_t> host(part);
  bool same = true;
  same &= compare<Reciprocal>("reciprocal", special::reciprocal, device, host);
  same &= compare<ReciprocalRoot>("reciprocal root", special::reciprocal_root, device, host);
  same &= compare<Root>("root", special::root, device, host);
  same &= compare<Logarithm>("logarithm", special::logarithm, device, host);
  same &= compare<Power>("power", special::power, device, host);
  same &= compare<Sine>("sine", sine, device, host);
  same &= compare<Cosine>("cosine", cosine, device, host);
  return same ? 0 : 1;
}
