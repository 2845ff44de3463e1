// Integer arithmetic (PTX ISA 9.7.1 and 9.7.2): sums with carry, products, quotients, absolute values, extrema, dot
// products. All sums and products are taken modulo the width, in unsigned types.

#include <limits>

#include "isa/exec/arithmetic/families.hpp"
#include "isa/exec/arithmetic/select.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
  }
};

std::int32_t saturate(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min(),
                         high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < low ? low : value > high ? high : value);
}
std::int32_t add_saturated(std::int32_t a, std::int32_t b) {
  return saturate(std::int64_t{a} + b);
}
std::int32_t subtract_saturated(std::int32_t a, std::int32_t b) {
  return saturate(std::int64_t{a} - b);
}

/// The low half, the high half and the whole of a product.
struct MultiplyLow {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<Wide<T>>>(a) * static_cast<Unsigned<Wide<T>>>(b));
  }
};
/// On SSE2 a 64-bit product modulo 2^64 needs no 128-bit intermediate.
std::uint64_t multiply_low_64(std::uint64_t a, std::uint64_t b) {
  return a * b;
}
struct MultiplyHigh {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) * b >> std::numeric_limits<Unsigned<T>>::digits);
  }
};
struct MultiplyWide {
  template <class T>
  static Wide<T> apply(T a, T b) {
    return static_cast<Wide<T>>(a) * b;
  }
};

template <class Product>
struct MultiplyAdd {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply<T>(Product::template apply<T>(a, b), c);
  }
};
struct MultiplyAddWide {
  template <class T>
  static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply<Wide<T>>(static_cast<Wide<T>>(a) * b, c);
  }
};
std::int32_t multiply_add_high_saturated(std::int32_t a, std::int32_t b, std::int32_t c) {
  return saturate((std::int64_t{a} * b >> 32) + c);
}

/// The number in the low 24 bits.
std::int64_t low_24(std::int32_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8) >> 8;
}
std::uint64_t low_24(std::uint32_t value) {
  return value & 0xffffff;
}
struct Multiply24Low {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(low_24(a) * low_24(b));
  }
};
struct Multiply24High {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(low_24(a) * low_24(b) >> 16);
  }
};
std::int32_t multiply_add_24_high_saturated(std::int32_t a, std::int32_t b, std::int32_t c) {
  return saturate(std::int64_t{Multiply24High::apply<std::int32_t>(a, b)} + c);
}

struct SumOfDifference {
  template <class T>
  static T apply(T a, T b, T c) {
    const auto difference = a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b);
    return static_cast<T>(Unsigned<T>(c) + difference);
  }
};

/// All ones for a division by zero; the smallest number divided by -1 is itself.
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Subtract::apply<T>(0, a);
    return static_cast<T>(a / b);
  }
};
/// All ones for a division by zero (the ISA leaves it open; an H200 gives that); 0 for any number modulo -1.
struct Remainder {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Absolute {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Subtract::apply<T>(0, a) : a;
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    return Subtract::apply<T>(0, a);
  }
};
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
template <class Op>
struct ClampedAtZero {
  template <class T>
  static T apply(T a, T b) {
    return Maximum::apply<T>(Op::template apply<T>(a, b), 0);
  }
};
template <class Op>
struct InPairs {
  template <class T>
  static Pair<T> apply(Pair<T> a, Pair<T> b) {
    return {Op::template apply<T>(a.low, b.low), Op::template apply<T>(a.high, b.high)};
  }
};

/// A sum and the carry out of its highest bit. Sources: a, b, [c,] and the carry in slot 3.
template <class T>
struct Carried {
  T sum;
  bool carry;
};
template <class T>
Carried<T> add_carried(T a, T b, bool carry) {
  const T sum = a + b;
  const T with = sum + (carry ? 1 : 0);
  return {with, sum < a || with < sum};
}

