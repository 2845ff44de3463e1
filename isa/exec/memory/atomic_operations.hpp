#pragma once
// What atom and red do with one value in memory. Types are how the memory holds them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/exec/arithmetic/float_format.hpp"

namespace lockstep::exec::atomics {

/// Operations take the old value, the operand and, for cas, the second operand.
struct Add {
  template <class T>
  T operator()(T old, T b, T) const {
    return static_cast<T>(old + b);
  }
};
struct And {
  template <class T>
  T operator()(T old, T b, T) const {
    return old & b;
  }
};
struct Or {
  template <class T>
  T operator()(T old, T b, T) const {
    return old | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T old, T b, T) const {
    return old ^ b;
  }
};
struct Min {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::min(old, b);
  }
};
struct Max {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::max(old, b);
  }
};
struct Inc {
  template <class T>
  T operator()(T old, T b, T) const {
    return old >= b ? T{0} : static_cast<T>(old + 1);
  }
};
struct Dec {
  template <class T>
  T operator()(T old, T b, T) const {
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
};
struct Exch {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct Cas {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};

inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// Additions of f32 held as bits. PTX ISA 9.7.13.7: on global memory atom.add.f32 flushes subnormal inputs and results
/// to zero with their sign, on shared memory it does not.
template <bool flushes>
struct AddF32 {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    auto x = std::bit_cast<float>(old), y = std::bit_cast<float>(b);
    if constexpr (flushes) x = flushed(x), y = flushed(y);
    float sum = x + y;
    if (std::isnan(sum)) return canonical_float_nan;
    if constexpr (flushes) sum = flushed(sum);
    return std::bit_cast<std::uint32_t>(sum);
  }
};
/// Additions of f64 held as bits. In global memory an H200 leaves a NaN as it is, that of the operand first.
template <bool keeps_nan>
struct AddF64 {
  std::uint64_t operator()(std::uint64_t old, std::uint64_t b, std::uint64_t) const {
    if constexpr (keeps_nan) {
      if (std::isnan(std::bit_cast<double>(b))) return b;
      if (std::isnan(std::bit_cast<double>(old))) return old;
    }
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
};
/// The sum of two halves in double is exact, or at least so precise that rounding it once more gives the half nearest
/// to the exact sum.
template <class Value>
struct AddHalf {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const {
    return from_double<Value>(to_double(Value{old}) + to_double(Value{b}), Rounding::nearest).bits;
  }
};
/// The bits of a half as a number that orders as the half does, -0 before +0.
inline std::uint16_t order_of(std::uint16_t bits) {
  return static_cast<std::uint16_t>((bits & 0x8000) != 0 ? ~bits : bits | 0x8000);
}
/// min and max as PTX ISA 9.7.4 defines them: a NaN loses to a number, two NaN give the canonical one.
template <class Value, bool greatest>
struct ExtremeHalf {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const {
    if (is_nan(Value{old})) return canonical(Value{b}).bits;
    if (is_nan(Value{b})) return old;
    return (order_of(old) < order_of(b)) != greatest ? old : b;
  }
};
template <class Value>
using MinHalf = ExtremeHalf<Value, false>;
template <class Value>
using MaxHalf = ExtremeHalf<Value, true>;

/// The same on both halves of a word.
template <class Operation>
struct OnPair {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    const auto low = Operation{}(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b), 0);
    const auto high = Operation{}(static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16), 0);
    return low | static_cast<std::uint32_t>(high) << 16;
  }
};

}  // namespace lockstep::exec::atomics
