// Logic, shifts and bit fields (PTX ISA 9.7.1.14-9.7.1.22, 9.7.8, prmt of 9.7.9).

#include <algorithm>
#include <bit>

#include "isa/exec/arithmetic/families.hpp"
#include "isa/exec/arithmetic/select.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

// ---- logic ----

struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct IsZero {
  template <class T>
  static T apply(T a) {
    return a == 0 ? 1 : 0;
  }
};

template <class Op>
void run_on_predicates(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const LaneMask result =
      Op::template apply<LaneMask>(predicate(frame, operation.source[0]), predicate(frame, operation.source[1]));
  store_predicate(frame, operation.destination, result, mask);
}
void run_not_predicate(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  store_predicate(frame, operation.destination, ~predicate(frame, operation.source[0]), mask);
}

/// Any function of three bits; bit 4a+2b+c of the table is its value.
std::uint32_t look_up(std::uint32_t a, std::uint32_t b, std::uint32_t c, Control table) {
  const auto all_if = [&](unsigned bit) { return 0u - (table.value >> bit & 1); };
  const std::uint32_t a0b0 = (all_if(0) & ~c) | (all_if(1) & c), a0b1 = (all_if(2) & ~c) | (all_if(3) & c);
  const std::uint32_t a1b0 = (all_if(4) & ~c) | (all_if(5) & c), a1b1 = (all_if(6) & ~c) | (all_if(7) & c);
  return (~a & ((~b & a0b0) | (b & a0b1))) | (a & ((~b & a1b0) | (b & a1b1)));
}

/// lop3 with .and or .or: also writes whether the result is not zero, combined with the predicate in slot 3.
template <class Op>
void run_look_up_with_predicate(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto* const a = plane<std::uint32_t>(frame, operation.source[0]);
  const auto* const b = plane<std::uint32_t>(frame, operation.source[1]);
  const auto* const c = plane<std::uint32_t>(frame, operation.source[2]);
  std::uint32_t results[lanes];
  LaneMask nonzero = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    results[lane] = look_up(a[lane], b[lane], c[lane], {operation.control & 0xff});
    nonzero |= results[lane] != 0 ? lane_bits[lane] : 0;
  }
  const LaneMask negation = (operation.control & 0x100) != 0 ? all_lanes : 0;
  const LaneMask other = predicate(frame, operation.source[3]) ^ negation;
  store_lanes(frame, operation.destination, results, mask);
  store_predicate(frame, operation.second_destination, Op::template apply<LaneMask>(nonzero, other), mask);
}

// ---- shifts ----

/// The amount is 32 bits whatever the type; amounts above the width give what the width gives.
struct ShiftLeft {
  template <class T>
  static T apply(T a, std::uint32_t amount) {
    constexpr unsigned width = sizeof(T) * 8;
    if constexpr (width <= 16) return static_cast<T>(std::uint32_t{a} << std::min(amount, 31u));
    return amount < width ? static_cast<T>(a << (amount & (width - 1))) : T{0};
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, std::uint32_t amount) {
    constexpr unsigned width = sizeof(T) * 8;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(amount, width - 1));
    return amount < width ? static_cast<T>(a >> (amount & (width - 1))) : T{0};
  }
};

/// The upper word of {b, a} shifted left, or its lower word shifted right.
template <bool left, bool clamp>
std::uint32_t funnel_shift(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned amount = clamp ? std::min(c, 32u) : c & 31;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(left ? both << amount >> 32 : both >> amount);
}

// ---- counting and searching ----

struct CountOnes {
  template <class T>
  static std::uint32_t apply(T a) {
    if constexpr (sizeof(T) == 8)
      return ones(static_cast<std::uint32_t>(a)) + ones(static_cast<std::uint32_t>(a >> 32));
    return ones(static_cast<std::uint32_t>(a));
  }

 private:
  /// By halves, which vectorises where the CPU's own instruction does not.
  static std::uint32_t ones(std::uint32_t a) {
    a -= a >> 1 & 0x55555555;
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    return a * 0x01010101 >> 24;
  }
};
struct CountLeadingZeros {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
/// The place of the highest bit that differs from the sign; all ones when there is none.
struct FindHighest {
  template <class T>
  static std::uint32_t apply(T a) {
    const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
    return static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - static_cast<std::uint32_t>(std::countl_zero(bits));
  }
};
/// How far that bit is from the top.
struct FindShiftAmount {
  template <class T>
  static std::uint32_t apply(T a) {
    const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
    return bits == 0 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(std::countl_zero(bits));
  }
};
/// The place of the n-th set bit of `mask` counted from `base`, upwards or downwards. A base above 31 finds nothing.
std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  constexpr std::uint32_t not_found = ~std::uint32_t{0};
  if (base > 31) return not_found;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : not_found;
  const bool upwards = offset > 0;
  std::uint32_t left = upwards ? mask & ~std::uint32_t{0} << base : mask & ~std::uint32_t{0} >> (31 - base);
  for (std::int64_t skip = (upwards ? std::int64_t{offset} : -std::int64_t{offset}) - 1; skip > 0 && left != 0;
       --skip) {
    left = upwards ? left & (left - 1) : left & ~(std::uint32_t{1} << (31 - std::countl_zero(left)));
  }
  if (left == 0) return not_found;
  return static_cast<std::uint32_t>(upwards ? std::countr_zero(left) : 31 - std::countl_zero(left));
}
struct Reverse {
  template <class T>
  static T apply(T a) {
    constexpr T ones = static_cast<T>(~T{0});
    for (unsigned distance = sizeof(T) * 4; distance != 0; distance /= 2) {
      const T pattern = ones / static_cast<T>((T{1} << distance) + 1);
      a = static_cast<T>((a >> distance & pattern) | (a & pattern) << distance);
    }
    return a;
  }
};

