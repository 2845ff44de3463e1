// What atomics leave in memory (PTX ISA 9.7.13, atom and red).

#include <algorithm>

#include "tests/differential/oracle/floats.hpp"
#include "tests/differential/oracle/integers.hpp"
#include "tests/differential/oracle/memory.hpp"
#include "tests/differential/oracle/semantics.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// As the instruction of that name computes it; sums of f32 in global memory flush subnormals; those of f64 keep NaNs as they are, that
/// of the operand first (measured on an H200).
std::uint64_t as_instruction(Opcode opcode, std::string_view type, bool flushes, std::uint64_t old, std::uint64_t b) {
  Instruction one;
  one.opcode = opcode;
  if (flushes) one.modifiers.emplace_back("ftz");
  one.modifiers.push_back(type);
  one.reads.resize(2);
  const std::uint64_t in[] = {old, b};
  std::uint64_t out[] = {0, 0};
  bool carry = false;
  float_semantics(one)(in, out, carry);
  return out[0];
}

}  // namespace

std::uint64_t updated(const Instruction& one, bool is_global, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  const std::string_view type = types_of(one.modifiers).back();
  if (is_float(type)) {
    const Opcode opcode = one.has("add") ? Opcode::add : one.has("min") ? Opcode::min : Opcode::max;
    const Format& format = format_of(type);
    if (type == "f64" && is_global && (format.is_nan(old) || format.is_nan(b))) return format.is_nan(b) ? b : old;
    return as_instruction(opcode, type, type == "f32" && is_global, old, b);
  }
  const unsigned width = width_of(type);
  const SignedWide x = integer_of(old, type), y = integer_of(b, type);
  if (one.has("add")) return bits_of_integer(x + y, width);
  if (one.has("min")) return x < y ? old : b;
  if (one.has("max")) return x > y ? old : b;
  if (one.has("inc")) return old >= b ? 0 : old + 1;
  if (one.has("dec")) return old == 0 || old > b ? b : old - 1;
  if (one.has("and")) return old & b;
  if (one.has("or")) return old | b;
  if (one.has("xor")) return old ^ b;
  if (one.has("exch")) return b;
  return old == low_bits(b, width) ? c : old;
}

}  // namespace lockstep::differential
