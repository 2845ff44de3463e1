// Conversions from and to floating-point types (PTX ISA 9.7.9, cvt). Nothing here depends on the CPU's rounding mode.

#include <limits>

#include "isa/exec/arithmetic/convert.hpp"
#include "isa/exec/arithmetic/float_format.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

template <class T>
constexpr BinaryFormat format_of() {
  if constexpr (std::is_same_v<T, Half>) return f16_format;
  if constexpr (std::is_same_v<T, Bfloat>) return bf16_format;
  if constexpr (std::is_same_v<T, float>) return f32_format;
  return f64_format;
}
template <class T>
T of_bits(std::uint64_t bits) {
  return FloatFormat<T>::of(static_cast<FloatBits<T>>(bits));
}

/// .ftz acts on single precision only.
template <class T>
T operand_of(T value, Control control) {
  if constexpr (std::is_same_v<T, float>) return (control.value & convert_ftz) != 0 ? flush_denormal(value) : value;
  return value;
}
template <class T>
T result_of(T value, Control control) {
  value = operand_of(value, control);
  if ((control.value & convert_sat) != 0) value = clamp_to_unit(value);
  if ((control.value & convert_relu) != 0) value = clamp_negative(value);
  if ((control.value & convert_satfinite) != 0 && magnitude_bits(value) == FloatFormat<T>::exponent) {
    value = FloatFormat<T>::of(static_cast<FloatBits<T>>(FloatFormat<T>::bits(value) - 1));
  }
  return value;
}

// ---- integer to float ----

template <class To, class From>
To integer_to_float(From a, Control control) {
  const Type from = converted_from(control);
  const std::uint64_t value = extend_integer(a, from);
  const bool negative = is_signed(from) && static_cast<std::int64_t>(value) < 0;
  const std::uint64_t magnitude = negative ? 0 - value : value;
  return result_of(of_bits<To>(round_to_format(negative, magnitude, 0, format_of<To>(), conversion_rounding(control))),
                   control);
}

template <class To>
Arithmetic::Run select_from_integer(unsigned from_bits) {
  switch (from_bits) {
    case 16: return over_active_lanes<&integer_to_float<To, std::uint16_t>>;
    case 32: return over_active_lanes<&integer_to_float<To, std::uint32_t>>;
    default: return over_active_lanes<&integer_to_float<To, std::uint64_t>>;
  }
}

// ---- float to integer ----

/// Rounds to an integer and clamps to the range of the type. NaN gives 0 between single or half precision and 32 bits
/// or less, and the highest bit alone otherwise (PTX ISA 9.7.9, cvt, integer notes).
template <class To, class From>
To float_to_integer(From a, Control control) {
  const Type to = converted_to(control);
  const unsigned bits = ptx::bits_of(to);
  const auto source = FloatFormat<From>::number(operand_of(a, control));
  std::uint64_t result;
  if (source != source) {
    const bool zero = !std::is_same_v<From, double> && bits < 64;
    result = zero ? 0 : std::uint64_t{1} << (bits - 1);
  } else {
    const double value = round_to_integral(source, conversion_rounding(control));
    // 2^bits or 2^(bits-1): the first number that is too large.
    const double limit = is_signed(to) ? static_cast<double>(std::uint64_t{1} << (bits - 1))
                                       : 2 * static_cast<double>(std::uint64_t{1} << (bits - 1));
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits + (is_signed(to) ? 1 : 0));
    if (value >= limit) {
      result = largest;
    } else if (is_signed(to)) {
      result = value < -limit ? ~largest : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
      result = value <= 0 ? 0 : static_cast<std::uint64_t>(value);
    }
  }
  return static_cast<To>(extend_integer(result, to));
}

/// The common ones, of 32 bits and without .ftz: arithmetic and selections only, so that the loop vectorises. Clamping
/// first is the same as clamping last, because the bounds are integers.
template <class To, class From, Rounding rounding>
To float_to_32(From a) {
  constexpr auto low = static_cast<double>(std::numeric_limits<To>::min());
  constexpr auto high = static_cast<double>(std::numeric_limits<To>::max());
  // A sum with this has no bits below 1, and its low 32 bits are those of the integer.
  constexpr double shifter = 0x1.8p52;
  const auto value = static_cast<double>(a);
  const double clamped = value < low ? low : value > high ? high : value == value ? value : 0;
  const double nearest = (clamped + shifter) - shifter;
  double correction = 0;
  if constexpr (rounding == Rounding::down) correction = nearest > clamped ? -1 : 0;
  if constexpr (rounding == Rounding::up) correction = nearest < clamped ? 1 : 0;
  if constexpr (rounding == Rounding::zero) {
    const double below = nearest > clamped ? -1 : 0, above = nearest < clamped ? 1 : 0;
    correction = clamped >= 0 ? below : above;
  }
  const double whole = nearest + correction;
  const auto result = static_cast<To>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(whole + shifter)));
  if constexpr (std::is_same_v<From, double>) return value == value ? result : static_cast<To>(std::uint32_t{1} << 31);
  return result;
}

