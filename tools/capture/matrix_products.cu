// Compares the matrix products of isa/exec/matrix/dot_product.hpp with a GPU: random factors and addends of eight kinds (near
// one; of wide ranges; any bits; mostly zeros; sums that cancel; subnormal factors; powers of two; overflows), and all elements of
// each product. On a machine with a GPU, from the project's root:
//
//   g++ -std=c++20 -O2 -ffp-contract=off -I. -c isa/exec/matrix/dot_product.cpp -o dot_product.o
//   nvcc -std=c++20 -O2 -arch=native -I. tools/capture/matrix_products.cu dot_product.o -o matrix_products
//   ./matrix_products 4096           # of each type and shape: products, results that differ, the first of them
//   ./matrix_products --lines 48     # single results with their operands, for the tests
//
// Exit code 1 when a result differs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "isa/exec/matrix/dot_product.hpp"

namespace matrix = lockstep::exec::matrix;

namespace {

using Bits = std::uint64_t;
using Word = std::uint32_t;

__host__ __device__ Word mix(Word x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

/// Which matrix an element belongs to.
enum Matrix { of_a, of_b, of_c };

struct Place {
  Word kind, test;
  Matrix matrix;
  Word row, column;
};

__host__ __device__ Word random_at(const Place& p) {
  return mix(p.kind * 0x9e3779b9 + p.matrix + mix(p.test * 0x85ebca6b + mix(p.row * 0xc2b2ae35 + mix(p.column + 0x27d4eb2f))));
}

struct Format {
  int exponent_bits, fraction_bits;
};

__host__ __device__ Bits assemble(const Format& f, Word sign, int exponent, Bits fraction) {
  const int largest = (1 << f.exponent_bits) - 1;
  exponent = exponent < 0 ? 0 : exponent > largest ? largest : exponent;
  const Bits bits = Bits(exponent) << f.fraction_bits | (fraction & ((Bits(1) << f.fraction_bits) - 1));
  return bits | Bits(sign & 1) << (f.exponent_bits + f.fraction_bits);
}

/// The element of test number p.test, whose kind of numbers is p.test % 8.
__host__ __device__ Bits element(const Format& f, Place p) {
  const Word mode = p.test % 8;
  const bool is_c = p.matrix == of_c;
  Word& along = p.matrix == of_a ? p.column : p.row;
  Word negated = 0;
  if (mode == 4 && !is_c && along % 2 == 1) {
    --along;  // Products come in pairs, of which A negates one.
    negated = p.matrix == of_a ? 1 : 0;
  }
  const Word h = random_at(p), g = mix(h + 1), q = mix(g + 1);
  const Bits fraction = Bits(g) << 32 | q;
  const int bias = (1 << (f.exponent_bits - 1)) - 1, largest = 2 * bias + 1;
  const int spread = f.exponent_bits == 5 ? 12 : 20;
  const auto within = [&](int least, int most) { return least + int(h % Word(most - least + 1)); };
  const Word sign = (h >> 31) ^ negated;
  switch (mode) {
    case 0: return assemble(f, sign, is_c ? bias + within(-3, 5) : bias + within(-2, 2), fraction);
    case 1: return assemble(f, sign, bias + (is_c ? within(-2 * spread, 2 * spread) : within(-spread, spread)), fraction);
    case 2: {
      const bool special = q % 64 == 0;
      const int exponent = f.exponent_bits == 5 || is_c ? within(0, largest - 1) : bias + within(-40, 40);
      return special ? assemble(f, sign, largest, q % 128 == 0 ? fraction : 0) : assemble(f, sign, exponent, fraction);
    }
    case 3:
      if (is_c ? q % 2 == 0 : q % 6 != 0) return assemble(f, sign, 0, 0);
      return assemble(f, sign, bias + (is_c ? within(-2 * spread, 2 * spread) : within(-spread, spread)), fraction);
    case 4: return assemble(f, sign, bias + (is_c ? within(-30, 0) : within(-4, 4)), fraction);
    case 5:
      if (p.matrix == of_a) return assemble(f, sign, h % 3 == 0 ? 1 : 0, fraction);
      return assemble(f, sign, is_c && q % 2 == 0 ? within(0, 3) : bias + within(is_c ? -2 * spread : -spread, spread), fraction);
    case 6: return assemble(f, sign, bias + (is_c ? within(-20, 20) : within(-10, 10)), is_c && q % 2 == 0 ? fraction : 0);
    default:
      if (p.matrix == of_b) return assemble(f, sign, bias + within(-2, 2), fraction);
      return assemble(f, sign, largest - 1 - int(h % 4), fraction);
  }
}

// ---- the GPU's side: fragments as PTX ISA says, results by row and column ----

struct Lane {
  Word row = threadIdx.x % 32 / 4, column = threadIdx.x % 4;
  Word test = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
};

template <int elements>
__device__ Word fragment(const Format& f, Place p, bool down) {
  Word bits = 0;
  for (int j = 0; j < elements; ++j) {
    const Word one = Word(element(f, p)) << (elements == 1 ? 13 : 0);  // One element is a .tf32, in the upper bits.
    bits |= one << (j * 16);
    down ? ++p.row : ++p.column;
  }
  // What is behind a .tf32 does not count.
  return elements == 1 && p.test % 3 == 0 ? bits | (random_at(p) & 0x1fff) : bits;
}

template <int elements, int depth>
__device__ void load(const Format& f, Word kind, const Lane& lane, Word (&a)[4], Word (&b)[2]) {
  for (int r = 0; r < depth / (2 * elements); ++r) {
    const Word column = r / 2 * 4 * elements + lane.column * elements;
    a[r] = fragment<elements>(f, {kind, lane.test, of_a, lane.row + 8 * (r % 2), column}, false);
  }
  for (int r = 0; r < depth / (4 * elements); ++r)
    b[r] = fragment<elements>(f, {kind, lane.test, of_b, r * 4 * elements + lane.column * elements, lane.row}, true);
}

#define FLOATS(name, elements, depth, text)                                                                          \
  __global__ void name(Format f, Word kind, Bits* results) {                                                         \
    const Lane lane;                                                                                                 \
    Word a[4] = {}, b[2] = {};                                                                                       \
    load<elements, depth>(f, kind, lane, a, b);                                                                      \
    float d[4];                                                                                                      \
    for (Word i = 0; i < 4; ++i)                                                                                     \
      d[i] = __uint_as_float(                                                                                        \
          Word(element({8, 23}, {kind, lane.test, of_c, lane.row + 8 * (i / 2), lane.column * 2 + i % 2})));         \
    asm volatile("mma.sync.aligned." text                                                                            \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                    \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                \
    for (Word i = 0; i < 4; ++i)                                                                                     \
      results[lane.test * 128 + (lane.row + 8 * (i / 2)) * 8 + lane.column * 2 + i % 2] = __float_as_uint(d[i]);     \
  }
#define HALVES(name, depth, text)                                                                                    \
  __global__ void name(Format f, Word kind, Bits* results) {                                                         \
    const Lane lane;                                                                                                 \
    Word a[4] = {}, b[2] = {}, d[2];                                                                                 \
    load<2, depth>(f, kind, lane, a, b);                                                                             \
    for (Word i = 0; i < 2; ++i)                                                                                     \
      d[i] = fragment<2>(f, {kind, lane.test, of_c, lane.row + 8 * i, lane.column * 2}, false);                      \
    asm volatile("mma.sync.aligned." text                                                                            \
                 : "+r"(d[0]), "+r"(d[1])                                                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                \
    for (Word i = 0; i < 4; ++i)                                                                                     \
      results[lane.test * 128 + (lane.row + 8 * (i / 2)) * 8 + lane.column * 2 + i % 2] =                            \
          d[i / 2] >> 16 * (i % 2) & 0xffff;                                                                         \
  }
#define LONG " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define SHORT " {%0, %1, %2, %3}, {%4, %5}, {%8}, {%0, %1, %2, %3};"
FLOATS(f16_k16, 2, 16, "m16n8k16.row.col.f32.f16.f16.f32" LONG)
FLOATS(f16_k8, 2, 8, "m16n8k8.row.col.f32.f16.f16.f32" SHORT)
HALVES(half_k16, 16, "m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};")
HALVES(half_k8, 8, "m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%6}, {%0, %1};")
FLOATS(bf16_k16, 2, 16, "m16n8k16.row.col.f32.bf16.bf16.f32" LONG)
FLOATS(bf16_k8, 2, 8, "m16n8k8.row.col.f32.bf16.bf16.f32" SHORT)
FLOATS(tf32_k8, 1, 8, "m16n8k8.row.col.f32.tf32.tf32.f32" LONG)
FLOATS(tf32_k4, 1, 4, "m16n8k4.row.col.f32.tf32.tf32.f32" SHORT)

__global__ void f64_k4(Format f, Word kind, Bits* results) {
  const Lane lane;
  const double a = __longlong_as_double(element(f, {kind, lane.test, of_a, lane.row, lane.column}));
  const double b = __longlong_as_double(element(f, {kind, lane.test, of_b, lane.column, lane.row}));
  double d[2];
  for (Word i = 0; i < 2; ++i)
    d[i] = __longlong_as_double(element(f, {kind, lane.test, of_c, lane.row, lane.column * 2 + i}));
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a), "d"(b));
  for (Word i = 0; i < 2; ++i)
    results[lane.test * 128 + lane.row * 8 + lane.column * 2 + i] = __double_as_longlong(d[i]);
}

// ---- the host's side ----

struct Kind {
  const char* name;
  void (*run)(Format, Word, Bits*);
  Format in, out;
  Word rows, depth;
  matrix::Precision precision;
};
using matrix::Precision;
const Kind kinds[] = {
    {"f16_k16", f16_k16, {5, 10}, {8, 23}, 16, 16, Precision::f16_to_f32},
    {"f16_k8", f16_k8, {5, 10}, {8, 23}, 16, 8, Precision::f16_to_f32},
    {"half_k16", half_k16, {5, 10}, {5, 10}, 16, 16, Precision::f16_to_f16},
    {"half_k8", half_k8, {5, 10}, {5, 10}, 16, 8, Precision::f16_to_f16},
    {"bf16_k16", bf16_k16, {8, 7}, {8, 23}, 16, 16, Precision::bf16_to_f32},
    {"bf16_k8", bf16_k8, {8, 7}, {8, 23}, 16, 8, Precision::bf16_to_f32},
    {"tf32_k8", tf32_k8, {8, 10}, {8, 23}, 16, 8, Precision::tf32_to_f32},
    {"tf32_k4", tf32_k4, {8, 10}, {8, 23}, 16, 4, Precision::tf32_to_f32},
    {"f64_k4", f64_k4, {11, 52}, {11, 52}, 8, 4, {}},
};

/// The operands of one element of a result.
struct Operands {
  std::vector<Bits> a, b;
  Bits c;
};

Operands operands_of(Word number, Word test, Word row, Word column) {
  const Kind& kind = kinds[number];
  Operands all;
  for (Word k = 0; k < kind.depth; ++k) {
    all.a.push_back(element(kind.in, {number, test, of_a, row, k}));
    all.b.push_back(element(kind.in, {number, test, of_b, k, column}));
  }
  all.c = element(kind.out, {number, test, of_c, row, column});
  return all;
}

double number_of(Bits bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

Bits expected(const Kind& kind, const Operands& operands) {
  if (kind.in.exponent_bits == 11) {
    double sum = number_of(operands.c);
    for (Word k = 0; k < kind.depth; ++k) sum = matrix::next_sum(number_of(operands.a[k]), number_of(operands.b[k]), sum);
    Bits bits;
    std::memcpy(&bits, &sum, sizeof bits);
    return bits;
  }
  const int shift = kind.precision == Precision::tf32_to_f32 ? 13 : 0;
  matrix::Factors a, b;
  for (Word k = 0; k < kind.depth; ++k) {
    matrix::set_factor(kind.precision, a, k, Word(operands.a[k]) << shift);
    matrix::set_factor(kind.precision, b, k, Word(operands.b[k]) << shift);
  }
  return matrix::dot_product(kind.precision, a, b, kind.depth, Word(operands.c));
}

void print(const Kind& kind, const Operands& operands, Bits result) {
  const auto digits = [](const Format& f) { return (f.exponent_bits + f.fraction_bits + 4) / 4; };
  std::printf("%s", kind.name);
  for (const Bits one : operands.a) std::printf(" %0*llx", digits(kind.in), static_cast<unsigned long long>(one));
  for (const Bits one : operands.b) std::printf(" %0*llx", digits(kind.in), static_cast<unsigned long long>(one));
  std::printf(" %0*llx", digits(kind.out), static_cast<unsigned long long>(operands.c));
  std::printf(" %0*llx\n", digits(kind.out), static_cast<unsigned long long>(result));
}

std::vector<Bits> run(Word number, Word tests) {
  std::vector<Bits> results(std::size_t(tests) * 128);
  Bits* device = nullptr;
  cudaMalloc(&device, results.size() * sizeof(Bits));
  kinds[number].run<<<tests / 4, 128>>>(kinds[number].in, number, device);
  const cudaError_t error =
      cudaMemcpy(results.data(), device, results.size() * sizeof(Bits), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", kinds[number].name, cudaGetErrorString(error));
    std::exit(3);
  }
  cudaFree(device);
  return results;
}

}  // namespace

int main(int count, char** arguments) {
  const bool lines = count > 2 && std::string(arguments[1]) == "--lines";
  const Word asked = count > 1 ? static_cast<Word>(std::atoi(arguments[lines ? 2 : 1])) : 0;
  if (asked == 0) {
    std::fprintf(stderr, "usage: matrix_products [--lines] TESTS\n");
    return 2;
  }
  const Word tests = (asked + 3) / 4 * 4;
  bool all_equal = true;
  for (Word number = 0; number < std::size(kinds); ++number) {
    const Kind& kind = kinds[number];
    const std::vector<Bits> results = run(number, tests);
    std::size_t differ = 0, compared = 0;
    for (Word test = 0; test < tests; ++test) {
      for (Word at = 0; at < kind.rows * 8; ++at) {
        const Bits result = results[std::size_t(test) * 128 + at];
        if (lines && at != test * 37 % (kind.rows * 8)) continue;
        const Operands operands = operands_of(number, test, at / 8, at % 8);
        if (lines) print(kind, operands, result);
        ++compared;
        if (expected(kind, operands) == result) continue;
        if (++differ == 1 && !lines) print(kind, operands, result);
      }
    }
    all_equal = all_equal && differ == 0;
    if (!lines) std::printf("%-9s %zu results, %zu differ\n", kind.name, compared, differ);
  }
  return all_equal ? 0 : 1;
}
