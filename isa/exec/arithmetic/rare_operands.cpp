#include "isa/exec/arithmetic/rare_operands.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/error.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

namespace {

constexpr std::uint32_t magnitude = 0x7fffffff;

int exponent(std::uint32_t bits) {
  return static_cast<int>(bits >> 23 & 0xff);
}

std::uint32_t upper(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits >> 32);
}

/// `sources` of them, of words of a type.
template <class Word, int sources, auto is_rare>
Outcome note(Warp& warp, const Op& op, LaneMask mask) {
  trace::Recorder* const recorder = warp.owner->recorder();
  if (recorder == nullptr) return Outcome::next;
  LaneMask rare = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const auto operand = [&](int n) { return plane<Word>(warp.frame, op.arithmetic.source[n])[lane]; };
    bool found;
    if constexpr (sources == 2) {
      found = is_rare(operand(0), operand(1));
    } else {
      found = is_rare(operand(0));
    }
    if (found) rare |= LaneMask{1} << lane;
  });
  if (rare != 0) std::fill(std::begin(warp.address), std::end(warp.address), 0);
  recorder->access(warp.index, rare, warp.address);
  return Outcome::next;
}

template <class Word>
Step step_of(ptx::Opcode opcode) {
  switch (opcode) {
    case ptx::Opcode::div: return note<Word, 2, [](Word a, Word b) { return is_rare_division(a, b); }>;
    case ptx::Opcode::rcp: return note<Word, 1, [](Word a) { return is_rare_reciprocal(a); }>;
    case ptx::Opcode::sqrt: return note<Word, 1, [](Word a) { return is_rare_root(a); }>;
    default: throw Bug("an opcode without rare operands");
  }
}

}  // namespace

bool is_rare_division(std::uint32_t dividend, std::uint32_t divisor) {
  const int a = exponent(dividend), b = exponent(divisor);
  return a < 25 || a > 254 || b < 2 || b > 251 || a - b < -124 || a - b > 126;
}

bool is_rare_reciprocal(std::uint32_t operand) {
  return ((operand + 0x01800000u) & 0x7f800000u) <= 0x01ffffffu;
}

bool is_rare_root(std::uint32_t operand) {
  return operand - 0x0d000000u > 0x727fffffu;
}

/// The upper halves are compared as f32, of the quotient too, once it is there: it must be normal.
bool is_rare_division(std::uint64_t dividend, std::uint64_t divisor) {
  if ((upper(dividend) & magnitude) < 0x03600000u || (upper(divisor) & magnitude) >= 0x7f800000u) return true;
  return !std::isnormal(std::bit_cast<double>(dividend) / std::bit_cast<double>(divisor));
}

bool is_rare_reciprocal(std::uint64_t operand) {
  return ((upper(operand) + 0x00300402u) & magnitude) < 0x00400402u;
}

bool is_rare_root(std::uint64_t operand) {
  return upper(operand) - 0x03500000u >= 0x7ca00000u;
}

Step note_rare_operands(ptx::Opcode opcode, bool is_f64) {
  return is_f64 ? step_of<std::uint64_t>(opcode) : step_of<std::uint32_t>(opcode);
}

}  // namespace lockstep::exec
