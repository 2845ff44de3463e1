// The condition code: what instructions leave in it for others to read.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/places.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec::test;

namespace {

__extension__ using Wide = unsigned __int128;

const std::string inputs = source_dir() + "/tests/unit/isa/exec/arithmetic/inputs/";

using Results = std::pair<std::uint64_t, std::uint64_t>;
constexpr std::uint64_t all = 0xffffffff;

/// What a chain of instructions of `bits` bits on registers a to e leaves in x and y. a to e come from out[0] to out[4],
/// x and y go to out[5] and out[6].
Results run(const std::string& chain, const std::vector<std::uint64_t>& operands, unsigned bits = 32) {
  std::string body = fmt::format("{{ .reg .u{} x, y, a, b, c, d, e;\n", bits);
  for (unsigned i = 0; i < 5; ++i) body += fmt::format("ld.global.u{} {}, [%rd0+{}];\n", bits, "abcde"[i], 8 * i);
  body += chain + fmt::format("\nst.global.u{0} [%rd0+40], x; st.global.u{0} [%rd0+48], y; }}\n", bits);
  std::vector<std::uint64_t> initial = operands;
  initial.resize(7);
  const auto out = Body{body, "", 1, 0, initial}.program().run<std::uint64_t>();
  return {out[5], out[6]};
}

/// Every `step`th of 1,100 divisions.
void divide(unsigned step) {
  std::ifstream file(inputs + "wide_division.ptx");
  std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  REQUIRE(ptx.find("subc.cc.u32") != std::string::npos);
  ptx.erase(0, ptx.find(".visible"));
  const std::uint64_t values[] = {
      0, 1, 2, 3, 10, 0x7fffffff, 0x80000000, all, all + 1, 0xfedcba9876543210, ~std::uint64_t{0}};
  unsigned number = 0;
  for (const std::uint64_t x_low : values) {
    for (const std::uint64_t x_high : {values[0], values[1], values[6], values[9], values[10]}) {
      for (const std::uint64_t y_low : {values[1], values[4], values[7], values[9], values[10]}) {
        for (const std::uint64_t y_high : {values[0], values[1], values[5], values[10]}) {
          if (number++ % step != 0) continue;
          Program program;
          program.ptx = ptx;
          program.block = {1, 1, 1};
          std::vector<std::uint64_t> memory{x_low, x_high, y_low, y_high};
          memory.resize(12);
          program.buffers.push_back({"out", bytes_of(memory)});
          const auto out = program.run<std::uint64_t>();
          const Wide x = Wide{x_high} << 64 | x_low, y = Wide{y_high} << 64 | y_low;
          const Wide wanted[] = {x / y, x % y, x - y, x * y};
          for (unsigned i = 0; i < 4; ++i) {
            INFO(fmt::format("result {} of {:x}:{:016x} and {:x}:{:016x}", i, x_high, x_low, y_high, y_low));
            CHECK(out[4 + 2 * i] == static_cast<std::uint64_t>(wanted[i]));
            CHECK(out[5 + 2 * i] == static_cast<std::uint64_t>(wanted[i] >> 64));
          }
        }
      }
    }
  }
  CHECK(number == 1100);
}

}  // namespace

TEST_CASE("a subtraction without borrow leaves a carry, one with borrow none", "[arithmetic][carry]") {
  CHECK(run("sub.cc.u32 x, a, b; addc.u32 y, 0, 0;", {5, 3}) == Results{2, 1});
  CHECK(run("sub.cc.u32 x, a, b; addc.u32 y, 0, 0;", {5, 5}) == Results{0, 1});
  CHECK(run("sub.cc.u32 x, a, b; addc.u32 y, 0, 0;", {3, 5}) == Results{all - 1, 0});
  CHECK(run("sub.cc.u32 x, a, b; addc.u32 y, 0, 0;", {0, all}) == Results{1, 0});
  CHECK(run("sub.cc.u64 x, a, b; addc.u64 y, 0, 0;", {5, 3}, 64) == Results{2, 1});
  CHECK(run("sub.cc.u64 x, a, b; addc.u64 y, 0, 0;", {3, 5}, 64) == Results{~std::uint64_t{0} - 1, 0});
}

