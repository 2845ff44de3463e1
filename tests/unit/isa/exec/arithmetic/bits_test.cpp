// Logic, shifts and bit fields against bit-by-bit references from the semantics in the PTX ISA.

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

namespace {

bool bit(std::uint64_t value, unsigned place) {
  return (value >> place & 1) != 0;
}
std::uint64_t mask_of(unsigned width) {
  return ~std::uint64_t{0} >> (64 - width);
}
std::vector<Row> singles(unsigned width) {
  std::vector<Row> rows;
  for (const std::uint64_t value : integer_values(width, 400, width)) rows.push_back({value});
  for (unsigned i = 0; i < width; ++i) rows.push_back({std::uint64_t{1} << i});
  return rows;
}
const std::vector<std::uint64_t> amounts = {
    0,  1,  2,  7,   8,   15,  16,  17,  24,  30,  31,  32,      33,      47,         48,         62,
    63, 64, 65, 100, 127, 128, 255, 256, 257, 288, 320, 0x10000, 0x10001, 0x80000000, 0xffffffff, 0xffffffe0};
std::string reg_of(unsigned width) {
  return width == 16 ? "h" : width == 32 ? "r" : "d";
}

}  // namespace

TEST_CASE("logic works bit by bit on every width", "[arithmetic]") {
  for (const unsigned width : {16u, 32u, 64u}) {
    const auto values = integer_values(width, 30, 1);
    const auto rows = pairs(values, values);
    const std::string operands = fmt::format(".b{0} %{1}0, %{1}1, %{1}2;", width, reg_of(width));
    CHECK(mismatch("and" + operands, rows, [](const Row& r) { return r[0] & r[1]; }) == "");
    CHECK(mismatch("or" + operands, rows, [](const Row& r) { return r[0] | r[1]; }) == "");
    CHECK(mismatch("xor" + operands, rows, [](const Row& r) { return r[0] ^ r[1]; }) == "");
    const std::string operand = fmt::format(".b{0} %{1}0, %{1}1;", width, reg_of(width));
    CHECK(mismatch("not" + operand, singles(width), [&](const Row& r) { return mask_of(width) - r[0]; }) == "");
    CHECK(mismatch("cnot" + operand, singles(width), [](const Row& r) { return r[0] == 0 ? 1 : 0; }) == "");
  }
}

TEST_CASE("logic works on predicates", "[arithmetic]") {
  const std::vector<Row> rows = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  CHECK(InstructionRunner("and.pred %p0, %p1, %p2;").run_rows(rows) == Row{0, 0, 0, 1});
  CHECK(InstructionRunner("or.pred %p0, %p1, %p2;").run_rows(rows) == Row{0, 1, 1, 1});
  CHECK(InstructionRunner("xor.pred %p0, %p1, %p2;").run_rows(rows) == Row{0, 1, 1, 0});
  CHECK(InstructionRunner("not.pred %p0, %p1;").run_rows({{0}, {1}}) == Row{1, 0});
}

TEST_CASE("lop3 looks every bit up in its table", "[arithmetic]") {
  const auto values = integer_values(32, 30, 3);
  const auto rows = picks({values, values, values}, 200, 4);
  // The table of a function is its value on these three constants (PTX ISA 9.7.8.6).
  const std::uint64_t a = 0xf0, b = 0xcc, c = 0xaa;
  const auto run = [&](std::uint64_t table, auto function) {
    return mismatch(fmt::format("lop3.b32 %r0, %r1, %r2, %r3, {};", table & 0xff), rows,
                    [&](const Row& r) { return function(r[0], r[1], r[2]) & 0xffffffff; });
  };
  using W = std::uint64_t;
  CHECK(run(a & b & c, [](W x, W y, W z) { return x & y & z; }) == "");
  CHECK(run(a ^ b ^ c, [](W x, W y, W z) { return x ^ y ^ z; }) == "");
  CHECK(run((a & b) | c, [](W x, W y, W z) { return (x & y) | z; }) == "");
  CHECK(run((a & ~b) ^ c, [](W x, W y, W z) { return (x & ~y) ^ z; }) == "");
  CHECK(run((a & b) | (a & c) | (b & c), [](W x, W y, W z) { return (x & y) | (x & z) | (y & z); }) == "");
  for (unsigned table = 0; table < 256; ++table) {
    CHECK(mismatch(fmt::format("lop3.b32 %r0, %r1, %r2, %r3, {};", table), rows, [&](const Row& r) {
            std::uint64_t result = 0;
            for (unsigned i = 0; i < 32; ++i) {
              const unsigned place = 4u * bit(r[0], i) + 2u * bit(r[1], i) + bit(r[2], i);
              result |= std::uint64_t{bit(table, place)} << i;
            }
            return result;
          }) == "");
  }
}

