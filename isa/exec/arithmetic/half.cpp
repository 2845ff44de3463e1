// Half-precision arithmetic (PTX ISA 9.7.4) on f16, bf16 and pairs of them. Operands become doubles, in which products
// are exact and sums are rounded to odd, so the one rounding to the result type is the correct one.
// Everything runs in loops of selections and arithmetic, which vectorise.

#include <cmath>
#include <cstring>
#include <type_traits>

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec {

bool is_half(ptx::Type type) {
  return type == ptx::Type::f16 || type == ptx::Type::f16x2 || type == ptx::Type::bf16 || type == ptx::Type::bf16x2;
}

namespace {

using ptx::Type;

// Bits of Arithmetic::control.
constexpr std::uint32_t flushing = 1, saturating = 2, clamping_negative = 4, negating_product = 8, negating_addend = 16;

struct Add {
  static double apply(double a, double b, double) { return add_to_odd(a, b); }
};
struct Subtract {
  static double apply(double a, double b, double) { return add_to_odd(a, -b); }
};
struct Multiply {
  static double apply(double a, double b, double) { return a * b; }
};
struct Fma {
  static double apply(double a, double b, double c) { return add_to_odd(a * b, c); }
};

float exact_float(Half value) {
  return to_float(value);
}
float exact_float(Bfloat value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

template <class T>
void flush(std::uint16_t* bits, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bits[i] = flush_denormal(T{bits[i]}).bits;
}

/// Zeros of their sign for exact results that are subnormal when they are rounded as if their exponent had no bound: those
/// below the middle of the smallest normal number and the one of 11 bits before it.
void flush_tiny(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::fabs(values[i]) < 0x1p-14 - 0x1p-26 ? std::copysign(0.0, values[i]) : values[i];
}

void negate(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = -values[i];
}

/// The operands of a plane, as doubles. A plane of pairs is one of twice as many halves.
template <class T, std::size_t count>
void load(const std::byte* from, bool flushes, double* to) {
  std::uint16_t bits[count];
  float narrow[count];
  std::memcpy(bits, from, sizeof bits);
  if (flushes) flush<T>(bits, count);
  for (std::size_t i = 0; i < count; ++i) narrow[i] = exact_float(T{bits[i]});
  for (std::size_t i = 0; i < count; ++i) to[i] = narrow[i];
}

/// Op on two or three operands, in loops over one step each that vectorise.
template <class Op, class T, unsigned operands, bool pairs>
void run_halves(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  constexpr std::size_t count = pairs ? 2 * lanes : lanes;
  const bool flushes = (operation.control & flushing) != 0;
  double a[count], b[count], c[count];
  load<T, count>(frame + operation.source[0], flushes, a);
  load<T, count>(frame + operation.source[1], flushes, b);
  if constexpr (operands == 3) load<T, count>(frame + operation.source[2], flushes, c);
  if constexpr (operands == 3) {
    if ((operation.control & negating_product) != 0) negate(a, count);
    if ((operation.control & negating_addend) != 0) negate(c, count);
  }
  for (std::size_t i = 0; i < count; ++i) a[i] = Op::apply(a[i], b[i], operands == 3 ? c[i] : 0);
  if (flushes) flush_tiny(a, count);
  std::uint64_t wide[count];
  for (std::size_t i = 0; i < count; ++i) wide[i] = nearest_half<T>(a[i]);
  std::uint16_t bits[count];
  for (std::size_t i = 0; i < count; ++i) bits[i] = static_cast<std::uint16_t>(wide[i]);
  if ((operation.control & saturating) != 0) {
    for (std::uint16_t& value : bits) value = clamp_to_unit(T{value}).bits;
  }
  if ((operation.control & clamping_negative) != 0) {
    for (std::uint16_t& value : bits) value = clamp_negative(T{value}).bits;
  }
  std::conditional_t<pairs, std::uint32_t, std::uint16_t> results[lanes];
  std::memcpy(results, bits, sizeof results);
  store_lanes(frame, operation.destination, results, mask);
}

template <class Op, unsigned operands>
Arithmetic::Run of_type(Type type) {
  switch (type) {
    case Type::f16: return &run_halves<Op, Half, operands, false>;
    case Type::bf16: return &run_halves<Op, Bfloat, operands, false>;
    case Type::f16x2: return &run_halves<Op, Half, operands, true>;
    default: return &run_halves<Op, Bfloat, operands, true>;
  }
}

template <class Op>
void decode_two(Decoder& d) {
  d.take("rn");
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  if (d.take("ftz")) d.result().control |= flushing;
  if (d.take("sat")) d.result().control |= saturating;
  d.finish(of_type<Op, 2>(type));
}

}  // namespace

void decode_half_sum(Decoder& d, bool subtract) {
  subtract ? decode_two<Subtract>(d) : decode_two<Add>(d);
}
void decode_half_product(Decoder& d) {
  decode_two<Multiply>(d);
}
void decode_half_fma(Decoder& d) {
  d.take("rn");
  const Type type = d.take_type();
  d.destination_and_sources(type, 3);
  if (d.take("ftz")) d.result().control |= flushing;
  if (d.take("relu")) d.result().control |= clamping_negative;
  if (d.take("sat")) d.result().control |= saturating;
  d.finish(of_type<Fma, 3>(type));
}

Arithmetic::Run select_signed_fma_half(Type type, bool ftz, bool sat, FusedSigns signs, std::uint32_t& control) {
  control = (ftz ? flushing : 0) | (sat ? saturating : 0) | (signs.negates_product ? negating_product : 0) |
            (signs.negates_addend ? negating_addend : 0);
  return of_type<Fma, 3>(type);
}

}  // namespace lockstep::exec