template <class From>
Arithmetic::Run select_to_integer(unsigned to_bits) {
  switch (to_bits) {
    case 16: return over_active_lanes<&float_to_integer<std::uint16_t, From>>;
    case 32: return over_active_lanes<&float_to_integer<std::uint32_t, From>>;
    default: return over_active_lanes<&float_to_integer<std::uint64_t, From>>;
  }
}
template <class To, class From>
Arithmetic::Run select_to_32(Rounding rounding) {
  switch (rounding) {
    case Rounding::zero: return over_lanes<&float_to_32<To, From, Rounding::zero>>;
    case Rounding::down: return over_lanes<&float_to_32<To, From, Rounding::down>>;
    case Rounding::up: return over_lanes<&float_to_32<To, From, Rounding::up>>;
    default: return over_lanes<&float_to_32<To, From, Rounding::nearest>>;
  }
}

// ---- float to float ----

/// What a NaN becomes. The ISA leaves it open; an H200 keeps sign and as much of the payload as fits, made quiet, from and
/// to double, keeps the bits from bfloat16 to single, and gives the canonical NaN otherwise.
template <class To, class From>
To converted_nan(From a) {
  using F = FloatFormat<From>;
  using T = FloatFormat<To>;
  if constexpr (std::is_same_v<From, Bfloat> && std::is_same_v<To, float>) {
    return T::of(static_cast<std::uint32_t>(F::bits(a)) << 16);
  } else if constexpr (std::is_same_v<From, double> || std::is_same_v<To, double>) {
    constexpr int from_fraction = std::countr_zero(F::exponent), to_fraction = std::countr_zero(T::exponent);
    const std::uint64_t bits = F::bits(a), payload = bits & ((std::uint64_t{1} << from_fraction) - 1);
    constexpr int wider = to_fraction - from_fraction;
    const std::uint64_t fitted = wider >= 0 ? payload << std::max(wider, 0) : payload >> std::max(-wider, 0);
    const std::uint64_t sign = (bits & F::sign) != 0 ? std::uint64_t{T::sign} : 0;
    return of_bits<To>(sign | T::exponent | std::uint64_t{1} << (to_fraction - 1) | fitted);
  } else {
    return of_bits<To>(T::nan);
  }
}

double widen(float a) {
  return is_nan(a) ? converted_nan<double>(a) : static_cast<double>(a);
}
float narrow(double a) {
  return is_nan(a) ? converted_nan<float>(a) : static_cast<float>(a);
}
float narrow_half(Half a) {
  return to_float(a);
}
float narrow_bfloat(Bfloat a) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(a.bits) << 16);
}
template <class T>
T same(T a) {
  return a;
}

/// An H200 flushes by an addition, which makes NaN canonical; not on the way to f16, whatever .ftz says.
template <class To, class From>
From flushed_operand(From a, Control control) {
  const bool flushes = (control.value & convert_ftz) != 0;
  if constexpr (std::is_same_v<To, Half>) return a;
  if constexpr (std::is_same_v<From, float>) return flushes ? canonical(flush_denormal(a)) : a;
  return a;
}

template <class To, class From>
To float_to_float(From a, Control control) {
  const From operand = flushed_operand<To>(a, control);
  if ((control.value & convert_to_integer) != 0) {
    if (is_nan(operand)) return result_of(converted_nan<To>(operand), control);
    const double whole = round_to_integral(FloatFormat<From>::number(operand), conversion_rounding(control));
    return result_of(of_bits<To>(round_to_format(whole, format_of<To>(), Rounding::nearest)), control);
  }
  if constexpr (std::is_same_v<To, From>) {
    return result_of(sizeof(To) == 2 ? canonical(operand) : operand, control);
  } else if constexpr (std::is_same_v<To, double> && std::is_same_v<From, float>) {
    return result_of(widen(operand), control);
  } else {
    if (is_nan(operand)) {
      const bool is_flushed = std::is_same_v<From, Bfloat> && (control.value & convert_ftz) != 0;
      return result_of(is_flushed ? of_bits<To>(FloatFormat<To>::nan) : converted_nan<To>(operand), control);
    }
    const double value = FloatFormat<From>::number(operand);
    return result_of(of_bits<To>(round_to_format(value, format_of<To>(), conversion_rounding(control))), control);
  }
}

template <class To>
Arithmetic::Run select_from_float(Type from) {
  switch (from) {
    case Type::f16: return over_active_lanes<&float_to_float<To, Half>>;
    case Type::bf16: return over_active_lanes<&float_to_float<To, Bfloat>>;
    case Type::f32: return over_active_lanes<&float_to_float<To, float>>;
    default: return over_active_lanes<&float_to_float<To, double>>;
  }
}