TEST_CASE("lop3 with a predicate tells whether the result is not zero", "[arithmetic]") {
  const auto check = [](const std::string& text, bool when_zero_and_false, bool when_zero_and_true,
                        bool when_set_and_false, bool when_set_and_true) {
    InstructionRunner runner(text);
    const auto words = runner.run_rows({{1, 2, 4, 0}, {1, 2, 4, 1}, {1, 3, 5, 0}, {1, 3, 5, 1}});
    CHECK(words == Row{0, 0, 1, 1});  // a & b & c
    CHECK(runner.destination(1) == Row{when_zero_and_false, when_zero_and_true, when_set_and_false, when_set_and_true});
  };
  check("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1;", false, true, true, true);
  check("lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1;", false, false, false, true);
  check("lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x80, !%p1;", false, false, true, false);
}

TEST_CASE("shifts by the width or more shift everything out", "[arithmetic]") {
  for (const unsigned width : {16u, 32u, 64u}) {
    const std::string reg = reg_of(width);
    const auto rows = pairs(integer_values(width, 30, 5), amounts);
    CHECK(mismatch(fmt::format("shl.b{0} %{1}0, %{1}1, %r8;", width, reg), rows,
                   [&](const Row& r) { return r[1] >= width ? 0 : r[0] << r[1] & mask_of(width); }) == "");
    for (const std::string type : {"b", "u"}) {
      CHECK(mismatch(fmt::format("shr.{2}{0} %{1}0, %{1}1, %r8;", width, reg, type), rows,
                     [&](const Row& r) { return r[1] >= width ? 0 : r[0] >> r[1]; }) == "");
    }
    CHECK(mismatch(fmt::format("shr.s{0} %{1}0, %{1}1, %r8;", width, reg), rows, [&](const Row& r) {
            std::uint64_t result = 0;
            for (unsigned i = 0; i < width; ++i) {
              const std::uint64_t from = std::min<std::uint64_t>(i + r[1], width - 1);
              result |= std::uint64_t{bit(r[0], static_cast<unsigned>(from))} << i;
            }
            return result;
          }) == "");
  }
  CHECK(InstructionRunner("shr.s32 %r0, %r1, 40;").run({0x80000000}) == 0xffffffff);
  CHECK(InstructionRunner("shl.b32 %r0, %r1, 4;").run({0xf1234567}) == 0x12345670);
}

TEST_CASE("shf shifts the pair and keeps one word of it", "[arithmetic]") {
  const auto values = integer_values(32, 20, 6);
  const auto rows = picks({values, values, amounts}, 4000, 7);
  for (const bool left : {false, true}) {
    for (const bool clamp : {false, true}) {
      CHECK(mismatch(fmt::format("shf.{}.{}.b32 %r0, %r1, %r2, %r3;", left ? "l" : "r", clamp ? "clamp" : "wrap"), rows,
                     [&](const Row& r) {
                       const unsigned n = static_cast<unsigned>(clamp ? std::min<std::uint64_t>(r[2], 32) : r[2] % 32);
                       std::uint64_t result = 0;
                       for (unsigned i = 0; i < 32; ++i) {
                         const unsigned from = left ? i + 32 - n : i + n;  // Bit of {b, a}.
                         result |= std::uint64_t{bit(from < 32 ? r[0] : r[1], from % 32)} << i;
                         if (from >= 64) result &= ~(std::uint64_t{1} << i);
                       }
                       return result;
                     }) == "");
    }
  }
  CHECK(InstructionRunner("shf.l.clamp.b32 %r0, %r1, %r2, 32;").run({0x11111111, 0x22222222}) == 0x11111111);
  CHECK(InstructionRunner("shf.r.wrap.b32 %r0, %r1, %r2, 32;").run({0x11111111, 0x22222222}) == 0x11111111);
}

