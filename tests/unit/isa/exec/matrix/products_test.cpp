// mma: against its definition on small integers, of which every sum is exact, and against an H100.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "isa/exec/matrix/dot_product.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/exec/matrix/operands.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Matchers::Contains;
using matrix::Precision;

namespace {

/// A product of PTX ISA 9.7.14: its modifiers, the type of its factors and how many lie in a register, A's size, and how many
/// registers C takes.
struct Shape {
  std::string modifiers, type;
  unsigned per_register, rows, depth, c_registers;
};

/// What each lane has in its registers, in the order A, B, C; each is 8 bytes of the buffer.
using Registers = std::vector<std::vector<std::uint64_t>>;

struct Case {
  std::vector<std::vector<int>> a, b, c;
};

Case random_case(const Shape& shape, std::mt19937& random) {
  const auto draw = [&](unsigned rows, unsigned columns, int least, int most) {
    std::vector<std::vector<int>> values(rows, std::vector<int>(columns));
    for (auto& row : values)
      for (int& value : row) value = std::uniform_int_distribution<int>(least, most)(random);
    return values;
  };
  const int least = shape.type == "u8" ? 0 : -5;
  return {draw(shape.rows, shape.depth, least, 5), draw(shape.depth, 8, least, 5), draw(shape.rows, 8, -9, 9)};
}

/// The fragments as the figures of PTX ISA 9.7.14.5 have them: a group of four lanes has a row of A and C, and a column of B;
/// a further register is 8 rows down, then the next columns.
Registers registers_of(const Shape& shape, const Case& values, const std::string& sum) {
  Registers all(32);
  const unsigned e = shape.per_register, width = shape.type == "f64" ? 64 : 32 / e;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane / 4, member = lane % 4;
    const auto packed = [&](auto&& value) {
      std::uint64_t bits = 0;
      for (unsigned j = 0; j < e; ++j) bits |= bits_of(value(j), shape.type) << (j * width % 64);
      all[lane].push_back(bits);
    };
    for (unsigned k = 0; k < shape.depth; k += 4 * e)
      for (unsigned down = 0; down < shape.rows; down += 8)
        packed([&](unsigned j) { return values.a[group + down][k + member * e + j]; });
    for (unsigned k = 0; k < shape.depth; k += 4 * e)
      packed([&](unsigned j) { return values.b[k + member * e + j][group]; });
    for (unsigned down = 0; down < shape.rows; down += 8) {
      const int left = values.c[group + down][member * 2], right = values.c[group + down][member * 2 + 1];
      if (sum == "f16") {
        all[lane].push_back(bits_of(left, sum) | bits_of(right, sum) << 16);
      } else {
        all[lane].push_back(bits_of(left, sum));
        all[lane].push_back(bits_of(right, sum));
      }
    }
  }
  return all;
}

/// The C registers of each lane after the instruction. D takes the registers of C.
std::vector<std::uint64_t> run_product(const Shape& shape, const Registers& registers) {
  const bool wide = shape.type == "f64";
  const std::string letter = wide ? "%fd" : "%r";
  const unsigned words = static_cast<unsigned>(registers[0].size()), c = words - shape.c_registers;
  const unsigned b = shape.depth / (4 * shape.per_register), first = 2;
  std::string body =
      fmt::format("mul.lo.u32 %r1, %r0, {}; cvt.u64.u32 %rd2, %r1; add.s64 %rd2, %rd0, %rd2;\n", 8 * words);
  for (unsigned i = 0; i < words; ++i)
    body += fmt::format("ld.global.{} {}{}, [%rd2+{}];\n", wide ? "f64" : "u32", letter, first + i, 8 * i);
  body += fmt::format("mma.sync.aligned.{} {}, {}, {}, {};\n", shape.modifiers,
                      list(letter, first + c, shape.c_registers), list(letter, first, c - b),
                      list(letter, first + c - b, b), list(letter, first + c, shape.c_registers));
  for (unsigned i = c; i < words; ++i)
    body += fmt::format("st.global.{} [%rd2+{}], {}{};\n", wide ? "f64" : "u32", 8 * i, letter, first + i);
  Body whole{body, "", 32, 0, {}};
  for (const auto& lane : registers) whole.initial.insert(whole.initial.end(), lane.begin(), lane.end());
  std::vector<std::uint64_t> after;
  const auto left = whole.program().run<std::uint64_t>();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = c; i < words; ++i) after.push_back(left[lane * words + i]);
  return after;
}

