#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "isa/ptx/constant.hpp"

using namespace lockstep;
using namespace lockstep::ptx;

namespace {

Constant evaluate(const std::string& text) {
  TokenStream tokens(text, "test.ptx");
  const Constant value = parse_constant(tokens);
  REQUIRE(tokens.at_end());
  return value;
}

std::int64_t integer(const std::string& text) {
  const Constant value = evaluate(text);
  REQUIRE_FALSE(value.is_real);
  return static_cast<std::int64_t>(value.bits);
}

std::string failure(const std::string& text) {
  TokenStream tokens(text, "test.ptx");
  try {
    parse_constant(tokens);
  } catch (const SyntaxError& error) {
    return error.message;
  }
  return "";
}

}  // namespace

TEST_CASE("integer literals of PTX ISA 4.5.1 have their values") {
  CHECK(integer("42") == 42);
  CHECK(integer("0x2A") == 42);
  CHECK(integer("052") == 42);
  CHECK(integer("0b101010") == 42);
  CHECK(integer("42U") == 42);
  CHECK(integer("0") == 0);
  CHECK(integer("0U") == 0);
  CHECK(integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(evaluate("18446744073709551615").bits == ~std::uint64_t{0});
  CHECK(evaluate("0xFFFFFFFFFFFFFFFF").is_unsigned);
}

TEST_CASE("floating-point literals keep their bits") {
  CHECK(std::bit_cast<double>(evaluate("0f3F800000").bits) == 1.0);
  CHECK(evaluate("0f3F800000").real_bits == 32);
  CHECK(evaluate("0d400921FB54442D18").bits == 0x400921FB54442D18);
  CHECK(evaluate("0d400921FB54442D18").real_bits == 64);
  CHECK(std::bit_cast<double>(evaluate("1.5e-3").bits) == 1.5e-3);
  CHECK(std::bit_cast<double>(evaluate("2.").bits) == 2.0);
  CHECK(evaluate("-0d0000000000000000").bits == std::uint64_t{1} << 63);
  // The payload of a NaN stays: 23 bits at the top of 52.
  CHECK(evaluate("0f7FC00001").bits == 0x7FF8000020000000);
  CHECK(evaluate("0fFF800000").bits == 0xFFF0000000000000);
}

TEST_CASE("constant expressions follow the precedence of C") {
  CHECK(integer("2+3*4") == 14);
  CHECK(integer("(2+3)*4") == 20);
  CHECK(integer("1<<4|1") == 17);
  CHECK(integer("10-4-3") == 3);
  CHECK(integer("~0&0xF") == 15);
  CHECK(integer("7/2") == 3);
  CHECK(integer("-7/2") == -3);
  CHECK(integer("-7 % 3") == -1);
  CHECK(integer("-8>>1") == -4);
  CHECK(integer("0x8000000000000000U>>63") == 1);
  CHECK(integer("1?2:0?3:4") == 2);
  CHECK(integer("3==3&&2!=2") == 0);
  CHECK(integer("0||5>=5") == 1);
  CHECK(integer("!3+1") == 1);
  CHECK(integer("WARP_SZ*2") == 64);
}

TEST_CASE("comparisons and divisions are unsigned when an operand is") {
  CHECK(integer("-1<1") == 1);
  CHECK(integer("-1<1U") == 0);
  CHECK(integer("(.u64)-1/2") == std::numeric_limits<std::int64_t>::max());
  CHECK(integer("(.s64)0xFFFFFFFFFFFFFFFE/2") == -1);
}

TEST_CASE("arithmetic that C leaves undefined has a value or an error here") {
  CHECK(integer("(-9223372036854775807-1)/-1") == std::numeric_limits<std::int64_t>::min());
  CHECK(integer("1<<64") == 0);
  CHECK(integer("-1>>64") == -1);
  CHECK(failure("1/0") == "division by zero in a constant expression");
  CHECK(failure("1.0/0.0") == "division by zero in a constant expression");
}

TEST_CASE("what is not a number says so") {
  CHECK(failure("0f123") == "'0f123' must have 8 hexadecimal digits after 0f");
  CHECK(failure("0d1") == "'0d1' must have 16 hexadecimal digits after 0d");
  CHECK(failure("08") == "'08' is not a number");
  CHECK(failure("0x") == "'0x' is not a number");
  CHECK(failure("12ab") == "'12ab' is not a number");
  CHECK(failure("18446744073709551616") == "'18446744073709551616' does not fit in 64 bits");
  CHECK(failure("1e999") == "'1e999' is out of the range of .f64");
  CHECK(failure("~1.5") == "'~' takes integers, not a floating-point value");
}

TEST_CASE("deep nesting is an error and not a crash") {
  CHECK(failure(std::string(100000, '(')) == "brackets are nested too deeply");
  CHECK(failure(std::string(100000, '-') + "1") == "brackets are nested too deeply");
}
