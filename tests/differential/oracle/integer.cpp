// Integer arithmetic (PTX ISA 9.7.1, 9.7.2) and vabsdiff4 (9.7.17).

#include <algorithm>
#include <array>

#include "tests/differential/oracle/integers.hpp"
#include "tests/differential/oracle/semantics.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;
using Binary = SignedWide (*)(SignedWide, SignedWide);

SignedWide least(SignedWide a, SignedWide b) {
  return std::min(a, b);
}
SignedWide greatest(SignedWide a, SignedWide b) {
  return std::max(a, b);
}
SignedWide sum(SignedWide a, SignedWide b) {
  return a + b;
}
SignedWide difference(SignedWide a, SignedWide b) {
  return a - b;
}

/// One function of two sources on an integer, or on both halves of a pair.
Evaluate on_elements(const Instruction& instruction, Binary function) {
  const std::string_view type = types_of(instruction.modifiers).back(), element = element_of(type);
  const unsigned width = width_of(element), count = is_pair(type) ? 2 : 1;
  const bool saturates = instruction.has("sat"), relu = instruction.has("relu");
  return giving([=](const std::uint64_t* in) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < count; ++i) {
      SignedWide value = function(integer_of(in[0] >> i * width, element), integer_of(in[1] >> i * width, element));
      if (saturates) value = clamped(value, element);
      if (relu) value = std::max<SignedWide>(value, 0);
      result |= bits_of_integer(value, width) << i * width;
    }
    return result;
  });
}

/// a + b + carry in, with the carry out of the highest bit; of a subtraction, b's complement stands for b, so that the
/// flag is the inverse of a borrow (tools/capture/carry_chains.cu).
Evaluate with_carry(const Instruction& instruction, bool subtracts, bool reads) {
  const unsigned width = width_of(types_of(instruction.modifiers).back());
  const bool writes = instruction.has("cc");
  return [=](const std::uint64_t* in, std::uint64_t* out, bool& carry) {
    const std::uint64_t b = subtracts ? low_bits(~in[1], width) : in[1];
    const Wide first = reads ? Wide{carry} : Wide{subtracts};
    const Wide total = Wide{in[0]} + b + first;
    out[0] = low_bits(static_cast<std::uint64_t>(total), width);
    if (writes) carry = (total >> width) != 0;
  };
}

/// The product of two integers modulo 2^128, of which all widths up to 64 take their parts.
Wide product(std::uint64_t a, std::uint64_t b, std::string_view type) {
  return static_cast<Wide>(integer_of(a, type)) * static_cast<Wide>(integer_of(b, type));
}

Evaluate multiply(const Instruction& instruction, bool adds, bool reads_carry) {
  const std::string_view type = types_of(instruction.modifiers).back();
  const unsigned width = width_of(type);
  const bool wide = instruction.has("wide"), high = instruction.has("hi"), saturates = instruction.has("sat"),
             writes_carry = instruction.has("cc");
  return [=](const std::uint64_t* in, std::uint64_t* out, bool& carry) {
    const Wide whole = product(in[0], in[1], type);
    const unsigned result_width = wide ? 2 * width : width;
    const auto part = low_bits(static_cast<std::uint64_t>(high ? whole >> width : whole), result_width);
    if (!adds) {
      out[0] = part;
    } else if (saturates) {
      out[0] = bits_of_integer(clamped(integer_of(part, type) + integer_of(in[2], type), type), width);
    } else {
      const Wide total = Wide{part} + in[2] + (reads_carry && carry ? 1 : 0);
      out[0] = low_bits(static_cast<std::uint64_t>(total), result_width);
      if (writes_carry) carry = (total >> width) != 0;
    }
  };
}

/// Products of 24 bits: their bits 0 to 31, or 16 to 47.
Evaluate multiply_24(const Instruction& instruction, bool adds) {
  const std::string_view type = types_of(instruction.modifiers).back();
  const bool high = instruction.has("hi"), saturates = instruction.has("sat");
  return giving([=](const std::uint64_t* in) {
    const auto factor = [&](std::uint64_t bits) {
      const auto low = static_cast<SignedWide>(bits & 0xffffff);
      return is_signed(type) && (bits >> 23 & 1) != 0 ? low - (1 << 24) : low;
    };
    const auto whole = static_cast<std::uint64_t>(factor(in[0]) * factor(in[1]));
    const std::uint64_t part = low_bits(high ? whole >> 16 : whole, 32);
    if (!adds) return part;
    const SignedWide total = integer_of(part, type) + integer_of(in[2], type);
    return bits_of_integer(saturates ? clamped(total, type) : total, 32);
  });
}

