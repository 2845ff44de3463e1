// Runs chains of PTX instructions that pass the condition code on, on a real GPU, and prints what they leave: the expected
// values of tests/unit/isa/exec/arithmetic/carry_test.cpp.
//
//   nvcc -arch=native -o carry_chains carry_chains.cu && ./carry_chains > carries.txt
//
// The first line lists rows of the operands a, b, c, d and e. Each further line is a chain, then behind '|' for each row
// what it leaves in x and y. Numbers are hexadecimal, operands of 64 bits have zeros above.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Chain {
  const char* text;
  void (*kernel)(const uint32_t*, uint32_t*);
};

#define DEFINE(name, type, constraint, width, text)                                                                    \
  __global__ void name(const uint32_t* in, uint32_t* out) {                                                            \
    type x, y;                                                                                                         \
    asm volatile("{.reg ." width " x, y, a, b, c, d, e; mov." width " a, %2; mov." width " b, %3; mov." width          \
                 " c, %4; mov." width " d, %5; mov." width " e, %6; " text " mov." width " %0, x; mov." width          \
                 " %1, y;}"                                                                                            \
                 : "=" constraint(x), "=" constraint(y)                                                                \
                 : constraint(type(in[0])), constraint(type(in[1])), constraint(type(in[2])), constraint(type(in[3])), \
                   constraint(type(in[4])));                                                                           \
    out[0] = static_cast<uint32_t>(x);                                                                                 \
    out[1] = static_cast<uint32_t>(y);                                                                                 \
  }
// Every way to set the condition code with every way to read it.
#define AND_READ(name, text)                                                             \
  DEFINE(name##_then_addc, uint32_t, "r", "u32", text " addc.u32 y, 100, 0;")            \
  DEFINE(name##_then_subc, uint32_t, "r", "u32", text " subc.u32 y, 100, 0;")            \
  DEFINE(name##_then_madc_low, uint32_t, "r", "u32", text " madc.lo.u32 y, e, 7, 100;")  \
  DEFINE(name##_then_madc_high, uint32_t, "r", "u32", text " madc.hi.u32 y, e, 7, 100;") \
  constexpr Chain name[] = {{text " addc.u32 y, 100, 0;", name##_then_addc},             \
                            {text " subc.u32 y, 100, 0;", name##_then_subc},             \
                            {text " madc.lo.u32 y, e, 7, 100;", name##_then_madc_low},   \
                            {text " madc.hi.u32 y, e, 7, 100;", name##_then_madc_high}};

AND_READ(add, "add.cc.u32 x, a, b;")
AND_READ(sub, "sub.cc.u32 x, a, b;")
AND_READ(mad_low, "mad.lo.cc.u32 x, a, b, c;")
AND_READ(mad_high, "mad.hi.cc.u32 x, a, b, c;")
AND_READ(add_addc, "add.cc.u32 x, d, 1; addc.cc.u32 x, a, b;")
AND_READ(sub_subc, "sub.cc.u32 x, d, 1; subc.cc.u32 x, a, b;")
AND_READ(sub_addc, "sub.cc.u32 x, d, 1; addc.cc.u32 x, a, b;")
AND_READ(add_subc, "add.cc.u32 x, d, 1; subc.cc.u32 x, a, b;")
AND_READ(add_madc_low, "add.cc.u32 x, d, 1; madc.lo.cc.u32 x, a, b, c;")
AND_READ(add_madc_high, "add.cc.u32 x, d, 1; madc.hi.cc.u32 x, a, b, c;")
AND_READ(sub_madc_low, "sub.cc.u32 x, d, 1; madc.lo.cc.u32 x, a, b, c;")

DEFINE(wide_add, uint64_t, "l", "u64", "add.cc.u64 x, a, b; addc.u64 y, 100, 0;")
DEFINE(wide_sub, uint64_t, "l", "u64", "sub.cc.u64 x, a, b; addc.u64 y, 100, 0;")
constexpr Chain wide[] = {{"add.cc.u64 x, a, b; addc.u64 y, 100, 0;", wide_add},
                          {"sub.cc.u64 x, a, b; addc.u64 y, 100, 0;", wide_sub}};

constexpr uint32_t all = 0xffffffff;
constexpr uint32_t rows[][5] = {{5, 3, 0, 0, 2},     {3, 5, 0, 0, 2},        {5, 5, 0, 0, 2},       {all, 1, 0, 0, 2},
                                {0, 0, 0, 0, 2},     {0, 1, 0, 0, 2},        {all, all, all, 0, 2}, {5, 3, 0, 7, 2},
                                {3, 5, 0, 7, 2},     {5, 5, 0, 7, 2},        {5, 5, 0, all, 2},     {all, 0, 0, all, 2},
                                {7, 7, all, all, 2}, {all, all, all, all, 2}};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "carry_chains: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

template <int count>
void run(const Chain (&chains)[count], uint32_t* in, uint32_t* out) {
  for (const Chain& chain : chains) {
    std::printf("%s |", chain.text);
    for (const auto& row : rows) {
      uint32_t result[2];
      check(cudaMemcpy(in, row, sizeof row, cudaMemcpyHostToDevice));
      chain.kernel<<<1, 1>>>(in, out);
      check(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
      std::printf(" %x %x", result[0], result[1]);
    }
    std::printf("\n");
  }
}

}  // namespace

int main() {
  uint32_t *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, sizeof rows[0]));
  check(cudaMalloc(&out, 2 * sizeof *out));
  for (const auto& row : rows) std::printf("%x %x %x %x %x ", row[0], row[1], row[2], row[3], row[4]);
  std::printf("\n");
  run(add, in, out);
  run(sub, in, out);
  run(mad_low, in, out);
  run(mad_high, in, out);
  run(add_addc, in, out);
  run(sub_subc, in, out);
  run(sub_addc, in, out);
  run(add_subc, in, out);
  run(add_madc_low, in, out);
  run(add_madc_high, in, out);
  run(sub_madc_low, in, out);
  run(wide, in, out);
}
