// Every operation of a graph: its name, its unit, its operands.

#include "isa/dataflow/graph.hpp"

namespace lockstep::dataflow {

namespace {

constexpr UnitClass integer = UnitClass::integer, floating = UnitClass::floating, special = UnitClass::special,
                    load_store = UnitClass::load_store;

/// In the order of Opcode.
constexpr OpcodeFacts table[] = {
    {"move", integer, 1, "a"},
    {"add", integer, 2, "a + b"},
    {"sub", integer, 2, "a - b"},
    {"mul", integer, 2, "a * b, low 32 bits"},
    {"mul.hi.s32", integer, 2, "a * b of signed integers, high 32 bits"},
    {"mul.hi.u32", integer, 2, "a * b of unsigned integers, high 32 bits"},
    {"mad", integer, 3, "a * b + c, low 32 bits"},
    {"sad.s32", integer, 3, "|a - b| + c, a and b signed"},
    {"sad.u32", integer, 3, "|a - b| + c, a and b unsigned"},
    {"min.s32", integer, 2, "the smaller of a and b, signed"},
    {"min.u32", integer, 2, "the smaller of a and b, unsigned"},
    {"max.s32", integer, 2, "the larger of a and b, signed"},
    {"max.u32", integer, 2, "the larger of a and b, unsigned"},
    {"abs.s32", integer, 1, "|a|"},
    {"neg.s32", integer, 1, "-a"},
    {"and", integer, 2, "a and b, bit by bit"},
    {"or", integer, 2, "a or b, bit by bit"},
    {"xor", integer, 2, "a exclusive or b, bit by bit"},
    {"not", integer, 1, "every bit of a inverted"},
    {"shl", integer, 2, "a shifted to the left by b bits; 0 when b is above 31"},
    {"shr.s32", integer, 2, "a shifted to the right by b bits, the sign moves in"},
    {"shr.u32", integer, 2, "a shifted to the right by b bits, zeros move in"},
    {"select", integer, 3, "b where a is not 0, else c"},
    {"guard", integer, 2, "a where b is not 0, else void: an address that a load or store leaves out"},
    {"set.eq", integer, 2, "1 where a = b, else 0"},
    {"set.ne", integer, 2, "1 where a and b differ, else 0"},
    {"set.lt.s32", integer, 2, "1 where a < b, else 0, signed"},
    {"set.le.s32", integer, 2, "1 where a <= b, else 0, signed"},
    {"set.gt.s32", integer, 2, "1 where a > b, else 0, signed"},
    {"set.ge.s32", integer, 2, "1 where a >= b, else 0, signed"},
    {"set.lt.u32", integer, 2, "1 where a < b, else 0, unsigned"},
    {"set.le.u32", integer, 2, "1 where a <= b, else 0, unsigned"},
    {"set.gt.u32", integer, 2, "1 where a > b, else 0, unsigned"},
    {"set.ge.u32", integer, 2, "1 where a >= b, else 0, unsigned"},
    {"add.f32", floating, 2, "a + b"},
    {"sub.f32", floating, 2, "a - b"},
    {"mul.f32", floating, 2, "a * b"},
    {"fma.f32", floating, 3, "a * b + c, rounded once"},
    {"min.f32", floating, 2, "the smaller of a and b; a number wins over NaN"},
    {"max.f32", floating, 2, "the larger of a and b; a number wins over NaN"},
    {"abs.f32", floating, 1, "|a|"},
    {"neg.f32", floating, 1, "-a"},
    {"set.eq.f32", floating, 2, "1 where a = b, else 0, and 0 with NaN"},
    {"set.ne.f32", floating, 2, "1 where a and b are different numbers, else 0, and 0 with NaN"},
    {"set.lt.f32", floating, 2, "1 where a < b, else 0, and 0 with NaN"},
    {"set.le.f32", floating, 2, "1 where a <= b, else 0, and 0 with NaN"},
    {"set.gt.f32", floating, 2, "1 where a > b, else 0, and 0 with NaN"},
    {"set.ge.f32", floating, 2, "1 where a >= b, else 0, and 0 with NaN"},
    {"cvt.f32.s32", floating, 1, "a signed integer to single precision, to nearest"},
    {"cvt.f32.u32", floating, 1, "an unsigned integer to single precision, to nearest"},
    {"cvt.s32.f32", floating, 1, "single precision to a signed integer, toward zero; clamped, and 0 for NaN"},
    {"cvt.u32.f32", floating, 1, "single precision to an unsigned integer, toward zero; clamped, and 0 for NaN"},
    {"rcp.f32", special, 1, "1 / a"},
    {"sqrt.f32", special, 1, "square root of a"},
    {"rsqrt.f32", special, 1, "1 / square root of a"},
    {"sin.f32", special, 1, "sine of a, in radians"},
    {"cos.f32", special, 1, "cosine of a, in radians"},
    {"ex2.f32", special, 1, "2 to the power of a"},
    {"lg2.f32", special, 1, "logarithm of a to base 2"},
    {"load", load_store, 1, "the element at an address, extended to 32 bits"},
    {"store", load_store, 2, "an address and the value to store"},
    {"reduce", load_store, 2, "an address and the value to combine with the word there"},
};
static_assert(std::size(table) == opcode_count);

}  // namespace

const OpcodeFacts& facts(Opcode op) {
  return table[static_cast<std::size_t>(op)];
}

std::optional<Opcode> opcode_named(std::string_view name) {
  for (std::size_t op = 0; op < opcode_count; ++op) {
    if (name == table[op].name) return static_cast<Opcode>(op);
  }
  return std::nullopt;
}

std::string nearest_opcode(std::string_view name) {
  std::vector<std::string> names;
  for (const OpcodeFacts& known : table) names.emplace_back(known.name);
  return nearest_name(name, names);
}

bool can_reduce(Opcode op) {
  switch (op) {
    case Opcode::add:
    case Opcode::min_s32:
    case Opcode::min_u32:
    case Opcode::max_s32:
    case Opcode::max_u32:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::add_f32: return true;
    default: return false;
  }
}

std::uint32_t bytes_of(Element element) {
  switch (element) {
    case Element::u8:
    case Element::s8: return 1;
    case Element::u16:
    case Element::s16: return 2;
    case Element::b32: break;
  }
  return 4;
}

}  // namespace lockstep::dataflow