struct AddCarried {
  template <class T>
  static Carried<T> apply(T a, T b, T, bool carry) {
    return add_carried<T>(a, b, carry);
  }
};
/// a + ~b + carry, as GPUs subtract: no carry is a borrow. The first subtraction of a chain has none to pay back.
struct SubtractCarried {
  template <class T>
  static Carried<T> apply(T a, T b, T, bool carry) {
    return add_carried<T>(a, ~b, carry);
  }
};
struct SubtractFirst {
  template <class T>
  static Carried<T> apply(T a, T b, T, bool) {
    return add_carried<T>(a, ~b, true);
  }
};
/// S decides whether the factors have signs; the carry is that of the addition, whatever the signs.
template <class Product>
struct MultiplyAddCarried {
  template <class T>
  struct Of {
    template <class U>
    static Carried<U> apply(U a, U b, U c, bool carry) {
      return add_carried<U>(static_cast<U>(Product::template apply<T>(static_cast<T>(a), static_cast<T>(b))), c, carry);
    }
  };
};

/// Runs a carried operation on unsigned T; `sources` counts the operands without the carry.
template <class Op, class T, unsigned sources>
void run_carried(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const T* const a = plane<T>(frame, operation.source[0]);
  const T* const b = plane<T>(frame, operation.source[1]);
  const T* const c = sources == 3 ? plane<T>(frame, operation.source[2]) : b;
  const LaneMask carry = operation.source[3] != no_plane ? predicate(frame, operation.source[3]) : 0;
  T sums[lanes];
  LaneMask carries = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Carried<T> result = Op::template apply<T>(a[lane], b[lane], c[lane], (carry & lane_bits[lane]) != 0);
    sums[lane] = result.sum;
    carries |= result.carry ? lane_bits[lane] : 0;
  }
  store_lanes(frame, operation.destination, sums, mask);
  if (operation.second_destination != no_plane) store_predicate(frame, operation.second_destination, carries, mask);
}

/// Dot products of bytes with bytes (four) or with half words (two), accumulated modulo 2^32.
template <class A, class B>
struct DotProduct {
  static std::uint32_t four(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 4; ++i) {
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<Narrow8<A>>(a >> 8 * i)} *
                                      std::int32_t{static_cast<Narrow8<B>>(b >> 8 * i)});
    }
    return c;
  }
  template <unsigned first>
  static std::uint32_t two(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 2; ++i) {
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<Narrow16<A>>(a >> 16 * i)} *
                                      std::int32_t{static_cast<Narrow8<B>>(b >> 8 * (first + i))});
    }
    return c;
  }
};

// ---- decoding ----

enum class Half32 : std::uint8_t { low, high, wide };

Half32 take_half(Decoder& d) {
  return static_cast<Half32>(d.take_which({"lo", "hi", "wide"}));
}

/// add, sub, addc, subc, and their .cc forms.
template <class Op, class CarriedOp>
void decode_sum(Decoder& d, Arithmetic::Run saturated, bool with_carry) {
  const bool sets_carry = d.take("cc");
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  if (with_carry) d.result().source[3] = d.layout.carry();
  if (sets_carry) d.result().second_destination = d.layout.carry();
  if (with_carry || sets_carry) {
    switch (type) {
      case Type::u32:
      case Type::s32:
      case Type::b32: return d.finish(&run_carried<CarriedOp, std::uint32_t, 2>);
      case Type::u64:
      case Type::s64:
      case Type::b64: return d.finish(&run_carried<CarriedOp, std::uint64_t, 2>);
      default: d.unhandled(type);
    }
  }
  if (d.take("sat")) return d.finish(saturated);
  d.finish(select_integer<Op, 16>(d, type));
}

void decode_add(Decoder& d) {
  if (d.take("u16x2") || d.take("s16x2")) {
    d.destination_and_sources(Type::b32, 2);
    return d.finish(over_lanes<&InPairs<Add>::apply<std::uint16_t>>);
  }
  decode_sum<Add, AddCarried>(d, over_lanes<&add_saturated>, false);
}
void decode_subtract(Decoder& d) {
  decode_sum<Subtract, SubtractFirst>(d, over_lanes<&subtract_saturated>, false);
}
void decode_add_with_carry(Decoder& d) {
  decode_sum<Add, AddCarried>(d, nullptr, true);
}
void decode_subtract_with_carry(Decoder& d) {
  decode_sum<Subtract, SubtractCarried>(d, nullptr, true);
}

