#include "isa/exec/arithmetic/decoder.hpp"

#include <bit>

#include "isa/error.hpp"

namespace lockstep::exec {

using ptx::Operand;
using ptx::Type;

bool is_floating(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::f32:
    case Type::f64: return true;
    default: return false;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

unsigned plane_bits(Type type) {
  const unsigned bits = ptx::bits_of(type);
  return bits == 8 ? 16 : bits;
}

namespace {

/// The f32 nearest to the f64 with these bits; a NaN keeps the upper part of its payload, as 0f literals need.
std::uint32_t narrow_literal(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  if (value == value) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint32_t>(bits >> 63 << 31) | 0x7f800000u | static_cast<std::uint32_t>(bits >> 29 & 0x7fffff);
}

}  // namespace

bool ArithmeticDecoder::take(std::string_view modifier) {
  for (std::size_t i = 0; i < instruction_.modifiers.size(); ++i) {
    if (i < 64 && (taken_ >> i & 1) == 0 && instruction_.modifiers[i] == modifier) {
      taken_ |= std::uint64_t{1} << i;
      return true;
    }
  }
  return false;
}

std::optional<unsigned> ArithmeticDecoder::take_one(std::initializer_list<std::string_view> choices) {
  unsigned place = 0;
  for (const std::string_view choice : choices) {
    if (take(choice)) return place;
    ++place;
  }
  return std::nullopt;
}

std::optional<Rounding> ArithmeticDecoder::take_rounding() {
  const auto place = take_one({"rn", "rz", "rm", "rp"});
  if (!place) return std::nullopt;
  constexpr Rounding roundings[] = {Rounding::nearest, Rounding::zero, Rounding::down, Rounding::up};
  return roundings[*place];
}

Type ArithmeticDecoder::take_type() {
  for (std::size_t i = 0; i < instruction_.modifiers.size() && i < 64; ++i) {
    if ((taken_ >> i & 1) != 0) continue;
    if (const Type type = ptx::type_named(instruction_.modifiers[i]); type != Type::none) {
      taken_ |= std::uint64_t{1} << i;
      return type;
    }
  }
  fail("a type such as .u32 is missing");
}

Type ArithmeticDecoder::last_type() const {
  for (std::size_t i = instruction_.modifiers.size(); i-- > 0;) {
    if (const Type type = ptx::type_named(instruction_.modifiers[i]); type != Type::none) return type;
  }
  return Type::none;
}

void ArithmeticDecoder::expect_operands(std::size_t count) const {
  if (instruction_.operands.size() != count) {
    fail(fmt::format("it has {} operands, not {}", instruction_.operands.size(), count));
  }
}

void ArithmeticDecoder::destination(std::size_t number, Type type) {
  result_.destination = destination_plane(operand(number), type);
}

void ArithmeticDecoder::source(unsigned slot, std::size_t number, Type type) {
  result_.source[slot] = source_plane(operand(number), type);
}

void ArithmeticDecoder::destination_and_sources(Type type, unsigned sources) {
  expect_operands(sources + 1);
  destination(0, type);
  for (unsigned slot = 0; slot < sources; ++slot) source(slot, slot + 1, type);
}

PlaneOffset ArithmeticDecoder::second_predicate(std::size_t number) const {
  const ptx::RegisterId second = operand(number).second;
  if (second == ptx::no_index) return no_plane;
  if (context_.function.registers[second].type != Type::pred) {
    fail(fmt::format("{} after | is not a predicate", context_.function.registers[second].name));
  }
  return context_.layout.of_register(second);
}

PlaneOffset ArithmeticDecoder::destination_plane(const Operand& to, Type type) const {
  if (to.kind == Operand::Kind::sink) return context_.layout.temporary(plane_bits(type));
  if (to.kind != Operand::Kind::reg) fail("its destination is not a register");
  if (to.negated) fail("its destination cannot be negated");
  if (plane_bits(type_of(to)) != plane_bits(type)) {
    fail(fmt::format("register {} is .{}, as wide as .{} is needed", context_.function.registers[to.index].name,
                     ptx::name_of(type_of(to)), ptx::name_of(type)));
  }
  return context_.layout.of_register(to.index);
}

PlaneOffset ArithmeticDecoder::source_plane(const Operand& from, Type type) const {
  switch (from.kind) {
    case Operand::Kind::reg:
      if (from.negated) fail("! is allowed only before the predicate that a comparison is combined with");
      if (plane_bits(type_of(from)) != plane_bits(type)) {
        fail(fmt::format("register {} is .{}, as wide as .{} is needed", context_.function.registers[from.index].name,
                         ptx::name_of(type_of(from)), ptx::name_of(type)));
      }
      return context_.layout.of_register(from.index);
    case Operand::Kind::special:
      if (ptx::bits_of(type_of(from)) != ptx::bits_of(type)) {
        fail(fmt::format("special register %{} has {} bits, not those of .{}", ptx::name_of(from.special),
                         ptx::bits_of(type_of(from)), ptx::name_of(type)));
      }
      return context_.layout.of_special(from.special);
    case Operand::Kind::integer:
    case Operand::Kind::real: return context_.layout.of_constant(literal_bits(from, type), plane_bits(type));
    default: fail("an operand is neither a register nor a number");
  }
}

Type ArithmeticDecoder::type_of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::reg) return context_.function.registers[operand.index].type;
  const bool wide =
      operand.special == ptx::SpecialRegister::clock64 || operand.special == ptx::SpecialRegister::globaltimer;
  return wide ? Type::u64 : Type::u32;
}