TEST_CASE("popc, clz, bfind and brev agree with counting bit by bit", "[arithmetic]") {
  for (const unsigned width : {32u, 64u}) {
    const std::string reg = reg_of(width);
    const auto rows = singles(width);
    const auto text = [&](const std::string& op) { return fmt::format("{} %r0, %{}1;", op, reg); };
    CHECK(mismatch(text(fmt::format("popc.b{}", width)), rows, [&](const Row& r) {
            unsigned count = 0;
            for (unsigned i = 0; i < width; ++i) count += bit(r[0], i);
            return count;
          }) == "");
    CHECK(mismatch(text(fmt::format("clz.b{}", width)), rows, [&](const Row& r) {
            unsigned count = 0;
            while (count < width && !bit(r[0], width - 1 - count)) ++count;
            return count;
          }) == "");
    for (const bool is_signed : {false, true}) {
      const auto highest = [&](const Row& r, bool amount) -> std::uint64_t {
        const bool sign = is_signed && bit(r[0], width - 1);
        for (unsigned i = width; i-- > 0;) {
          if (bit(r[0], i) != sign) return amount ? width - 1 - i : i;
        }
        return 0xffffffff;
      };
      const std::string type = fmt::format("{}{}", is_signed ? "s" : "u", width);
      CHECK(mismatch(text("bfind." + type), rows, [&](const Row& r) { return highest(r, false); }) == "");
      CHECK(mismatch(text("bfind.shiftamt." + type), rows, [&](const Row& r) { return highest(r, true); }) == "");
    }
    CHECK(mismatch(fmt::format("brev.b{0} %{1}0, %{1}1;", width, reg), rows, [&](const Row& r) {
            std::uint64_t result = 0;
            for (unsigned i = 0; i < width; ++i) result |= std::uint64_t{bit(r[0], i)} << (width - 1 - i);
            return result;
          }) == "");
  }
}

TEST_CASE("fns finds the n-th set bit up or down from a base", "[arithmetic]") {
  std::vector<std::uint64_t> offsets, bases;
  for (int i = -34; i <= 34; ++i) offsets.push_back(static_cast<std::uint32_t>(i));
  offsets.insert(offsets.end(), {0x80000000, 0x7fffffff});
  for (unsigned i = 0; i < 32; ++i) bases.push_back(i);
  CHECK(mismatch("fns.b32 %r0, %r1, %r2, %r3;", picks({integer_values(32, 60, 8), bases, offsets}, 6000, 9),
                 [](const Row& r) -> std::uint64_t {
                   const auto offset = static_cast<std::int32_t>(r[2]);
                   if (offset == 0) return bit(r[0], static_cast<unsigned>(r[1])) ? r[1] : 0xffffffff;
                   std::int64_t count = std::abs(static_cast<std::int64_t>(offset)) - 1;
                   for (int pos = static_cast<int>(r[1]); pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
                     if (!bit(r[0], static_cast<unsigned>(pos))) continue;
                     if (count == 0) return static_cast<std::uint64_t>(pos);
                     --count;
                   }
                   return 0xffffffff;
                 }) == "");
}

namespace {

/// Modulo 256 for fields of 32 bits. An H200 takes those of 64 as they are.
std::uint64_t field_bound(std::uint64_t bound, unsigned width) {
  return width == 64 ? std::min<std::uint64_t>(bound, 256) : bound % 256;
}

}  // namespace

TEST_CASE("bfe and bfi of 64 bits reach behind the number for bounds of 256 and more, as on an H200", "[arithmetic]") {
  CHECK(InstructionRunner("bfe.u64 %d0, %d1, %r8, %r9;").run({0x100000e5dad26, 0x20001, 0xfb69}) == 0);
  CHECK(InstructionRunner("bfe.u64 %d0, %d1, %r8, %r9;").run({0x8000, 3, 0x804000}) == 0x1000);
  CHECK(InstructionRunner("bfi.b64 %d0, %d1, %d2, %r8, %r9;").run({5, 0x43f0000000000000, 0x8000, 255}) ==
        0x43f0000000000000);
  CHECK(InstructionRunner("bfi.b64 %d0, %d1, %d2, %r8, %r9;").run({0xabdace0000000020, 0, 0, 0x42948000}) ==
        0xabdace0000000020);
}

TEST_CASE("bfe and bfi follow the ISA's loops for every position and length", "[arithmetic]") {
  for (const unsigned width : {32u, 64u}) {
    const std::string reg = reg_of(width);
    const auto values = integer_values(width, 60, 10);
    for (const bool is_signed : {false, true}) {
      CHECK(mismatch(fmt::format("bfe.{0}{1} %{2}0, %{2}1, %r8, %r9;", is_signed ? "s" : "u", width, reg),
                     picks({values, amounts, amounts}, 8000, 11), [&](const Row& r) {
                       const unsigned msb = width - 1;
                       const std::uint64_t pos = field_bound(r[1], width), len = field_bound(r[2], width);
                       const bool sign = is_signed && len != 0 &&
                                         bit(r[0], static_cast<unsigned>(std::min<std::uint64_t>(pos + len - 1, msb)));
                       std::uint64_t result = 0;
                       for (unsigned i = 0; i <= msb; ++i) {
                         result |=
                             std::uint64_t{i < len && pos + i <= msb ? bit(r[0], static_cast<unsigned>(pos + i)) : sign}
                             << i;
                       }
                       return result;
                     }) == "");
    }
    CHECK(mismatch(fmt::format("bfi.b{0} %{1}0, %{1}1, %{1}2, %r8, %r9;", width, reg),
                   picks({values, values, amounts, amounts}, 8000, 12), [&](const Row& r) {
                     const unsigned msb = width - 1;
                     const std::uint64_t pos = field_bound(r[2], width), len = field_bound(r[3], width);
                     std::uint64_t result = r[1];
                     for (unsigned i = 0; i < len && pos + i <= msb; ++i) {
                       result &= ~(std::uint64_t{1} << (pos + i));
                       result |= std::uint64_t{bit(r[0], i)} << (pos + i);
                     }
                     return result;
                   }) == "");
  }
}

