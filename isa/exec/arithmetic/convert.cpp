// Decoding of cvt and cvt.pack (PTX ISA 9.7.9), and the conversions between integers.

#include "isa/exec/arithmetic/convert.hpp"

#include <algorithm>
#include <limits>

namespace lockstep::exec {

using ptx::Type;

std::uint32_t control_of(const Conversion& conversion) {
  std::uint32_t control = static_cast<std::uint32_t>(conversion.to) | static_cast<std::uint32_t>(conversion.from) << 5 |
                          static_cast<std::uint32_t>(conversion.rounding.value_or(Rounding::nearest)) << 10;
  if (conversion.ftz) control |= convert_ftz;
  if (conversion.sat) control |= convert_sat;
  if (conversion.relu) control |= convert_relu;
  if (conversion.satfinite) control |= convert_satfinite;
  if (conversion.to_integer) control |= convert_to_integer;
  return control;
}
Type converted_to(Control control) {
  return static_cast<Type>(control.value & 0x1f);
}
Type converted_from(Control control) {
  return static_cast<Type>(control.value >> 5 & 0x1f);
}
Rounding conversion_rounding(Control control) {
  return static_cast<Rounding>(control.value >> 10 & 0x7);
}

namespace {

// ---- integer to integer ----

/// Any integer conversion between planes of these element types, with saturation if the control asks for it.
template <class To, class From>
To convert_integer(From a, Control control) {
  const Type to = converted_to(control), from = converted_from(control);
  std::uint64_t value = extend_integer(a, from);
  if ((control.value & convert_sat) != 0) {
    const unsigned bits = ptx::bits_of(to);
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits + (is_signed(to) ? 1 : 0));
    const std::uint64_t smallest = is_signed(to) ? ~largest : 0;
    const bool negative = is_signed(from) && static_cast<std::int64_t>(value) < 0;
    if (negative) {
      if (!is_signed(to) || static_cast<std::int64_t>(value) < static_cast<std::int64_t>(smallest)) value = smallest;
    } else if (value > largest) {
      value = largest;
    }
  }
  return static_cast<To>(extend_integer(value, to));
}

template <class To>
Arithmetic::Run select_general(unsigned from_bits) {
  switch (from_bits) {
    case 16: return over_active_lanes<&convert_integer<To, std::uint16_t>>;
    case 32: return over_active_lanes<&convert_integer<To, std::uint32_t>>;
    default: return over_active_lanes<&convert_integer<To, std::uint64_t>>;
  }
}

}  // namespace

Arithmetic::Run select_integer_conversion(const Conversion& conversion) {
  const bool exact =
      conversion.to_bits == plane_bits(conversion.to) && conversion.from_bits == plane_bits(conversion.from);
  if (!exact || conversion.sat) {
    switch (conversion.to_bits) {
      case 16: return select_general<std::uint16_t>(conversion.from_bits);
      case 32: return select_general<std::uint32_t>(conversion.from_bits);
      default: return select_general<std::uint64_t>(conversion.from_bits);
    }
  }
  switch (conversion.to) {
    case Type::u8: return select_cast<std::uint8_t>(conversion.from);
    case Type::s8: return select_cast<std::int8_t>(conversion.from);
    case Type::u16: return select_cast<std::uint16_t>(conversion.from);
    case Type::s16: return select_cast<std::int16_t>(conversion.from);
    case Type::u32: return select_cast<std::uint32_t>(conversion.from);
    case Type::s32: return select_cast<std::int32_t>(conversion.from);
    case Type::u64: return select_cast<std::uint64_t>(conversion.from);
    default: return select_cast<std::int64_t>(conversion.from);
  }
}

