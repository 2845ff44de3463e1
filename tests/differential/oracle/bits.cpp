// Logic, shifts, moves and bit fields (PTX ISA 9.7.1, 9.7.8, 9.7.9).

#include <algorithm>
#include <array>
#include <bit>

#include "tests/differential/oracle/integers.hpp"
#include "tests/differential/oracle/semantics.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

bool bit(std::uint64_t value, unsigned number) {
  return (value >> number & 1) != 0;
}

std::uint64_t field(std::uint64_t a, unsigned position, unsigned length, std::string_view type) {
  const unsigned width = width_of(type);
  const bool fill = is_signed(type) && length != 0 && bit(a, std::min(position + length - 1, width - 1));
  std::uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i) {
    const bool one = i < length && position + i < width ? bit(a, position + i) : fill;
    result |= std::uint64_t{one} << i;
  }
  return result;
}

std::uint64_t with_field(std::uint64_t a, std::uint64_t b, unsigned position, unsigned length, unsigned width) {
  for (unsigned i = 0; i < length && position + i < width; ++i) {
    const std::uint64_t place = std::uint64_t{1} << (position + i);
    b = bit(a, i) ? b | place : b & ~place;
  }
  return b;
}

/// Fields of 32 bits have positions and lengths modulo 256 (PTX ISA 9.7.1.20). On an H200 those of 64 bits do not: a large one
/// lies behind the number.
unsigned field_bound(std::uint64_t bound, unsigned width) {
  return static_cast<unsigned>(width == 64 ? std::min<std::uint64_t>(bound, 1000) : bound % 256);
}

/// The highest bit that differs from the sign, or is set; all ones when there is none.
std::uint64_t highest(std::uint64_t a, std::string_view type, bool as_shift) {
  const unsigned width = width_of(type);
  if (is_signed(type) && bit(a, width - 1)) a = low_bits(~a, width);
  for (unsigned i = width; i-- > 0;) {
    if (bit(a, i)) return as_shift ? width - 1 - i : i;
  }
  return 0xffffffff;
}

/// The bit that lies `offset` set bits behind or before `base`.
std::uint64_t find_nth(std::uint64_t mask, std::uint64_t base, std::uint64_t offset_bits) {
  const auto offset = static_cast<std::int64_t>(integer_of(offset_bits, "s32"));
  if (base > 31) return 0xffffffff;
  if (offset == 0) return bit(mask, static_cast<unsigned>(base)) ? base : 0xffffffff;
  std::int64_t count = (offset < 0 ? -offset : offset) - 1;
  for (auto at = static_cast<std::int64_t>(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
    if (bit(mask, static_cast<unsigned>(at)) && count-- == 0) return static_cast<std::uint64_t>(at);
  }
  return 0xffffffff;
}

/// Which byte of {b, a} each byte of the result takes, from the lowest.
std::array<unsigned, 4> permutation(const Instruction& instruction, std::uint64_t control) {
  const auto n = static_cast<unsigned>(control & 3);
  if (instruction.has("f4e")) return {n, n + 1, n + 2, n + 3};
  if (instruction.has("b4e")) return {n, (n + 7) % 8, (n + 6) % 8, (n + 5) % 8};
  if (instruction.has("rc8")) return {n, n, n, n};
  if (instruction.has("ecl")) return {n, std::max(n, 1u), std::max(n, 2u), 3};
  if (instruction.has("ecr")) return {0, std::min(n, 1u), std::min(n, 2u), n};
  const unsigned half = n % 2 * 2;  // rc16
  return {half, half + 1, half, half + 1};
}

Evaluate permute(const Instruction& instruction) {
  const bool general = instruction.modifiers.size() == 1;
  return giving([=](const std::uint64_t* in) {
    const std::uint64_t both = in[1] << 32 | in[0];
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const auto selector = static_cast<unsigned>(in[2] >> 4 * i & 15);
      const unsigned from = general ? selector & 7 : permutation(instruction, in[2])[i];
      std::uint64_t byte = both >> 8 * from & 0xff;
      if (general && (selector & 8) != 0) byte = bit(byte, 7) ? 0xff : 0;
      result |= byte << 8 * i;
    }
    return result;
  });
}

Evaluate table_lookup(const Instruction& instruction) {
  const bool either = instruction.has("or"), both = instruction.has("and");
  return [=](const std::uint64_t* in, std::uint64_t* out, bool&) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned row = (bit(in[0], i) ? 4 : 0) + (bit(in[1], i) ? 2 : 0) + (bit(in[2], i) ? 1 : 0);
      result |= std::uint64_t{bit(in[3], row)} << i;
    }
    out[0] = result;
    const bool given = (either || both) && in[4] != 0;
    if (either) out[1] = result != 0 || given ? 1 : 0;
    if (both) out[1] = result != 0 && given ? 1 : 0;
  };
}