TEST_CASE("bmsk and szext follow their modes", "[arithmetic]") {
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? "clamp" : "wrap";
    CHECK(mismatch("bmsk." + mode + ".b32 %r0, %r1, %r2;", pairs(amounts, amounts), [&](const Row& r) {
            if (clamp && r[0] >= 32) return std::uint64_t{0};
            const std::uint64_t from = r[0] % 32, count = clamp ? std::min<std::uint64_t>(r[1], 32) : r[1] % 32;
            std::uint64_t result = 0;
            for (std::uint64_t i = from; i < from + count && i < 32; ++i) result |= std::uint64_t{1} << i;
            return result;
          }) == "");
    for (const bool is_signed : {false, true}) {
      CHECK(mismatch(fmt::format("szext.{}.{} %r0, %r1, %r2;", mode, is_signed ? "s32" : "u32"),
                     pairs(integer_values(32, 60, 13), amounts), [&](const Row& r) {
                       const std::uint64_t count = clamp ? r[1] : r[1] % 32;
                       if (count == 0) return std::uint64_t{0};
                       std::uint64_t result = 0;
                       for (std::uint64_t i = 0; i < 32; ++i) {
                         const bool set = i < count ? bit(r[0], static_cast<unsigned>(i))
                                                    : is_signed && bit(r[0], static_cast<unsigned>(count - 1));
                         result |= std::uint64_t{set} << i;
                       }
                       return result;
                     }) == "");
    }
  }
  CHECK(InstructionRunner("bmsk.wrap.b32 %r0, 1, 2;").run({}) == 6);            // The ISA's example.
  CHECK(InstructionRunner("szext.wrap.u32 %r0, 0xffffffff, 0;").run({}) == 0);  // The ISA's example.
}

TEST_CASE("prmt picks bytes of {b, a}", "[arithmetic]") {
  // Bytes 0..7 hold 0x80, 0x11, ... so that byte 0 alone, and byte 7, are negative.
  const std::uint64_t a = 0x33221180, b = 0xf7665544;
  const auto run = [&](const std::string& mode, std::uint64_t c) {
    return InstructionRunner("prmt.b32" + mode + " %r0, %r1, %r2, %r3;").run({a, b, c});
  };
  CHECK(run("", 0x3210) == 0x33221180);
  CHECK(run("", 0x7654) == 0xf7665544);
  CHECK(run("", 0x0123) == 0x80112233);
  CHECK(run("", 0x89fe) == 0xff00ff00);      // Signs of bytes 0, 1, 7, 6.
  CHECK(run("", 0x12348000) == 0xff808080);  // Upper half ignored.
  // The table of the special modes: d.b3 d.b2 d.b1 d.b0 for c[1:0] = 0..3.
  const std::vector<std::pair<std::string, std::array<std::uint64_t, 4>>> table = {
      {".f4e", {0x33221180, 0x44332211, 0x55443322, 0x66554433}},
      {".b4e", {0x5566f780, 0x66f78011, 0xf7801122, 0x80112233}},
      {".rc8", {0x80808080, 0x11111111, 0x22222222, 0x33333333}},
      {".ecl", {0x33221180, 0x33221111, 0x33222222, 0x33333333}},
      {".ecr", {0x80808080, 0x11111180, 0x22221180, 0x33221180}},
      {".rc16", {0x11801180, 0x33223322, 0x11801180, 0x33223322}}};
  for (const auto& [mode, expected] : table) {
    for (std::uint64_t c = 0; c < 4; ++c) {
      INFO(mode << " " << c);
      CHECK(run(mode, c) == expected[c]);
      CHECK(run(mode, c + 0xfffffff0) == expected[c]);
    }
  }
}
