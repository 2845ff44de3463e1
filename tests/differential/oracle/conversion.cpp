// cvt (PTX ISA 9.7.9).

#include <algorithm>

#include "tests/differential/oracle/floats.hpp"
#include "tests/differential/oracle/integers.hpp"
#include "tests/differential/oracle/semantics.hpp"

namespace lockstep::differential {

namespace {

using test::cpp_int;
using test::Exact;

struct Conversion {
  std::string_view to, from;
  char rounding = 'n';
  bool ftz = false, sat = false, relu = false, satfinite = false, to_integral = false;

  /// The bits of an 8-bit result fill a register of 16.
  std::uint64_t integer_result(SignedWide value) const { return bits_of_integer(value, std::max(width_of(to), 16u)); }

  std::uint64_t integer_to_integer(std::uint64_t a) const {
    const SignedWide value = integer_of(a, from);
    const SignedWide kept = sat ? clamped(value, to) : integer_of(static_cast<std::uint64_t>(value), to);
    return integer_result(kept);
  }

  /// Rounded to an integer.
  static cpp_int integral(const Exact& value, char mode) {
    if (value.exponent >= 0) return value.mantissa << value.exponent;
    const cpp_int one = cpp_int(1) << -value.exponent;
    cpp_int whole = abs(value.mantissa) / one;
    const cpp_int rest = abs(value.mantissa) % one;
    const bool negative = value.mantissa < 0;
    const bool to_nearest = rest * 2 > one || (rest * 2 == one && whole % 2 != 0);
    if (mode == 'n' ? to_nearest : rest != 0 && mode == (negative ? 'm' : 'p')) ++whole;
    if (negative) whole = -whole;
    return whole;
  }

  /// NaN is 0, but the highest bit alone where either side has 64 bits (measured on an H200).
  std::uint64_t float_to_integer(std::uint64_t a) const {
    const Format& f = format_of(from);
    if (ftz && from == "f32") a = f.flushed(a);
    if (f.is_nan(a)) {
      if (from != "f64" && width_of(to) < 64) return 0;
      return integer_result(integer_of(std::uint64_t{1} << (width_of(to) - 1), to));
    }
    if (f.is_infinite(a)) return integer_result(f.is_negative(a) ? least_of(to) : greatest_of(to));
    const cpp_int whole = integral(exact(a, f), rounding);
    if (whole < static_cast<cpp_int>(least_of(to))) return integer_result(least_of(to));
    if (whole > static_cast<cpp_int>(greatest_of(to))) return integer_result(greatest_of(to));
    return integer_result(static_cast<SignedWide>(whole));
  }

  std::uint64_t finished(std::uint64_t bits) const {
    const Format& f = format_of(to);
    if (ftz && to == "f32") bits = f.flushed(bits);
    if (sat) bits = saturated(bits, f);
    if (relu) bits = f.is_nan(bits) ? bits : f.is_negative(bits) ? 0 : bits;
    if (satfinite && f.is_infinite(bits)) --bits;
    return bits;
  }

  std::uint64_t integer_to_float(std::uint64_t a) const {
    const SignedWide value = integer_of(a, from);
    if (value == 0) return 0;
    return finished(rounded(Exact{static_cast<cpp_int>(value), 0}, format_of(to), rounding));
  }

  /// Ties away from zero: half a unit more, cut off.
  static std::uint64_t rounded_away(const Exact& value, const Format& f) {
    const cpp_int magnitude = abs(value.mantissa);
    const int unit = std::max(value.exponent + static_cast<int>(msb(magnitude)) + 1 - f.precision, f.smallest_unit());
    const Exact half{value.mantissa < 0 ? -1 : 1, unit - 1};
    // With the rest cut off, infinity comes out as the largest number.
    const Exact sum = value + half;
    const std::uint64_t cut = rounded(sum, f, 'z');
    const int most = (1 << (f.exponent_bits - 1));
    const bool overflows = sum.exponent + static_cast<int>(msb(cpp_int(abs(sum.mantissa)))) >= most;
    return overflows ? (cut & f.sign()) | f.infinity() : cut;
  }

