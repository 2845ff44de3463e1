#pragma once
// Operands of matrix instructions, for tests.

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "isa/exec/arithmetic/half.hpp"

namespace lockstep::exec::test {

/// The bits of a small integer in a type.
inline std::uint64_t bits_of(int value, const std::string& type) {
  if (type == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  if (type == "f32" || type == "tf32") return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
  if (type == "f16") return from_double<Half>(value, Rounding::nearest).bits;
  return static_cast<std::uint32_t>(value) & (type == "s32" ? ~0u : 0xffu);
}

/// Registers with following numbers: "{%r4, %r5}".
inline std::string list(const std::string& letter, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{}{}{}", i == 0 ? "" : ", ", letter, first + i);
  return text + "}";
}

}  // namespace lockstep::exec::test
