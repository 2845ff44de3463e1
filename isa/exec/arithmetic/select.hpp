#pragma once
// From an integer type of PTX to the instance of a lane function for the C++ type. Op is a struct with a static member
// template apply<T>.

#include <cstdint>
#include <type_traits>

#include "isa/exec/arithmetic/families.hpp"

namespace lockstep::exec {

__extension__ using Signed128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

template <class T>
struct MakeUnsigned : std::make_unsigned<T> {};
template <>
struct MakeUnsigned<Signed128> {
  using type = Unsigned128;
};
template <>
struct MakeUnsigned<Unsigned128> {
  using type = Unsigned128;
};
template <class T>
using Unsigned = typename MakeUnsigned<T>::type;

/// The integer type of twice the width and the same sign.
template <class T>
struct MakeWide;
template <>
struct MakeWide<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct MakeWide<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct MakeWide<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct MakeWide<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct MakeWide<std::uint64_t> {
  using type = Unsigned128;
};
template <>
struct MakeWide<std::int64_t> {
  using type = Signed128;
};
template <class T>
using Wide = typename MakeWide<T>::type;

template <class T>
using Narrow8 = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;
template <class T>
using Narrow16 = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;

/// The type of twice the width of u16, s16, u32 or s32.
inline ptx::Type twice(const Decoder& d, ptx::Type type) {
  switch (type) {
    case ptx::Type::u16: return ptx::Type::u32;
    case ptx::Type::s16: return ptx::Type::s32;
    case ptx::Type::u32: return ptx::Type::u64;
    case ptx::Type::s32: return ptx::Type::s64;
    default: d.unhandled(type);
  }
}

/// Op for an integer type of at least `smallest` bits (16 or 32); only in active lanes when it is `costly`.
template <class Op, unsigned smallest, bool costly = false>
Arithmetic::Run select_integer(const Decoder& d, ptx::Type type) {
  const auto run = []<class T>(T) {
    if constexpr (costly) {
      return over_active_lanes<&Op::template apply<T>>;
    } else {
      return over_lanes<&Op::template apply<T>>;
    }
  };
  switch (type) {
    case ptx::Type::u16:
      if constexpr (smallest <= 16) return run(std::uint16_t{});
      break;
    case ptx::Type::s16:
      if constexpr (smallest <= 16) return run(std::int16_t{});
      break;
    case ptx::Type::u32: return run(std::uint32_t{});
    case ptx::Type::s32: return run(std::int32_t{});
    case ptx::Type::u64: return run(std::uint64_t{});
    case ptx::Type::s64: return run(std::int64_t{});
    default: break;
  }
  d.unhandled(type);
}

/// Op for u32 and s32 only.
template <class Op>
Arithmetic::Run select_32(const Decoder& d, ptx::Type type) {
  if (type == ptx::Type::u32) return over_lanes<&Op::template apply<std::uint32_t>>;
  if (type == ptx::Type::s32) return over_lanes<&Op::template apply<std::int32_t>>;
  d.unhandled(type);
}

/// Op whose result is twice as wide as its type.
template <class Op>
Arithmetic::Run select_widening(const Decoder& d, ptx::Type type) {
  switch (type) {
    case ptx::Type::u16: return over_lanes<&Op::template apply<std::uint16_t>>;
    case ptx::Type::s16: return over_lanes<&Op::template apply<std::int16_t>>;
    case ptx::Type::u32: return over_lanes<&Op::template apply<std::uint32_t>>;
    case ptx::Type::s32: return over_lanes<&Op::template apply<std::int32_t>>;
    default: d.unhandled(type);
  }
}

/// Op by the width of an untyped operand: b16, b32 or b64.
template <class Op>
Arithmetic::Run select_bits(const Decoder& d, ptx::Type type) {
  switch (type) {
    case ptx::Type::b16: return over_lanes<&Op::template apply<std::uint16_t>>;
    case ptx::Type::b32: return over_lanes<&Op::template apply<std::uint32_t>>;
    case ptx::Type::b64: return over_lanes<&Op::template apply<std::uint64_t>>;
    default: d.unhandled(type);
  }
}

}  // namespace lockstep::exec
