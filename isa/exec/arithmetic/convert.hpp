#pragma once
// A conversion (cvt) as decoded, and the choice of its function.

#include <optional>

#include "isa/exec/arithmetic/families.hpp"

namespace lockstep::exec {

/// What one cvt does. The register of an integer may be wider than its type: the source's low bits count, and the
/// destination is extended by the sign of its type.
struct Conversion {
  ptx::Type to = ptx::Type::none, from = ptx::Type::none;
  unsigned to_bits = 0, from_bits = 0;  ///< Of the planes: 16, 32 or 64.
  std::optional<Rounding> rounding;     ///< To a representable number, or to an integer when `to_integer`.
  bool to_integer = false;              ///< .rni, .rzi, .rmi, .rpi
  bool ftz = false, sat = false, relu = false, satfinite = false;
};

/// The control word that the general functions read.
std::uint32_t control_of(const Conversion& conversion);
/// Its parts.
ptx::Type converted_to(Control control);
ptx::Type converted_from(Control control);
Rounding conversion_rounding(Control control);
inline constexpr std::uint32_t convert_ftz = 1u << 16, convert_sat = 1u << 17, convert_relu = 1u << 18,
                               convert_satfinite = 1u << 19, convert_to_integer = 1u << 20;

/// The low bits of a register of integer type `type`, extended to 64 by its sign.
inline std::uint64_t extend_integer(std::uint64_t bits, ptx::Type type) {
  const unsigned above = 64 - ptx::bits_of(type);
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above)
                         : bits << above >> above;
}

/// A conversion as the CPU makes it: between integers, or to the nearest floating-point number.
template <class To, class From>
To cast(From a) {
  return static_cast<To>(a);
}
/// That from an integer type whose register has its width.
template <class To>
Arithmetic::Run select_cast(ptx::Type from) {
  switch (from) {
    case ptx::Type::u8: return over_lanes<&cast<To, std::uint8_t>>;
    case ptx::Type::s8: return over_lanes<&cast<To, std::int8_t>>;
    case ptx::Type::u16: return over_lanes<&cast<To, std::uint16_t>>;
    case ptx::Type::s16: return over_lanes<&cast<To, std::int16_t>>;
    case ptx::Type::u32: return over_lanes<&cast<To, std::uint32_t>>;
    case ptx::Type::s32: return over_lanes<&cast<To, std::int32_t>>;
    case ptx::Type::u64: return over_lanes<&cast<To, std::uint64_t>>;
    default: return over_lanes<&cast<To, std::int64_t>>;
  }
}

Arithmetic::Run select_integer_conversion(const Conversion& conversion);
Arithmetic::Run select_integer_to_float(const Conversion& conversion);
Arithmetic::Run select_float_to_integer(const Conversion& conversion);
Arithmetic::Run select_float_to_float(const Conversion& conversion);
/// cvt.f16x2.f32 and cvt.bf16x2.f32; cvt.tf32.f32.
Arithmetic::Run select_pair_of_floats(bool bf16);
Arithmetic::Run select_tf32();

}  // namespace lockstep::exec