std::uint64_t ArithmeticDecoder::literal_bits(const Operand& literal, Type type) const {
  if (literal.kind == Operand::Kind::integer) {
    if (type == Type::f32 || type == Type::f64) {
      fail(fmt::format("an integer literal where .{0} is expected; write 1.0, or its bits as {1}", ptx::name_of(type),
                       type == Type::f32 ? "0f3F800000" : "0d3FF0000000000000"));
    }
    if (type == Type::pred) return literal.bits != 0 ? 1 : 0;
    const unsigned bits = ptx::bits_of(type);
    const std::uint64_t low = bits >= 64 ? literal.bits : literal.bits & ((std::uint64_t{1} << bits) - 1);
    // An 8-bit operand is held extended to 16 bits.
    return type == Type::s8 && (low & 0x80) != 0 ? low | 0xff00 : low;
  }
  const auto value = std::bit_cast<double>(literal.bits);
  switch (type) {
    case Type::f64:
    case Type::b64: return literal.bits;
    case Type::f32:
    case Type::b32: return narrow_literal(literal.bits);
    case Type::f16: return from_double<Half>(value, Rounding::nearest).bits;
    case Type::bf16: return from_double<Bfloat>(value, Rounding::nearest).bits;
    default: fail(fmt::format("a floating-point literal where .{} is expected", ptx::name_of(type)));
  }
}

std::uint64_t ArithmeticDecoder::immediate(std::size_t number, std::uint64_t largest) const {
  const Operand& from = operand(number);
  if (from.kind != Operand::Kind::integer || from.bits > largest) {
    fail(fmt::format("operand {} must be a number from 0 to {}", number + 1, largest));
  }
  return from.bits;
}

void ArithmeticDecoder::finish(Arithmetic::Run run) {
  for (std::size_t i = 0; i < instruction_.modifiers.size(); ++i) {
    if (i >= 64 || (taken_ >> i & 1) == 0) {
      fail(fmt::format("modifier .{} is not supported here", instruction_.modifiers[i]));
    }
  }
  result_.run = run;
}

void ArithmeticDecoder::fail(std::string_view why) const {
  throw InputError({context_.module.file, instruction_.line, instruction_.column},
                   fmt::format("{}: {}", instruction_.mnemonic(), why));
}

void ArithmeticDecoder::fail_type(Type type) const {
  fail(fmt::format("type .{} is not supported here", ptx::name_of(type)));
}

}  // namespace lockstep::exec