void decode_multiply(Decoder& d) {
  const Half32 half = take_half(d);
  const Type type = d.take_type();
  if (half == Half32::wide) {
    d.expect_operands(3);
    d.destination(0, twice(d, type));
    d.source(0, 1, type);
    d.source(1, 2, type);
    return d.finish(select_widening<MultiplyWide>(d, type));
  }
  d.destination_and_sources(type, 2);
  if (half == Half32::high) return d.finish(select_integer<MultiplyHigh, 16>(d, type));
  if (type == Type::u64 || type == Type::s64) return d.finish(over_lanes<&multiply_low_64>);
  d.finish(select_integer<MultiplyLow, 16>(d, type));
}

template <class T>
Arithmetic::Run carried_product(Half32 half) {
  using U = Unsigned<T>;
  if (half == Half32::low) return &run_carried<typename MultiplyAddCarried<MultiplyLow>::template Of<T>, U, 3>;
  return &run_carried<typename MultiplyAddCarried<MultiplyHigh>::template Of<T>, U, 3>;
}

void decode_carried_multiply_add(Decoder& d, bool with_carry) {
  const Half32 half = take_half(d);
  const bool sets_carry = d.take("cc");
  const Type type = d.take_type();
  d.destination_and_sources(type, 3);
  if (with_carry) d.result().source[3] = d.layout.carry();
  if (sets_carry) d.result().second_destination = d.layout.carry();
  switch (type) {
    case Type::u32: return d.finish(carried_product<std::uint32_t>(half));
    case Type::s32: return d.finish(carried_product<std::int32_t>(half));
    case Type::u64: return d.finish(carried_product<std::uint64_t>(half));
    case Type::s64: return d.finish(carried_product<std::int64_t>(half));
    default: d.unhandled(type);
  }
}

void decode_multiply_add(Decoder& d) {
  if (d.instruction().has("cc")) return decode_carried_multiply_add(d, false);
  const Half32 half = take_half(d);
  const Type type = d.take_type();
  if (half == Half32::wide) {
    d.expect_operands(4);
    d.destination(0, twice(d, type));
    d.source(0, 1, type);
    d.source(1, 2, type);
    d.source(2, 3, twice(d, type));
    return d.finish(select_widening<MultiplyAddWide>(d, type));
  }
  d.destination_and_sources(type, 3);
  if (half == Half32::low) return d.finish(select_integer<MultiplyAdd<MultiplyLow>, 16>(d, type));
  if (d.take("sat")) return d.finish(over_lanes<&multiply_add_high_saturated>);
  d.finish(select_integer<MultiplyAdd<MultiplyHigh>, 16>(d, type));
}
void decode_multiply_add_with_carry(Decoder& d) {
  decode_carried_multiply_add(d, true);
}

void decode_multiply_24(Decoder& d) {
  const Half32 half = take_half(d);
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  d.finish(half == Half32::low ? select_32<Multiply24Low>(d, type) : select_32<Multiply24High>(d, type));
}
void decode_multiply_add_24(Decoder& d) {
  const Half32 half = take_half(d);
  const Type type = d.take_type();
  d.destination_and_sources(type, 3);
  if (half == Half32::low) return d.finish(select_32<MultiplyAdd<Multiply24Low>>(d, type));
  if (d.take("sat")) return d.finish(over_lanes<&multiply_add_24_high_saturated>);
  d.finish(select_32<MultiplyAdd<Multiply24High>>(d, type));
}

template <class Op, unsigned sources>
void decode_simple(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, sources);
  d.finish(select_integer<Op, 16>(d, type));
}
template <class Op>
void decode_quotient(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  d.finish(select_integer<Op, 16, true>(d, type));
}