namespace {

// ---- cvt.pack ----

/// Control of cvt.pack: the number of bits of an element, and whether it is signed.
constexpr std::uint32_t pack_signed = 0x100;

std::uint32_t saturate_element(std::int32_t value, std::uint32_t control) {
  const unsigned bits = control & 0xff;
  const bool with_sign = (control & pack_signed) != 0;
  const std::int32_t largest = static_cast<std::int32_t>((std::uint32_t{1} << (with_sign ? bits - 1 : bits)) - 1);
  const std::int32_t smallest = with_sign ? -largest - 1 : 0;
  return static_cast<std::uint32_t>(std::clamp(value, smallest, largest)) & ((std::uint32_t{1} << bits) - 1);
}
std::uint32_t pack_two(std::int32_t a, std::int32_t b, Control control) {
  return saturate_element(a, control.value) << 16 | saturate_element(b, control.value);
}
/// The two elements below the low bits of c.
std::uint32_t pack_and_append(std::int32_t a, std::int32_t b, std::uint32_t c, Control control) {
  const unsigned bits = control.value & 0xff;
  return c << 2 * bits | saturate_element(a, control.value) << bits | saturate_element(b, control.value);
}

void decode_pack(Decoder& d) {
  const unsigned element = d.take_which({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  d.take("sat");
  d.take("s32");
  const bool appends = d.take("b32");
  d.destination_and_sources(Type::b32, appends ? 3 : 2);
  d.result().control = (16u >> element / 2) | (element % 2 != 0 ? pack_signed : 0);
  d.finish(appends ? over_lanes<&pack_and_append> : over_lanes<&pack_two>);
}

// ---- decoding ----

/// The plane of an operand that may be wider than its integer type, and the plane's element size.
PlaneOffset wide_source(Decoder& d, std::size_t number, Type type, unsigned& bits) {
  const ptx::Operand& from = d.operand(number);
  Type held = type;
  if (from.kind == ptx::Operand::Kind::reg) held = d.function.registers[from.index].type;
  if (from.kind == ptx::Operand::Kind::special) held = ptx::bits_of(from.special) == 64 ? Type::u64 : Type::u32;
  bits = plane_bits(held);
  if (is_floating(type) || bits < plane_bits(type) || bits > 64 || is_floating(held)) {
    bits = plane_bits(type);
    return d.source_plane(from, type);  // Must fit exactly; says so when it does not.
  }
  return d.source_plane(from, held);
}
PlaneOffset wide_destination(Decoder& d, Type type, unsigned& bits) {
  const ptx::Operand& to = d.operand(0);
  Type held = type;
  if (to.kind == ptx::Operand::Kind::reg) held = d.function.registers[to.index].type;
  bits = plane_bits(held);
  if (is_floating(type) || bits < plane_bits(type) || bits > 64 || is_floating(held)) {
    bits = plane_bits(type);
    return d.destination_plane(to, type, Sink::spare);
  }
  return d.destination_plane(to, held, Sink::spare);
}

void take_modes(Decoder& d, Conversion& conversion) {
  if (const auto place = d.take_one({"rni", "rzi", "rmi", "rpi"})) {
    constexpr Rounding roundings[] = {Rounding::nearest, Rounding::zero, Rounding::down, Rounding::up};
    conversion.rounding = roundings[*place];
    conversion.to_integer = true;
  } else if (d.take("rna")) {
    conversion.rounding = Rounding::nearest_away;
  } else {
    conversion.rounding = d.take_rounding();
  }
  conversion.ftz = d.take("ftz");
  conversion.sat = d.take("sat");
  conversion.relu = d.take("relu");
  conversion.satfinite = d.take("satfinite");
}

/// cvt to tf32, f16x2 and bf16x2, all from f32.
void decode_from_f32(Decoder& d, const Conversion& conversion, bool tf32, Type to) {
  d.take("f32");
  d.result().control = control_of(conversion);
  d.destination_and_sources(Type::b32, tf32 ? 1 : 2);
  d.finish(tf32 ? select_tf32() : select_pair_of_floats(to == Type::bf16x2));
}

void decode_convert(Decoder& d) {
  if (d.take("pack")) return decode_pack(d);
  Conversion conversion;
  take_modes(d, conversion);
  if (d.take("tf32")) return decode_from_f32(d, conversion, true, Type::none);
  conversion.to = d.take_type();
  if (conversion.to == Type::f16x2 || conversion.to == Type::bf16x2) {
    return decode_from_f32(d, conversion, false, conversion.to);
  }
  conversion.from = d.take_type();
  d.expect_operands(2);
  d.result().destination = wide_destination(d, conversion.to, conversion.to_bits);
  d.result().source[0] = wide_source(d, 1, conversion.from, conversion.from_bits);
  d.result().control = control_of(conversion);

  const bool from_float = is_floating(conversion.from), to_float = is_floating(conversion.to);
  if (from_float) return d.finish(to_float ? select_float_to_float(conversion) : select_float_to_integer(conversion));
  d.finish(to_float ? select_integer_to_float(conversion) : select_integer_conversion(conversion));
}

constexpr ArithmeticOpcode opcodes[] = {{ptx::Opcode::cvt, decode_convert, decode_convert}};

}  // namespace

std::span<const ArithmeticOpcode> convert_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