TEST_CASE("subc pays the borrow back that sub.cc took", "[arithmetic][carry]") {
  // 0x2'00000000 - 0x1'00000001 = 0xffffffff; 7'00000005 - 3'00000005 = 4'00000000.
  CHECK(run("sub.cc.u32 x, a, b; subc.u32 y, c, d;", {0, 1, 2, 1}) == Results{all, 0});
  CHECK(run("sub.cc.u32 x, a, b; subc.u32 y, c, d;", {5, 5, 7, 3}) == Results{0, 4});
  // 0 - 1 in three words: the borrow runs through the middle one, which is stored over x.
  CHECK(run("sub.cc.u32 x, a, 1; subc.cc.u32 x, b, 0; subc.u32 y, c, 0;", {0, 0, 0}) == Results{all, all});
  CHECK(run("sub.cc.u32 x, a, 1; subc.cc.u32 x, b, 0; subc.u32 y, c, 0;", {0, 9, 4}) == Results{8, 4});
}

TEST_CASE("subc behind an addition takes one less where it carried", "[arithmetic][carry]") {
  CHECK(run("add.cc.u32 x, a, b; subc.u32 y, 100, 0;", {all, 1}) == Results{0, 100});
  CHECK(run("add.cc.u32 x, a, b; subc.u32 y, 100, 0;", {1, 1}) == Results{2, 99});
}

TEST_CASE("products and sums carry into each other", "[arithmetic][carry]") {
  // 0xffffffff * 0xffffffff = 0xfffffffe'00000001; plus 0xffffffff is 0xffffffff'00000000: the low sum carries.
  CHECK(run("mad.lo.cc.u32 x, a, b, c; madc.hi.u32 y, a, b, 0;", {all, all, all}) == Results{0, all});
  CHECK(run("mad.lo.cc.u32 x, a, b, c; madc.hi.u32 y, a, b, 0;", {2, 3, 4}) == Results{10, 0});
  // 0xfffffffe + 2 carries out of the high word.
  CHECK(run("mad.hi.cc.u32 x, a, b, 2; addc.u32 y, 0, 0;", {all, all}) == Results{0, 1});
  // 0 + 0 + carry, from a subtraction: 6 * 7 + 0 + 1.
  CHECK(run("sub.cc.u32 x, a, b; madc.lo.cc.u32 x, c, d, 0; addc.u32 y, 0, 0;", {5, 3, 6, 7}) == Results{43, 0});
  CHECK(run("sub.cc.u32 x, a, b; madc.lo.cc.u32 x, c, d, 0; addc.u32 y, 0, 0;", {3, 5, 6, 7}) == Results{42, 0});
}

TEST_CASE("only .cc writes the condition code", "[arithmetic][carry]") {
  CHECK(run("sub.cc.u32 x, a, b; addc.u32 x, 0, 0; add.u32 x, a, a; addc.u32 y, 0, 0;", {all, 1}) ==
        Results{all - 1, 1});
}

TEST_CASE("every pair of instructions that sets and reads the condition code does what an H200 does",
          "[arithmetic][carry]") {
  std::ifstream file(inputs + "h200_carries.txt");
  REQUIRE(file);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<std::uint64_t>> rows;
  std::istringstream operands(line);
  operands >> std::hex;
  for (std::uint64_t value = 0; operands >> value;) {
    if (rows.empty() || rows.back().size() == 5) rows.emplace_back();
    rows.back().push_back(value);
  }
  REQUIRE(rows.size() == 14);
  unsigned chains = 0;
  while (std::getline(file, line)) {
    const std::size_t bar = line.find('|');
    const std::string chain = line.substr(0, bar);
    const unsigned bits = chain.find("u64") == std::string::npos ? 32 : 64;
    std::istringstream measured(line.substr(bar + 1));
    measured >> std::hex;
    for (const auto& row : rows) {
      Results wanted, got = run(chain, row, bits);
      REQUIRE(measured >> wanted.first >> wanted.second);
      INFO(fmt::format("{} of {:#x} {:#x} {:#x} {:#x} {:#x}", chain, row[0], row[1], row[2], row[3], row[4]));
      CHECK((got.first & all) == wanted.first);
      CHECK((got.second & all) == wanted.second);
    }
    ++chains;
  }
  CHECK(chains == 46);
}

TEST_CASE("division of 128 bits as nvcc compiles it is right", "[arithmetic][carry]") {
  divide(7);
}

TEST_CASE("many divisions of 128 bits as nvcc compiles them are right", "[arithmetic][carry][long]") {
  divide(1);
}
