// How long divisions, reciprocals and square roots with IEEE rounding take with operands of each kind: a line "OPERATION DIVIDEND DIVISOR:
// CYCLES ONE", cycles of each in a chain where all lanes of a warp have these operands, and where one lane has and the others divide
// 3 by 7. What is above the time of 3 and 7 goes to the compiler's subroutine for rare operands.
//   nvcc -std=c++17 -arch=native -O2 -o rare_operands rare_operands.cu && ./rare_operands
// What it shows on an H100 stands in isa/machine/tables/hopper.cpp and isa/exec/arithmetic/rare_operands.hpp.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum class Operation { divide, reciprocal, root };

template <Operation operation>
__device__ float compute(float a, float b) {
  if (operation == Operation::divide) return __fdiv_rn(a, b);
  return operation == Operation::reciprocal ? __frcp_rn(b) : __fsqrt_rn(b);
}
template <Operation operation>
__device__ double compute(double a, double b) {
  if (operation == Operation::divide) return __ddiv_rn(a, b);
  return operation == Operation::reciprocal ? __drcp_rn(b) : __dsqrt_rn(b);
}

/// `zero` keeps the compiler from seeing that each round has the same operands; each waits for the result of the one before.
template <class Number, class Bits, Operation operation>
__global__ void time_chain(const Number* a, const Number* b, Number* results, long long* cycles, int rounds,
                           Bits zero) {
  Number x = a[threadIdx.x], y = b[threadIdx.x], result = 0;
  Bits x_bits, y_bits, result_bits;
  memcpy(&x_bits, &x, sizeof x);
  memcpy(&y_bits, &y, sizeof y);
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    memcpy(&x, &x_bits, sizeof x);
    memcpy(&y, &y_bits, sizeof y);
    result = compute<operation>(x, y);
    memcpy(&result_bits, &result, sizeof result);
    x_bits ^= result_bits & zero;
    y_bits ^= result_bits & zero;
  }
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  results[threadIdx.x] = result;
}

template <class Number, class Bits, Operation operation>
void measure(const char* name, double denormal, double tiny, double small, double huge) {
  const double large = 1 / small;
  const double operands[][2] = {{3, 7},         {-3, 7},        {3, -7},       {0, 7},        {3, 0},
                                {0, 0},         {denormal, 7},  {3, denormal}, {tiny, 7},     {3, huge},
                                {large, small}, {small, large}, {INFINITY, 7}, {3, INFINITY}, {NAN, 7}};
  Number *device, host[64];
  long long *cycles, counted[2];
  cudaMalloc(&device, 3 * 32 * sizeof(Number));
  cudaMalloc(&cycles, sizeof *cycles);
  for (const auto& [a, b] : operands) {
    std::printf("%s %g %g:", name, a, b);
    for (const int lanes : {32, 1}) {
      for (int lane = 0; lane < 32; ++lane) {
        host[lane] = static_cast<Number>(lane < lanes ? a : 3);
        host[32 + lane] = static_cast<Number>(lane < lanes ? b : 7);
      }
      cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
      for (int warm = 0; warm < 4; ++warm)
        for (int n = 0; n < 2; ++n) {
          time_chain<Number, Bits, operation><<<1, 32>>>(device, device + 32, device + 64, cycles, 64 << n, 0);
          if (cudaMemcpy(&counted[n], cycles, sizeof *cycles, cudaMemcpyDeviceToHost) != cudaSuccess) {
            std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
            std::exit(3);
          }
        }
      std::printf(" %.1f", static_cast<double>(counted[1] - counted[0]) / 64);
    }
    std::printf("\n");
  }
  cudaFree(device);
  cudaFree(cycles);
}

int main() {
  measure<float, unsigned, Operation::divide>("div.f32", 1e-40, 1e-33, 1e-20, 1e38);
  measure<float, unsigned, Operation::reciprocal>("rcp.f32", 1e-40, 1e-33, 1e-20, 1e38);
  measure<float, unsigned, Operation::root>("sqrt.f32", 1e-40, 1e-33, 1e-20, 1e38);
  measure<double, unsigned long long, Operation::divide>("div.f64", 1e-310, 1e-293, 1e-200, 1e308);
  measure<double, unsigned long long, Operation::reciprocal>("rcp.f64", 1e-310, 1e-293, 1e-200, 1e308);
  measure<double, unsigned long long, Operation::root>("sqrt.f64", 1e-310, 1e-293, 1e-200, 1e308);
}
