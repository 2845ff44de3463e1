// wmma: products of matrices in memory against their definition, on small integers of which every sum is exact.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/isa/exec/matrix/operands.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;

namespace {

struct Kind {
  unsigned m, n, k;
  std::string factors, c, d;  ///< Types of the elements.
  unsigned registers_of_a, registers_of_b;

  std::string shape() const { return fmt::format("m{}n{}k{}", m, n, k); }
};

unsigned bytes_of_type(const std::string& type) {
  if (type == "f64") return 8;
  if (type == "f16" || type == "bf16") return 2;
  return type == "s8" || type == "u8" ? 1 : 4;
}

using Matrix = std::vector<std::vector<int>>;

Matrix draw(unsigned rows, unsigned columns, int least, int most, std::mt19937& random) {
  Matrix values(rows, std::vector<int>(columns));
  for (auto& row : values)
    for (int& value : row) value = std::uniform_int_distribution<int>(least, most)(random);
  return values;
}

/// A matrix in memory, from byte `at` on; `pitch` elements from line to line.
struct Place {
  std::string type;
  bool columns;
  unsigned at, pitch;
};

void put(std::vector<std::uint8_t>& memory, const Matrix& matrix, const Place& place) {
  const unsigned bytes = bytes_of_type(place.type);
  for (unsigned row = 0; row < matrix.size(); ++row) {
    for (unsigned column = 0; column < matrix[row].size(); ++column) {
      const unsigned element = place.columns ? column * place.pitch + row : row * place.pitch + column;
      const std::uint64_t bits = bits_of(matrix[row][column], place.type);
      std::memcpy(&memory.at(place.at + element * bytes), &bits, bytes);
    }
  }
}

constexpr unsigned matrix_bytes = 8192, all_bytes = 4 * matrix_bytes;

/// Copies all matrices to or from scratchpad memory.
std::string copy(bool in) {
  return fmt::format(
      "mov.u32 %r1, 0;\n{0}: shl.b32 %r2, %r0, 3; add.u32 %r2, %r2, %r1; cvt.u64.u32 %rd2, %r2; add.s64 %rd2, %rd0, "
      "%rd2;\nmov.u32 %r3, tile; add.u32 %r3, %r3, %r2;\nld.{1} %rd3, [{2}]; st.{3} [{4}], %rd3;\nadd.u32 %r1, %r1, "
      "256; setp.lt.u32 %p1, %r1, {5}; @%p1 bra {0};\nbar.sync 0;\n",
      in ? "IN" : "OUT", in ? "global.u64" : "shared.u64", in ? "%rd2" : "%r3", in ? "shared.u64" : "global.u64",
      in ? "%r3" : "%rd2", all_bytes);
}

/// How matrices lie and are named.
struct Layouts {
  bool a_columns, b_columns, c_columns;
  std::string space;  ///< "global", "shared" or "".
  bool stride_in_register;
  unsigned spare;  ///< Elements between lines.
};

std::string operands(const Layouts& layouts, unsigned at, const std::string& registers, bool stores, unsigned pitch) {
  const std::string address = fmt::format("[{}+{}]", layouts.space == "shared" ? "%r4" : "%rd4", at);
  const std::string stride = layouts.stride_in_register ? "%r5" : std::to_string(pitch);
  return stores ? fmt::format("{}, {}, {};\n", address, registers, stride)
                : fmt::format("{}, {}, {};\n", registers, address, stride);
}

void check_product(const Kind& kind, const Layouts& layouts, std::mt19937& random) {
  const bool wide = kind.factors == "f64";
  const unsigned pitch = (kind.m == 32 || kind.n == 32 ? 32 : 16) + layouts.spare;
  const auto [a, b, c] =
      std::tuple(draw(kind.m, kind.k, kind.factors == "u8" ? 0 : -5, 5, random),
                 draw(kind.k, kind.n, kind.factors == "u8" ? 0 : -5, 5, random), draw(kind.m, kind.n, -9, 9, random));
  std::vector<std::uint8_t> memory(all_bytes, 0xcd), expected;
  put(memory, a, {kind.factors, layouts.a_columns, 0, pitch});
  put(memory, b, {kind.factors, layouts.b_columns, matrix_bytes, pitch});
  put(memory, c, {kind.c, layouts.c_columns, 2 * matrix_bytes, pitch});
  expected = memory;
  Matrix d = c;
  for (unsigned row = 0; row < kind.m; ++row)
    for (unsigned column = 0; column < kind.n; ++column)
      for (unsigned k = 0; k < kind.k; ++k) d[row][column] += a[row][k] * b[k][column];
  put(expected, d, {kind.d, layouts.c_columns, 3 * matrix_bytes, pitch});

  const auto sums = [&](const std::string& type, unsigned first) {
    const std::string letter = wide ? "%fd" : type == "f32" ? "%f" : "%r";
    return list(letter, first, wide ? 2 : type == "f16" ? 4 : 8);
  };
  const std::string of_a = list(wide ? "%fd" : "%r", wide ? 0 : 10, kind.registers_of_a);
  const std::string of_b = list(wide ? "%fd" : "%r", wide ? 1 : 20, kind.registers_of_b);
  const std::string of_c = sums(kind.c, kind.c == "f32" ? 0 : wide ? 2 : 30);
  const std::string of_d = sums(kind.d, kind.d == "f32" ? 8 : wide ? 4 : 40);
  const auto order = [](bool columns) { return columns ? "col" : "row"; };
  const auto name = [&](const char* what, bool columns, const std::string& type) {
    return fmt::format("wmma.{}.sync.aligned.{}.{}{}{}.{} ", what, order(columns), kind.shape(),
                       layouts.space.empty() ? "" : ".", layouts.space, type);
  };
  const std::string types = kind.factors == "f16"
                                ? kind.d + "." + kind.c
                                : fmt::format("{}.{}.{}.{}", kind.d, kind.factors, kind.factors, kind.c);
  const bool shared = layouts.space == "shared";
  std::string body = shared ? copy(true) + "mov.u32 %r4, tile;\n" : "mov.u64 %rd4, %rd0;\n";
  body += fmt::format("mov.u32 %r5, {};\n", pitch);
  body += name("load.a", layouts.a_columns, kind.factors) + operands(layouts, 0, of_a, false, pitch);
  body += name("load.b", layouts.b_columns, kind.factors) + operands(layouts, matrix_bytes, of_b, false, pitch);
  body += name("load.c", layouts.c_columns, kind.c) + operands(layouts, 2 * matrix_bytes, of_c, false, pitch);
  body += fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\n", order(layouts.a_columns),
                      order(layouts.b_columns), kind.shape(), types, of_d, of_a, of_b, of_c);
  body += name("store.d", layouts.c_columns, kind.d) + operands(layouts, 3 * matrix_bytes, of_d, true, pitch);
  if (shared) body += "bar.sync 0;\n" + copy(false);
  Body whole{body, fmt::format(".shared .align 32 .b8 tile[{}];", all_bytes), 32, 0, values_of<std::uint64_t>(memory)};
  INFO(body);
  CHECK(whole.program().run<std::uint8_t>() == expected);
}