std::vector<std::uint64_t> expected_sums(const Shape& shape, const Case& values, const std::string& sum) {
  Case product = values;
  for (unsigned row = 0; row < shape.rows; ++row)
    for (unsigned column = 0; column < 8; ++column)
      for (unsigned k = 0; k < shape.depth; ++k) product.c[row][column] += values.a[row][k] * values.b[k][column];
  const Registers registers = registers_of(shape, product, sum);
  std::vector<std::uint64_t> all;
  for (const auto& lane : registers) all.insert(all.end(), lane.end() - shape.c_registers, lane.end());
  return all;
}

}  // namespace

TEST_CASE("a product of matrices of small integers is that of its definition, in every shape and type",
          "[exec][matrix]") {
  const std::pair<Shape, std::string> shapes[] = {
      {{"m16n8k8.row.col.f32.f16.f16.f32", "f16", 2, 16, 8, 4}, "f32"},
      {{"m16n8k16.row.col.f32.f16.f16.f32", "f16", 2, 16, 16, 4}, "f32"},
      {{"m16n8k8.row.col.f16.f16.f16.f16", "f16", 2, 16, 8, 2}, "f16"},
      {{"m16n8k16.row.col.f16.f16.f16.f16", "f16", 2, 16, 16, 2}, "f16"},
      {{"m16n8k8.row.col.f32.bf16.bf16.f32", "bf16", 2, 16, 8, 4}, "f32"},
      {{"m16n8k16.row.col.f32.bf16.bf16.f32", "bf16", 2, 16, 16, 4}, "f32"},
      {{"m16n8k4.row.col.f32.tf32.tf32.f32", "tf32", 1, 16, 4, 4}, "f32"},
      {{"m16n8k8.row.col.f32.tf32.tf32.f32", "tf32", 1, 16, 8, 4}, "f32"},
      {{"m16n8k16.row.col.s32.s8.s8.s32", "s8", 4, 16, 16, 4}, "s32"},
      {{"m16n8k32.row.col.s32.s8.s8.s32", "s8", 4, 16, 32, 4}, "s32"},
      {{"m16n8k32.row.col.satfinite.s32.u8.u8.s32", "u8", 4, 16, 32, 4}, "s32"},
      {{"m8n8k4.row.col.f64.f64.f64.f64", "f64", 1, 8, 4, 2}, "f64"},
  };
  std::mt19937 random(17);
  for (const auto& [shape, sum] : shapes) {
    INFO(shape.modifiers);
    for (unsigned n = 0; n < 4; ++n) {
      const Case values = random_case(shape, random);
      CHECK(run_product(shape, registers_of(shape, values, sum)) == expected_sums(shape, values, sum));
    }
  }
}

TEST_CASE("integer sums wrap around, or stop at the limits with .satfinite, and each factor has its own sign",
          "[exec][matrix]") {
  // A and B are all ones bits: -1 or 255.
  const auto sums = [](const std::string& modifiers, std::uint64_t c) {
    const Shape shape{"m16n8k16.row.col." + modifiers, "s8", 4, 16, 16, 4};
    Registers registers(32, {0xffffffff, 0xffffffff, 0xffffffff, c, c, c, c});
    return static_cast<std::int32_t>(run_product(shape, registers)[0]);
  };
  CHECK(sums("s32.s8.s8.s32", 5) == 5 + 16);
  CHECK(sums("s32.u8.s8.s32", 5) == 5 - 16 * 255);
  CHECK(sums("s32.s8.u8.s32", 5) == 5 - 16 * 255);
  CHECK(sums("s32.u8.u8.s32", 5) == 5 + 16 * 255 * 255);
  CHECK(sums("s32.u8.u8.s32", 0x7fffffff) == std::numeric_limits<std::int32_t>::min() + 16 * 255 * 255 - 1);
  CHECK(sums("satfinite.s32.u8.u8.s32", 0x7fffffff) == std::numeric_limits<std::int32_t>::max());
  CHECK(sums("satfinite.s32.u8.s8.s32", 0x80000000) == std::numeric_limits<std::int32_t>::min());
}