  /// The ISA leaves it open. An H200 keeps the bits where f32 or f64 stays and nothing is rounded to an integer, and from
  /// bf16 to f32; with f64 it keeps sign and as much of the payload as fits, made quiet; otherwise every NaN becomes the
  /// same. .ftz makes one of f32 the same first. .rna cuts off what tf32 has no room for, .satfinite one unit more.
  std::uint64_t nan_result(std::uint64_t a) const {
    if (sat) return 0;
    if (ftz && from == "f32") a = result_nan(from, {});
    if (ftz && from == "bf16") return result_nan(to, {});
    if (to == from && !to_integral) return width_of(to) == 16 ? result_nan(to, {}) : a;
    if (to == "f32" && from == "bf16") return a << 16;
    if (to == "tf32") return ((rounding == 'a' ? a >> 13 : 0x3ffff) - (satfinite ? 1 : 0)) << 13;
    if (to != "f64" && from != "f64") return result_nan(to, {});
    const Format &source = format_of(from), &target = format_of(to);
    const int wider = target.precision - source.precision;
    const std::uint64_t payload = low_bits(a, static_cast<unsigned>(source.precision) - 1);
    const std::uint64_t fitted = wider >= 0 ? payload << wider : payload >> -wider;
    const std::uint64_t quiet = std::uint64_t{1} << (target.precision - 2);
    return (source.is_negative(a) ? target.sign() : 0) | target.infinity() | quiet | fitted;
  }

  std::uint64_t float_to_float(std::uint64_t a) const {
    const Format &source = format_of(from), &target = format_of(to);
    if (ftz && from == "f32" && to != "f16") a = source.flushed(a);  // Not to f16: measured on an H200.
    if (source.is_nan(a)) return nan_result(a);
    const std::uint64_t sign = source.is_negative(a) ? target.sign() : 0;
    const unsigned below = to == "tf32" ? 13 : 0;
    std::uint64_t bits = 0;
    if (source.is_infinite(a)) {
      bits = sign | target.infinity();
    } else if (source.is_zero(a)) {
      bits = sign;
    } else if (to_integral) {
      const cpp_int whole = integral(exact(a, source), rounding);
      bits = whole == 0 ? sign : rounded(Exact{whole, 0}, target, 'n');
    } else {
      bits = rounding == 'a' ? rounded_away(exact(a, source), target) : rounded(exact(a, source), target, rounding);
    }
    return finished(bits) << below;
  }

  std::uint64_t operator()(std::uint64_t a) const {
    if (!is_float(from)) return is_float(to) ? integer_to_float(a) : integer_to_integer(a);
    return is_float(to) ? float_to_float(a) : float_to_integer(a);
  }
};

/// cvt.pack: two integers clamped, behind them what was there before.
Evaluate pack(const Instruction& instruction) {
  const std::string_view to = types_of(instruction.modifiers).front();
  const unsigned width = width_of(to);
  const bool keeps = width < 16;
  return giving([=](const std::uint64_t* in) {
    const std::uint64_t high = bits_of_integer(clamped(integer_of(in[0], "s32"), to), width);
    const std::uint64_t low = bits_of_integer(clamped(integer_of(in[1], "s32"), to), width);
    return low_bits((keeps ? in[2] << 2 * width : 0) | high << width | low, 32);
  });
}

}  // namespace

Evaluate conversion_semantics(const Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::cvt) return {};
  if (instruction.has("pack")) return pack(instruction);
  const auto types = types_of(instruction.modifiers);
  Conversion one;
  one.to = element_of(types.front());
  one.from = types.back();
  one.rounding = rounding_of(instruction);
  one.ftz = instruction.has("ftz");
  one.sat = instruction.has("sat");
  one.relu = instruction.has("relu");
  one.satfinite = instruction.has("satfinite");
  for (const std::string_view modifier : {"rni", "rzi", "rmi", "rpi"}) one.to_integral |= instruction.has(modifier);
  if (is_pair(types.front())) {
    return giving([=](const std::uint64_t* in) { return one(in[0]) << 16 | one(in[1]); });
  }
  return giving([=](const std::uint64_t* in) { return one(in[0]); });
}

}  // namespace lockstep::differential