// Registers as the PTX ISA lists them: of f16 always eight.
const Kind kinds[] = {{16, 16, 16, "f16", "f32", "f32", 8, 8},  {32, 8, 16, "f16", "f32", "f32", 8, 8},
                      {8, 32, 16, "f16", "f32", "f32", 8, 8},   {16, 16, 16, "f16", "f16", "f16", 8, 8},
                      {32, 8, 16, "f16", "f16", "f16", 8, 8},   {8, 32, 16, "f16", "f16", "f16", 8, 8},
                      {16, 16, 16, "f16", "f16", "f32", 8, 8},  {8, 32, 16, "f16", "f32", "f16", 8, 8},
                      {16, 16, 16, "bf16", "f32", "f32", 4, 4}, {32, 8, 16, "bf16", "f32", "f32", 8, 2},
                      {8, 32, 16, "bf16", "f32", "f32", 2, 8},  {16, 16, 16, "s8", "s32", "s32", 2, 2},
                      {32, 8, 16, "s8", "s32", "s32", 4, 1},    {8, 32, 16, "s8", "s32", "s32", 1, 4},
                      {16, 16, 16, "u8", "s32", "s32", 2, 2},   {32, 8, 16, "u8", "s32", "s32", 4, 1},
                      {8, 32, 16, "u8", "s32", "s32", 1, 4},    {16, 16, 8, "tf32", "f32", "f32", 4, 4},
                      {8, 8, 4, "f64", "f64", "f64", 1, 1}};

}  // namespace

TEST_CASE("a product of matrices in memory is that of its definition, in every shape, type, order and state space",
          "[exec][matrix][wmma]") {
  std::mt19937 random(5);
  for (const Kind& kind : kinds) {
    // Eight lines of 16 bytes apart, as ldmatrix wants them.
    const unsigned spare = kind.factors == "f64" ? 2 : kind.factors == "tf32" ? 4 : 16;
    for (unsigned n = 0; n < 16; ++n) {
      const std::string space = n % 3 == 0 ? "shared" : n % 3 == 1 ? "global" : "";
      check_product(kind, {(n & 1) != 0, (n & 2) != 0, (n & 4) != 0, space, n % 5 < 2, (n & 8) != 0 ? spare : 0},
                    random);
    }
  }
}