TEST_CASE("dot products have the bits of an H100", "[exec][matrix]") {
  struct Kind {
    std::size_t depth;
    Precision precision;
  };
  const std::map<std::string, Kind> kinds{
      {"f16_k16", {16, Precision::f16_to_f32}},   {"f16_k8", {8, Precision::f16_to_f32}},
      {"half_k16", {16, Precision::f16_to_f16}},  {"half_k8", {8, Precision::f16_to_f16}},
      {"bf16_k16", {16, Precision::bf16_to_f32}}, {"bf16_k8", {8, Precision::bf16_to_f32}},
      {"tf32_k8", {8, Precision::tf32_to_f32}},   {"tf32_k4", {4, Precision::tf32_to_f32}},
      {"f64_k4", {4, Precision::f16_to_f16}}};
  std::ifstream file(source_dir() + "/tests/unit/isa/exec/matrix/inputs/h100_products.txt");
  std::map<std::string, unsigned> compared;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const Kind kind = kinds.at(name);
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 0; words >> std::hex >> number;) numbers.push_back(number);
    REQUIRE(numbers.size() == 2 * kind.depth + 2);
    const std::uint64_t c = numbers[2 * kind.depth], d = numbers.back();
    INFO(line);
    ++compared[name];
    if (name == "f64_k4") {
      double sum = std::bit_cast<double>(c);
      for (std::size_t k = 0; k < kind.depth; ++k)
        sum = matrix::next_sum(std::bit_cast<double>(numbers[k]), std::bit_cast<double>(numbers[kind.depth + k]), sum);
      CHECK(std::bit_cast<std::uint64_t>(sum) == d);
      continue;
    }
    matrix::Factors a, b;
    const int shift = kind.precision == Precision::tf32_to_f32 ? 13 : 0;
    for (unsigned k = 0; k < kind.depth; ++k) {
      matrix::set_factor(kind.precision, a, k, static_cast<std::uint32_t>(numbers[k] << shift));
      matrix::set_factor(kind.precision, b, k, static_cast<std::uint32_t>(numbers[kind.depth + k] << shift));
    }
    CHECK(matrix::dot_product(kind.precision, a, b, static_cast<unsigned>(kind.depth), static_cast<std::uint32_t>(c)) ==
          d);
  }
  for (const auto& [name, kind] : kinds) CHECK(compared[name] == 32);
}

TEST_CASE("terms are cut off 25 bits behind the largest exponent before they are added, and so is the sum",
          "[exec][matrix]") {
  // By hand: 1 * 1 and fifteen products of 2^-25 or less, whose exact sum would count.
  const auto sum = [](std::uint32_t one, std::uint32_t small, std::uint32_t c) {
    matrix::Factors a, b;
    for (unsigned k = 0; k < 16; ++k) {
      matrix::set_factor(Precision::bf16_to_f32, a, k, k == 0 ? one : small);
      matrix::set_factor(Precision::bf16_to_f32, b, k, 0x3f80);
    }
    return std::bit_cast<float>(matrix::dot_product(Precision::bf16_to_f32, a, b, 16, c));
  };
  const std::uint32_t one = 0x3f80, minus_one = 0xbf80;
  const auto power = [](int exponent) { return static_cast<std::uint32_t>(127 + exponent) << 7; };
  CHECK(sum(one, power(-26), 0) == 1.0f);                                 // Each is cut off.
  CHECK(sum(one, power(-25), 0) == 1.0f + 3 * 0x1p-23f);                  // 15 * 2^-25, cut off to 2^-23.
  CHECK(sum(minus_one, power(-25) | 0x8000, 0) == -1.0f - 3 * 0x1p-23f);  // Towards zero on both sides.
  CHECK(sum(one, power(-25), 0xbf800000) == 15 * 0x1p-25f);               // C cancels the largest term.
}

TEST_CASE("a product that not all lanes of a warp execute is an error", "[exec][matrix]") {
  const std::string product =
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0, %fd1}, {%fd2}, {%fd3}, {%fd0, %fd1};";
  CHECK_THAT((Body{"setp.lt.u32 %p1, %r0, 5;\n@%p1 " + product, "", 32, 0, {}}.program().error()),
             Contains("all 32 lanes of a warp must execute this together; lane 5 does not"));
  CHECK_THAT((Body{product, "", 40, 0, {}}.program().error()), Contains("lane 8 does not"));
  CHECK((Body{"setp.lt.u32 %p1, %r0, 0;\n@%p1 " + product, "", 32, 0, {}}.program().error()).empty());
}

TEST_CASE("a product with other registers than its shape needs is refused with their number", "[exec][matrix]") {
  const auto error = [](const std::string& text) { return Body{text, "", 32, 0, {}}.program().error(); };
  CHECK_THAT(error("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3, %r4}, "
                   "{%f0, %f1, %f2, %f3};"),
             Contains("operand 2 must have 4 registers, not 2"));
  CHECK_THAT(error("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r3}, {%r4};"),
             Contains("operand 4 must have 2 registers, not 1"));
  CHECK_THAT(
      error("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%h1}, {%r1, %r2, "
            "%r3, %r4};"),
      Contains("has 16 bits"));
  CHECK_THAT(
      error("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r1, "
            "%r2}, {%r1, %r2, %r3, %r4};"),
      Contains("does not take"));
}