Evaluate shift(const Instruction& instruction) {
  const std::string_view type = types_of(instruction.modifiers).back();
  const bool left = instruction.opcode == Opcode::shl;
  return giving([=](const std::uint64_t* in) {
    const unsigned width = width_of(type);
    const auto amount = static_cast<unsigned>(std::min<std::uint64_t>(in[1], width));
    if (left) return bits_of_integer(static_cast<SignedWide>(Wide{in[0]} << amount), width);
    return bits_of_integer(integer_of(in[0], type) >> amount, width);
  });
}

Evaluate funnel_shift(const Instruction& instruction) {
  const bool left = instruction.has("l"), wraps = instruction.has("wrap");
  return giving([=](const std::uint64_t* in) {
    const std::uint64_t amount = wraps ? in[2] & 31 : std::min<std::uint64_t>(in[2], 32);
    const std::uint64_t both = in[1] << 32 | in[0];
    return low_bits(left ? both << amount >> 32 : both >> amount, 32);
  });
}

/// bmsk: ones from bit a on, b of them.
Evaluate bit_mask(const Instruction& instruction) {
  const bool wraps = instruction.has("wrap");
  return giving([=](const std::uint64_t* in) {
    const std::uint64_t first = wraps ? in[0] & 31 : std::min<std::uint64_t>(in[0], 32);
    const std::uint64_t count = wraps ? in[1] & 31 : std::min<std::uint64_t>(in[1], 32);
    return low_bits(low_bits(~std::uint64_t{0}, static_cast<unsigned>(count)) << first, 32);
  });
}

/// szext: the lowest b bits of a, extended.
Evaluate extend(const Instruction& instruction) {
  const bool wraps = instruction.has("wrap"), with_sign = instruction.has("s32");
  return giving([=](const std::uint64_t* in) {
    if (!wraps && in[1] >= 32) return in[0];
    const auto length = static_cast<unsigned>(in[1] & 31);
    const std::uint64_t kept = low_bits(in[0], length);
    const bool fills = with_sign && length != 0 && bit(in[0], length - 1);
    return fills ? (0xffffffff & ~low_bits(~std::uint64_t{0}, length)) | kept : kept;
  });
}

}  // namespace

Evaluate bit_semantics(const Instruction& instruction) {
  const auto types = types_of(instruction.modifiers);
  const std::string_view type = types.empty() ? "b32" : types.back();
  const unsigned width = width_of(type);
  const bool as_shift = instruction.has("shiftamt");
  switch (instruction.opcode) {
    case Opcode::and_: return giving([](const std::uint64_t* in) { return in[0] & in[1]; });
    case Opcode::or_: return giving([](const std::uint64_t* in) { return in[0] | in[1]; });
    case Opcode::xor_: return giving([](const std::uint64_t* in) { return in[0] ^ in[1]; });
    case Opcode::not_: return giving([=](const std::uint64_t* in) { return low_bits(~in[0], width); });
    case Opcode::cnot: return giving([](const std::uint64_t* in) { return std::uint64_t{in[0] == 0}; });
    case Opcode::mov: return giving([](const std::uint64_t* in) { return in[0]; });
    case Opcode::selp: return giving([](const std::uint64_t* in) { return in[2] != 0 ? in[0] : in[1]; });
    case Opcode::popc:
      return giving([](const std::uint64_t* in) { return static_cast<std::uint64_t>(std::popcount(in[0])); });
    case Opcode::clz:
      return giving(
          [=](const std::uint64_t* in) { return static_cast<std::uint64_t>(std::countl_zero(in[0])) - (64 - width); });
    case Opcode::brev:
      return giving([=](const std::uint64_t* in) {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < width; ++i) result |= std::uint64_t{bit(in[0], i)} << (width - 1 - i);
        return result;
      });
    case Opcode::bfe:
      return giving([=](const std::uint64_t* in) {
        return field(in[0], field_bound(in[1], width), field_bound(in[2], width), type);
      });
    case Opcode::bfi:
      return giving([=](const std::uint64_t* in) {
        return with_field(in[0], in[1], field_bound(in[2], width), field_bound(in[3], width), width);
      });
    case Opcode::bfind: return giving([=](const std::uint64_t* in) { return highest(in[0], type, as_shift); });
    case Opcode::fns: return giving([](const std::uint64_t* in) { return find_nth(in[0], in[1], in[2]); });
    case Opcode::prmt: return permute(instruction);
    case Opcode::lop3: return table_lookup(instruction);
    case Opcode::shl:
    case Opcode::shr: return shift(instruction);
    case Opcode::shf: return funnel_shift(instruction);
    case Opcode::bmsk: return bit_mask(instruction);
    case Opcode::szext: return extend(instruction);
    default: return {};
  }
}

}  // namespace lockstep::differential