/// The conversions that need no control, or none when this is not one.
Arithmetic::Run select_plain(Type to, Type from, Rounding rounding) {
  if (to == Type::f64 && from == Type::f32) return over_lanes<&widen>;
  if (to == Type::f32 && from == Type::f16) return over_lanes<&narrow_half>;
  if (to == Type::f32 && from == Type::bf16) return over_lanes<&narrow_bfloat>;
  if (to == Type::f32 && from == Type::f64 && rounding == Rounding::nearest) return over_lanes<&narrow>;
  if (to == Type::f32 && from == Type::f32) return over_lanes<&same<float>>;
  if (to == Type::f64 && from == Type::f64) return over_lanes<&same<double>>;
  return nullptr;
}

template <class T>
Pair<T> pair_of_floats(float a, float b, Control control) {
  return {float_to_float<T, float>(b, control), float_to_float<T, float>(a, control)};
}

/// A float whose fraction has 10 bits; the 13 bits below are zero. As on an H200, .rna cuts a NaN off, which may leave an
/// infinity, and .satfinite takes one unit from it as from infinity.
std::uint32_t to_tf32(float a, Control control) {
  const Rounding rounding = conversion_rounding(control);
  constexpr std::uint32_t kept = ~std::uint32_t{0} << 13;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(a) & kept;
  if (!is_nan(a)) {
    bits = static_cast<std::uint32_t>(round_to_format(a, tf32_format, rounding)) << 13;
    if ((control.value & convert_relu) != 0 && bits >> 31 != 0) bits = 0;
  } else if (rounding != Rounding::nearest_away) {
    bits = canonical_float_nan & kept;
  }
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  return !finite && (control.value & convert_satfinite) != 0 ? bits - 0x2000 : bits;
}

bool is_plain(const Conversion& conversion) {
  return !conversion.ftz && !conversion.sat && !conversion.relu && !conversion.satfinite;
}

}  // namespace

Arithmetic::Run select_integer_to_float(const Conversion& conversion) {
  const bool exact = conversion.from_bits == plane_bits(conversion.from);
  if (exact && conversion.rounding == Rounding::nearest && is_plain(conversion)) {
    if (conversion.to == Type::f32) return select_cast<float>(conversion.from);
    if (conversion.to == Type::f64) return select_cast<double>(conversion.from);
  }
  switch (conversion.to) {
    case Type::f16: return select_from_integer<Half>(conversion.from_bits);
    case Type::bf16: return select_from_integer<Bfloat>(conversion.from_bits);
    case Type::f32: return select_from_integer<float>(conversion.from_bits);
    default: return select_from_integer<double>(conversion.from_bits);
  }
}

Arithmetic::Run select_float_to_integer(const Conversion& conversion) {
  const Rounding rounding = *conversion.rounding;
  if (conversion.to_bits == 32 && !conversion.ftz) {
    const bool from_single = conversion.from == Type::f32, from_double = conversion.from == Type::f64;
    if (conversion.to == Type::s32 && from_single) return select_to_32<std::int32_t, float>(rounding);
    if (conversion.to == Type::u32 && from_single) return select_to_32<std::uint32_t, float>(rounding);
    if (conversion.to == Type::s32 && from_double) return select_to_32<std::int32_t, double>(rounding);
    if (conversion.to == Type::u32 && from_double) return select_to_32<std::uint32_t, double>(rounding);
  }
  switch (conversion.from) {
    case Type::f16: return select_to_integer<Half>(conversion.to_bits);
    case Type::bf16: return select_to_integer<Bfloat>(conversion.to_bits);
    case Type::f32: return select_to_integer<float>(conversion.to_bits);
    default: return select_to_integer<double>(conversion.to_bits);
  }
}

Arithmetic::Run select_float_to_float(const Conversion& conversion) {
  if (is_plain(conversion) && !conversion.to_integer) {
    const Rounding rounding = conversion.rounding.value_or(Rounding::nearest);
    if (const auto run = select_plain(conversion.to, conversion.from, rounding)) return run;
  }
  switch (conversion.to) {
    case Type::f16: return select_from_float<Half>(conversion.from);
    case Type::bf16: return select_from_float<Bfloat>(conversion.from);
    case Type::f32: return select_from_float<float>(conversion.from);
    default: return select_from_float<double>(conversion.from);
  }
}

Arithmetic::Run select_pair_of_floats(bool bf16) {
  return bf16 ? over_active_lanes<&pair_of_floats<Bfloat>> : over_active_lanes<&pair_of_floats<Half>>;
}
Arithmetic::Run select_tf32() {
  return over_active_lanes<&to_tf32>;
}

}  // namespace lockstep::exec
