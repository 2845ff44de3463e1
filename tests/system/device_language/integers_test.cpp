// Integer functions of CUDA against their definitions, written out in plain C++ on wider integers.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "isa/random.hpp"
#include "tests/system/device_language/functions.hpp"

namespace lockstep::integers_test {

using device_language::evaluate;

namespace {

using s32 = std::int32_t;
using u32 = std::uint32_t;
using s64 = std::int64_t;
using u64 = std::uint64_t;
__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

template <class T>
struct Function {
  std::string expression;
  std::function<u64(T, T, T)> definition;
};

s64 sign_of(u32 a) {
  return static_cast<s32>(a);
}

/// What `part` gives for each part of two registers, as signed or unsigned numbers, put together again.
u32 each_part(unsigned bits, bool is_signed, u32 a, u32 b, const std::function<s64(s64, s64)>& part) {
  const u32 mask = (1u << bits) - 1;
  const auto number = [&](u32 value) {
    const s64 low = value & mask;
    return is_signed && low >> (bits - 1) != 0 ? low - (s64{1} << bits) : low;
  };
  u32 result = 0;
  for (unsigned at = 0; at < 32; at += bits)
    result |= (static_cast<u32>(part(number(a >> at), number(b >> at))) & mask) << at;
  return result;
}

u32 sum_of_parts(unsigned bits, u32 a) {
  u32 sum = 0;
  for (unsigned at = 0; at < 32; at += bits) sum += (a >> at) & ((1u << bits) - 1);
  return sum;
}

/// The SIMD functions of parts of `bits`.
std::vector<Function<u32>> packed_functions(unsigned bits) {
  const std::string parts = std::to_string(32 / bits);
  const s64 ones = (s64{1} << bits) - 1, largest = ones >> 1, smallest = -largest - 1;
  std::vector<Function<u32>> functions;
  const auto add = [&](const std::string& name, bool is_signed, const std::function<s64(s64, s64)>& part,
                       const std::string& arguments = "(a, b)") {
    functions.push_back(
        {"__v" + name + parts + arguments, [=](u32 a, u32 b, u32) { return each_part(bits, is_signed, a, b, part); }});
  };
  add("add", false, [](s64 a, s64 b) { return a + b; });
  add("sub", false, [](s64 a, s64 b) { return a - b; });
  add("addus", false, [=](s64 a, s64 b) { return std::min(a + b, ones); });
  add("subus", false, [](s64 a, s64 b) { return std::max<s64>(a - b, 0); });
  add("addss", true, [=](s64 a, s64 b) { return std::clamp(a + b, smallest, largest); });
  add("subss", true, [=](s64 a, s64 b) { return std::clamp(a - b, smallest, largest); });
  add(
      "neg", true, [](s64 a, s64) { return -a; }, "(a)");
  add(
      "negss", true, [=](s64 a, s64) { return std::min(-a, largest); }, "(a)");
  add(
      "abs", true, [](s64 a, s64) { return std::abs(a); }, "(a)");
  add(
      "absss", true, [=](s64 a, s64) { return std::min<s64>(std::abs(a), largest); }, "(a)");
  add("absdiffu", false, [](s64 a, s64 b) { return std::abs(a - b); });
  add("absdiffs", true, [](s64 a, s64 b) { return std::abs(a - b); });
  add("minu", false, [](s64 a, s64 b) { return std::min(a, b); });
  add("maxu", false, [](s64 a, s64 b) { return std::max(a, b); });
  add("mins", true, [](s64 a, s64 b) { return std::min(a, b); });
  add("maxs", true, [](s64 a, s64 b) { return std::max(a, b); });
  add("haddu", false, [](s64 a, s64 b) { return (a + b) >> 1; });
  add("avgu", false, [](s64 a, s64 b) { return (a + b + 1) >> 1; });
  add("avgs", true, [](s64 a, s64 b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; });
  const auto compare = [&](const std::string& name, bool is_signed, const std::function<bool(s64, s64)>& holds) {
    add("cmp" + name, is_signed, [=](s64 a, s64 b) { return holds(a, b) ? ones : 0; });
    add("set" + name, is_signed, [=](s64 a, s64 b) { return holds(a, b) ? 1 : 0; });
  };
  compare("eq", false, std::equal_to<s64>());
  compare("ne", false, std::not_equal_to<s64>());
  for (const bool is_signed : {false, true}) {
    const std::string letter = is_signed ? "s" : "u";
    compare("lt" + letter, is_signed, std::less<s64>());
    compare("le" + letter, is_signed, std::less_equal<s64>());
    compare("gt" + letter, is_signed, std::greater<s64>());
    compare("ge" + letter, is_signed, std::greater_equal<s64>());
    functions.push_back({"__vsad" + letter + parts + "(a, b)", [=](u32 a, u32 b, u32) {
                           return sum_of_parts(
                               bits, each_part(bits, is_signed, a, b, [](s64 x, s64 y) { return std::abs(x - y); }));
                         }});
  }
  return functions;
}

std::vector<Function<u32>> functions_of_32_bits() {
  const auto bytes_of = [](u64 both, u32 selector) {
    u32 result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= static_cast<u32>(both >> (8 * ((selector >> (4 * i)) & 7)) & 0xff) << (8 * i);
    return result;
  };
  const auto dot = [](bool is_signed, u32 a, unsigned bits_of_a, u32 b, u32 c) {
    u32 sum = c;
    for (unsigned i = 0; i < 32 / bits_of_a; ++i) {
      const u32 sign_of_a = is_signed ? 1u << (bits_of_a - 1) : 0, sign_of_b = is_signed ? 0x80 : 0;
      const u32 x = (a >> (bits_of_a * i)) & ((1u << bits_of_a) - 1), y = (b >> (8 * i)) & 0xff;
      sum += ((x ^ sign_of_a) - sign_of_a) * ((y ^ sign_of_b) - sign_of_b);
    }
    return sum;
  };
  const auto sad = [](s64 a, s64 b, u32 c) { return static_cast<u32>(std::abs(a - b)) + c; };
  return {
      {"__popc(a)", [](u32 a, u32, u32) { return std::popcount(a); }},
      {"__clz(a)", [](u32 a, u32, u32) { return std::countl_zero(a); }},
      {"__ffs(a)", [](u32 a, u32, u32) { return a == 0 ? 0 : std::countr_zero(a) + 1; }},
      {"__brev(a)",
       [](u32 a, u32, u32) {
         u32 result = 0;
         for (unsigned i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
         return result;
       }},
      {"__fns(a, b % 32, 1)",
       [](u32 a, u32 b, u32) {
         const u32 rest = a >> (b % 32);
         return rest == 0 ? ~0u : b % 32 + static_cast<u32>(std::countr_zero(rest));
       }},
      {"__byte_perm(a, b, c)", [=](u32 a, u32 b, u32 c) { return bytes_of(u64{b} << 32 | a, c); }},
      {"__funnelshift_l(a, b, c)",
       [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) << c % 32 >> 32); }},
      {"__funnelshift_r(a, b, c)", [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> c % 32); }},
      {"__funnelshift_lc(a, b, c)",
       [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) << std::min(c, 32u) >> 32); }},
      {"__funnelshift_rc(a, b, c)",
       [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> std::min(c, 32u)); }},
      {"__mulhi(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>((sign_of(a) * sign_of(b)) >> 32); }},
      {"__umulhi(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a} * b >> 32); }},
      {"__mul24(a, b)",
       [](u32 a, u32 b, u32) { return static_cast<u32>((sign_of(a << 8) >> 8) * (sign_of(b << 8) >> 8)); }},
      {"__umul24(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff)); }},
      {"__sad(a, b, c)", [=](u32 a, u32 b, u32 c) { return sad(sign_of(a), sign_of(b), c); }},
      {"__usad(a, b, c)", [=](u32 a, u32 b, u32 c) { return sad(a, b, c); }},
      {"__hadd(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>((sign_of(a) + sign_of(b)) >> 1); }},
      {"__rhadd(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>((sign_of(a) + sign_of(b) + 1) >> 1); }},
      {"__uhadd(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>((u64{a} + b) >> 1); }},
      {"__urhadd(a, b)", [](u32 a, u32 b, u32) { return static_cast<u32>((u64{a} + b + 1) >> 1); }},
      {"__dp4a((int)a, (int)b, (int)c)", [=](u32 a, u32 b, u32 c) { return dot(true, a, 8, b, c); }},
      {"__dp4a(a, b, c)", [=](u32 a, u32 b, u32 c) { return dot(false, a, 8, b, c); }},
      {"__dp2a_lo((int)a, (int)b, (int)c)", [=](u32 a, u32 b, u32 c) { return dot(true, a, 16, b, c); }},
      {"__dp2a_lo(a, b, c)", [=](u32 a, u32 b, u32 c) { return dot(false, a, 16, b, c); }},
      {"__dp2a_hi((int)a, (int)b, (int)c)", [=](u32 a, u32 b, u32 c) { return dot(true, a, 16, b >> 16, c); }},
      {"__dp2a_hi(a, b, c)", [=](u32 a, u32 b, u32 c) { return dot(false, a, 16, b >> 16, c); }},
      {"min((int)a, (int)b)", [](u32 a, u32 b, u32) { return static_cast<u32>(std::min(sign_of(a), sign_of(b))); }},
      {"max((int)a, b)", [](u32 a, u32 b, u32) { return std::max(a, b); }},
      {"abs((int)a)", [](u32 a, u32, u32) { return static_cast<u32>(std::abs(sign_of(a))); }},
  };
}

std::vector<Function<u64>> functions_of_64_bits() {
  return {
      {"__popcll(a)", [](u64 a, u64, u64) { return std::popcount(a); }},
      {"__clzll(a)", [](u64 a, u64, u64) { return std::countl_zero(a); }},
      {"__ffsll(a)", [](u64 a, u64, u64) { return a == 0 ? 0 : std::countr_zero(a) + 1; }},
      {"__brevll(a)",
       [](u64 a, u64, u64) {
         u64 result = 0;
         for (unsigned i = 0; i < 64; ++i) result |= (a >> i & 1) << (63 - i);
         return result;
       }},
      {"__umul64hi(a, b)", [](u64 a, u64 b, u64) { return static_cast<u64>(u128{a} * b >> 64); }},
      {"__mul64hi(a, b)",
       [](u64 a, u64 b, u64) { return static_cast<u64>(s128{static_cast<s64>(a)} * static_cast<s64>(b) >> 64); }},
      {"llmin(a, b)",
       [](u64 a, u64 b, u64) { return static_cast<u64>(std::min(static_cast<s64>(a), static_cast<s64>(b))); }},
      {"ullmax(a, b)", [](u64 a, u64 b, u64) { return std::max(a, b); }},
      {"__longlong_as_double(a) == 0.0", [](u64 a, u64, u64) { return a << 1 == 0; }},
  };
}

/// Edges in all combinations, and drawn numbers.
template <class T>
std::vector<std::vector<T>> drawn_operands(const std::vector<T>& edges) {
  std::vector<std::vector<T>> operands(3);
  for (const T a : edges)
    for (const T b : edges)
      for (const T c : edges) {
        operands[0].push_back(a);
        operands[1].push_back(b);
        operands[2].push_back(c);
      }
  Random random(1);
  for (auto& values : operands) {
    for (unsigned i = 0; i < 500; ++i) values.push_back(static_cast<T>(random.next()));
    values = device_language::in_whole_blocks(values);
  }
  return operands;
}

template <class T>
void check(const std::vector<Function<T>>& functions, const std::string& type, const std::vector<T>& edges) {
  const std::vector<std::vector<T>> operands = drawn_operands(edges);
  std::vector<std::string> expressions;
  for (const Function<T>& function : functions) expressions.push_back(function.expression);
  const auto results = evaluate<T, T>(expressions, type, type, operands);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < results[f].size(); ++i) {
      const T a = operands[0][i], b = operands[1][i], c = operands[2][i];
      const T right = static_cast<T>(functions[f].definition(a, b, c));
      if (results[f][i] == right || ++wrong > 1) continue;
      UNSCOPED_INFO(functions[f].expression << " of " << a << ", " << b << ", " << c << " is " << results[f][i]
                                            << ", not " << right);
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("Integer functions of CUDA compute what their definitions say") {
  check<u32>(functions_of_32_bits(), "unsigned int",
             {0, 1, 5, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x80ff7f01, 0x00800080, 0xffff8000});
  check<u64>(functions_of_64_bits(), "unsigned long long",
             {0, 1, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~u64{0}});
}

TEST_CASE("SIMD functions of CUDA compute each part of a register as if it stood alone") {
  const std::vector<u32> edges = {0,          0x7fffffff, 0x80008000, 0xffffffff,
                                  0x80ff7f01, 0x00800080, 0x7f80017f, 0x12345678};
  check<u32>(packed_functions(16), "unsigned int", edges);
  check<u32>(packed_functions(8), "unsigned int", edges);
}

}  // namespace lockstep::integers_test