// ---- bit fields ----

/// Position and length of a field count modulo 256 (PTX ISA 9.7.1.20); of 64 bits they do not, on an H200.
template <class T>
std::uint32_t field_bound(std::uint32_t bound) {
  return sizeof(T) == 8 ? std::min(bound, 0xffu) : bound & 0xff;
}
/// Bits pos..pos+len-1 of a, extended by the sign of the field for signed types.
struct ExtractField {
  template <class T>
  static T apply(T a, std::uint32_t b, std::uint32_t c) {
    using U = Unsigned<T>;
    constexpr std::uint32_t width = sizeof(T) * 8;
    const std::uint32_t pos = field_bound<T>(b), len = field_bound<T>(c);
    const std::uint32_t there = std::min(len, pos < width ? width - pos : 0);
    const U low = there == 0 ? U{0} : static_cast<U>(a) >> pos & ~U{0} >> (width - there);
    if constexpr (std::is_unsigned_v<T>) return low;
    const bool sign = len != 0 && (static_cast<U>(a) >> std::min(pos + len - 1, width - 1) & 1) != 0;
    const U above = there == width ? U{0} : ~U{0} << there;
    return static_cast<T>(sign ? low | above : low);
  }
};
/// b with its bits from pos, len of them, replaced by the low bits of a.
struct InsertField {
  template <class T>
  static T apply(T a, T b, std::uint32_t c, std::uint32_t d) {
    constexpr std::uint32_t width = sizeof(T) * 8;
    const std::uint32_t pos = field_bound<T>(c), len = field_bound<T>(d);
    if (len == 0 || pos >= width) return b;
    const T field = ~T{0} >> (width - std::min(len, width - pos)) << pos;
    return (b & ~field) | (a << pos & field);
  }
};
/// `width` ones from bit `position` up.
template <bool clamp>
std::uint32_t make_mask(std::uint32_t position, std::uint32_t width) {
  if (clamp && position >= 32) return 0;
  const std::uint32_t from = position & 31, count = clamp ? std::min(width, 32u) : width & 31;
  const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
  return static_cast<std::uint32_t>(ones << from);
}
/// The low `count` bits of a, extended by their sign for signed types; 0 when there are none.
template <bool clamp>
struct ExtendFrom {
  template <class T>
  static T apply(T a, std::uint32_t count) {
    const std::uint32_t bits = clamp ? count : count & 31;
    if (bits == 0) return 0;
    if (bits >= 32) return a;
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << (32 - bits)) >> (32 - bits));
  }
};

// ---- bytes ----

/// The byte of {b, a} that a selector names; bit 3 asks for eight copies of its sign.
std::uint32_t select_byte(std::uint64_t both, std::uint32_t selector) {
  const auto byte = static_cast<std::uint32_t>(both >> (selector & 7) * 8 & 0xff);
  return (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
}
std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) result |= select_byte(both, c >> 4 * i & 0xf) << 8 * i;
  return result;
}
/// The selectors of the special modes, four for c & 3 = 0..3 (PTX ISA 9.7.9.7).
constexpr std::uint32_t permute_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
};
std::uint32_t permute_in_mode(std::uint32_t a, std::uint32_t b, std::uint32_t c, Control mode) {
  return permute(a, b, permute_modes[mode.value][c & 3]);
}

// ---- decoding ----

template <class Op>
void decode_logic(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  d.finish(type == Type::pred ? &run_on_predicates<Op> : select_bits<Op>(d, type));
}
void decode_not(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  d.finish(type == Type::pred ? &run_not_predicate : select_bits<Not>(d, type));
}
void decode_is_zero(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  d.finish(select_bits<IsZero>(d, type));
}

void decode_look_up(Decoder& d) {
  const auto combination = d.take_one({"or", "and"});
  const Type type = d.take_type();
  d.expect_operands(combination ? 6 : 5);
  d.destination(0, type);
  for (unsigned slot = 0; slot < 3; ++slot) d.source(slot, slot + 1, type);
  d.result().control = static_cast<std::uint32_t>(d.immediate(4, 255));
  if (!combination) {
    if (d.operand(0).second != ptx::no_index) d.fail("a predicate result needs .or or .and");
    return d.finish(over_lanes<&look_up>);
  }
  d.result().second_destination = d.second_destination(d.operand(0));
  if (d.result().second_destination == no_plane) d.fail("its destination must be %r|%p");
  LaneMask flip = 0;
  d.result().source[3] = d.predicate_source(d.operand(5), flip);
  if (flip != 0) d.result().control |= 0x100;
  d.finish(*combination == 0 ? &run_look_up_with_predicate<Or> : &run_look_up_with_predicate<And>);
}