/// The ISA leaves division by zero open; an H200 gives all ones, as the remainder too.
Evaluate divide(const Instruction& instruction, bool remainder) {
  const std::string_view type = types_of(instruction.modifiers).back();
  const unsigned width = width_of(type);
  return giving([=](const std::uint64_t* in) {
    const SignedWide a = integer_of(in[0], type), b = integer_of(in[1], type);
    if (b == 0) return low_bits(~std::uint64_t{0}, width);
    return bits_of_integer(remainder ? a % b : a / b, width);
  });
}

/// Sums of products of bytes with bytes, or with halves.
Evaluate dot_product(const Instruction& instruction, unsigned count) {
  const auto types = types_of(instruction.modifiers);
  const std::string_view a = types[0][0] == 's' ? (count == 4 ? "s8" : "s16") : (count == 4 ? "u8" : "u16");
  const std::string_view b = types[1][0] == 's' ? "s8" : "u8";
  const unsigned first = count == 2 && instruction.has("hi") ? 16 : 0;
  return giving([=](const std::uint64_t* in) {
    auto total = static_cast<SignedWide>(in[2]);
    for (unsigned i = 0; i < count; ++i) {
      total += integer_of(in[0] >> i * (32 / count), a) * integer_of(in[1] >> (first + i * 8), b);
    }
    return bits_of_integer(total, 32);
  });
}

/// Differences of four bytes; the last source is added to their sum with .add.
Evaluate absolute_difference_4(const Instruction& instruction) {
  const auto types = types_of(instruction.modifiers);
  const auto byte_of = [](std::string_view type) { return type == "s32" ? "s8" : "u8"; };
  const std::string_view result_type = byte_of(types[0]), a = byte_of(types[1]), b = byte_of(types[2]);
  const bool saturates = instruction.has("sat"), adds = instruction.has("add");
  return giving([=](const std::uint64_t* in) {
    std::uint64_t bytes = 0;
    auto total = static_cast<SignedWide>(in[2]);
    for (unsigned i = 0; i < 4; ++i) {
      const SignedWide x = integer_of(in[0] >> 8 * i, a), y = integer_of(in[1] >> 8 * i, b);
      SignedWide value = x < y ? y - x : x - y;
      total += value;
      if (saturates) value = clamped(value, result_type);
      bytes |= bits_of_integer(value, 8) << 8 * i;
    }
    return adds ? bits_of_integer(total, 32) : bytes;
  });
}

Evaluate of_one(const Instruction& instruction) {
  const std::string_view type = types_of(instruction.modifiers).back();
  const bool negates = instruction.opcode == Opcode::neg;
  return giving([=](const std::uint64_t* in) {
    const SignedWide a = integer_of(in[0], type);
    return bits_of_integer(negates || a < 0 ? -a : a, width_of(type));
  });
}

}  // namespace

Evaluate integer_semantics(const Instruction& instruction) {
  const auto types = types_of(instruction.modifiers);
  switch (instruction.opcode) {
    case Opcode::add:
      return instruction.has("cc") ? with_carry(instruction, false, false) : on_elements(instruction, sum);
    case Opcode::sub:
      return instruction.has("cc") ? with_carry(instruction, true, false) : on_elements(instruction, difference);
    case Opcode::addc: return with_carry(instruction, false, true);
    case Opcode::subc: return with_carry(instruction, true, true);
    case Opcode::min: return on_elements(instruction, least);
    case Opcode::max: return on_elements(instruction, greatest);
    case Opcode::mul: return multiply(instruction, false, false);
    case Opcode::mad: return multiply(instruction, true, false);
    case Opcode::madc: return multiply(instruction, true, true);
    case Opcode::mul24: return multiply_24(instruction, false);
    case Opcode::mad24: return multiply_24(instruction, true);
    case Opcode::div: return divide(instruction, false);
    case Opcode::rem: return divide(instruction, true);
    case Opcode::dp4a: return dot_product(instruction, 4);
    case Opcode::dp2a: return dot_product(instruction, 2);
    case Opcode::vabsdiff4: return absolute_difference_4(instruction);
    case Opcode::abs:
    case Opcode::neg: return of_one(instruction);
    case Opcode::sad: {
      const std::string_view type = types.back();
      return giving([=](const std::uint64_t* in) {
        const SignedWide a = integer_of(in[0], type), b = integer_of(in[1], type);
        return bits_of_integer(static_cast<SignedWide>(in[2]) + (a < b ? b - a : a - b), width_of(type));
      });
    }
    default: return {};
  }
}

}  // namespace lockstep::differential