template <class Op>
void decode_extremum(Decoder& d) {
  const bool clamped = d.take("relu");
  if (const auto packed = d.take_one({"u16x2", "s16x2"})) {
    d.destination_and_sources(Type::b32, 2);
    if (*packed == 0) return d.finish(over_lanes<&InPairs<Op>::template apply<std::uint16_t>>);
    if (clamped) return d.finish(over_lanes<&InPairs<ClampedAtZero<Op>>::template apply<std::int16_t>>);
    return d.finish(over_lanes<&InPairs<Op>::template apply<std::int16_t>>);
  }
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  if (!clamped) return d.finish(select_integer<Op, 16>(d, type));
  d.finish(over_lanes<&ClampedAtZero<Op>::template apply<std::int32_t>>);
}

/// The function of one of the four sign combinations.
Arithmetic::Run pick(bool a_signed, bool b_signed, Arithmetic::Run uu, Arithmetic::Run us, Arithmetic::Run su,
                     Arithmetic::Run ss) {
  return a_signed ? (b_signed ? ss : su) : (b_signed ? us : uu);
}
using U = std::uint32_t;
using S = std::int32_t;

void decode_dot_product(Decoder& d, bool four) {
  const bool high = !four && d.take_which({"lo", "hi"}) == 1;
  const Type a = d.take_type(), b = d.take_type();
  d.destination_and_sources(Type::b32, 3);
  const bool as = a == Type::s32, bs = b == Type::s32;
  if (four) {
    d.finish(pick(as, bs, over_lanes<&DotProduct<U, U>::four>, over_lanes<&DotProduct<U, S>::four>,
                  over_lanes<&DotProduct<S, U>::four>, over_lanes<&DotProduct<S, S>::four>));
  } else if (!high) {
    d.finish(pick(as, bs, over_lanes<&DotProduct<U, U>::two<0>>, over_lanes<&DotProduct<U, S>::two<0>>,
                  over_lanes<&DotProduct<S, U>::two<0>>, over_lanes<&DotProduct<S, S>::two<0>>));
  } else {
    d.finish(pick(as, bs, over_lanes<&DotProduct<U, U>::two<2>>, over_lanes<&DotProduct<U, S>::two<2>>,
                  over_lanes<&DotProduct<S, U>::two<2>>, over_lanes<&DotProduct<S, S>::two<2>>));
  }
}
void decode_dp4a(Decoder& d) {
  decode_dot_product(d, true);
}
void decode_dp2a(Decoder& d) {
  decode_dot_product(d, false);
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::add, decode_add, nullptr},
    {ptx::Opcode::sub, decode_subtract, nullptr},
    {ptx::Opcode::addc, decode_add_with_carry, nullptr},
    {ptx::Opcode::subc, decode_subtract_with_carry, nullptr},
    {ptx::Opcode::mul, decode_multiply, nullptr},
    {ptx::Opcode::mad, decode_multiply_add, nullptr},
    {ptx::Opcode::madc, decode_multiply_add_with_carry, nullptr},
    {ptx::Opcode::mul24, decode_multiply_24, nullptr},
    {ptx::Opcode::mad24, decode_multiply_add_24, nullptr},
    {ptx::Opcode::sad, decode_simple<SumOfDifference, 3>, nullptr},
    {ptx::Opcode::div, decode_quotient<Divide>, nullptr},
    {ptx::Opcode::rem, decode_quotient<Remainder>, nullptr},
    {ptx::Opcode::abs, decode_simple<Absolute, 1>, nullptr},
    {ptx::Opcode::neg, decode_simple<Negate, 1>, nullptr},
    {ptx::Opcode::min, decode_extremum<Minimum>, nullptr},
    {ptx::Opcode::max, decode_extremum<Maximum>, nullptr},
    {ptx::Opcode::dp4a, decode_dp4a, nullptr},
    {ptx::Opcode::dp2a, decode_dp2a, nullptr},
};

}  // namespace

std::span<const ArithmeticOpcode> integer_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