void decode_shift_left(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(3);
  d.destination(0, type);
  d.source(0, 1, type);
  d.source(1, 2, Type::u32);
  d.finish(select_bits<ShiftLeft>(d, type));
}
void decode_shift_right(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(3);
  d.destination(0, type);
  d.source(0, 1, type);
  d.source(1, 2, Type::u32);
  const bool untyped = type == Type::b16 || type == Type::b32 || type == Type::b64;
  d.finish(untyped ? select_bits<ShiftRight>(d, type) : select_integer<ShiftRight, 16>(d, type));
}
void decode_funnel_shift(Decoder& d) {
  const unsigned direction = d.take_which({"l", "r"}), mode = d.take_which({"clamp", "wrap"});
  const Type type = d.take_type();
  d.destination_and_sources(type, 3);
  if (direction == 0)
    return d.finish(mode == 0 ? over_lanes<&funnel_shift<true, true>> : over_lanes<&funnel_shift<true, false>>);
  d.finish(mode == 0 ? over_lanes<&funnel_shift<false, true>> : over_lanes<&funnel_shift<false, false>>);
}

/// popc and clz: a 32-bit count of a 32 or 64-bit operand.
template <class Op>
void decode_count(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(2);
  d.destination(0, Type::u32);
  d.source(0, 1, type);
  d.finish(select_bits<Op>(d, type));
}
void decode_find_highest(Decoder& d) {
  const bool amount = d.take("shiftamt");
  const Type type = d.take_type();
  d.expect_operands(2);
  d.destination(0, Type::u32);
  d.source(0, 1, type);
  d.finish(amount ? select_integer<FindShiftAmount, 32>(d, type) : select_integer<FindHighest, 32>(d, type));
}
void decode_find_nth_set(Decoder& d) {
  d.destination_and_sources(d.take_type(), 3);
  d.finish(over_active_lanes<&find_nth_set>);
}
void decode_reverse(Decoder& d) {
  const Type type = d.take_type();
  d.destination_and_sources(type, 1);
  d.finish(select_bits<Reverse>(d, type));
}
void decode_extract_field(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(4);
  d.destination(0, type);
  d.source(0, 1, type);
  d.source(1, 2, Type::u32);
  d.source(2, 3, Type::u32);
  d.finish(select_integer<ExtractField, 32>(d, type));
}
void decode_insert_field(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(5);
  d.destination(0, type);
  d.source(0, 1, type);
  d.source(1, 2, type);
  d.source(2, 3, Type::u32);
  d.source(3, 4, Type::u32);
  d.finish(select_bits<InsertField>(d, type));
}
void decode_make_mask(Decoder& d) {
  const unsigned mode = d.take_which({"clamp", "wrap"});
  d.destination_and_sources(d.take_type(), 2);
  d.finish(mode == 0 ? over_lanes<&make_mask<true>> : over_lanes<&make_mask<false>>);
}
void decode_extend(Decoder& d) {
  const unsigned mode = d.take_which({"clamp", "wrap"});
  const Type type = d.take_type();
  d.destination_and_sources(type, 2);
  d.finish(mode == 0 ? select_32<ExtendFrom<true>>(d, type) : select_32<ExtendFrom<false>>(d, type));
}
void decode_permute(Decoder& d) {
  const Type type = d.take_type();
  const auto mode = d.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  d.destination_and_sources(type, 3);
  d.result().control = mode.value_or(0);
  d.finish(mode ? over_lanes<&permute_in_mode> : over_lanes<&permute>);
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::and_, decode_logic<And>, nullptr},
    {ptx::Opcode::or_, decode_logic<Or>, nullptr},
    {ptx::Opcode::xor_, decode_logic<Xor>, nullptr},
    {ptx::Opcode::not_, decode_not, nullptr},
    {ptx::Opcode::cnot, decode_is_zero, nullptr},
    {ptx::Opcode::lop3, decode_look_up, nullptr},
    {ptx::Opcode::shl, decode_shift_left, nullptr},
    {ptx::Opcode::shr, decode_shift_right, nullptr},
    {ptx::Opcode::shf, decode_funnel_shift, nullptr},
    {ptx::Opcode::popc, decode_count<CountOnes>, nullptr},
    {ptx::Opcode::clz, decode_count<CountLeadingZeros>, nullptr},
    {ptx::Opcode::bfind, decode_find_highest, nullptr},
    {ptx::Opcode::fns, decode_find_nth_set, nullptr},
    {ptx::Opcode::brev, decode_reverse, nullptr},
    {ptx::Opcode::bfe, decode_extract_field, nullptr},
    {ptx::Opcode::bfi, decode_insert_field, nullptr},
    {ptx::Opcode::bmsk, decode_make_mask, nullptr},
    {ptx::Opcode::szext, decode_extend, nullptr},
    {ptx::Opcode::prmt, decode_permute, nullptr},
};

}  // namespace

std::span<const ArithmeticOpcode> bit_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
