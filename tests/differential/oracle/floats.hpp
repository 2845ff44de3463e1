#pragma once
// Bits as floating-point numbers of PTX types, on the exact arithmetic that the unit tests compare with too.

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "tests/differential/kernel.hpp"
#include "tests/unit/isa/exec/arithmetic/exact.hpp"

namespace lockstep::differential {

using test::Format;

/// Of f16, bf16, f32, f64; of tf32 without the 13 bits below.
const Format& format_of(std::string_view type);

/// The NaN that arithmetic gives: the first NaN among the sources of an f64, made quiet, otherwise one bit pattern
/// (isa/exec/arithmetic, "Where the ISA leaves a choice": as an H200 does).
std::uint64_t result_nan(std::string_view type, std::initializer_list<std::uint64_t> sources);

/// 'n', 'z', 'm' or 'p', by .rn or .rni and so on; 'n' without.
char rounding_of(const Instruction& instruction);

/// Clamped to 0 ... 1, NaN as 0.
std::uint64_t saturated(std::uint64_t bits, const Format& format);
/// Not below 0; NaN as the one of the type.
std::uint64_t without_negative(std::uint64_t bits, std::string_view type);
/// 1 in the format.
std::uint64_t one_of(const Format& format);
/// -1, 0 or 1 as a is smaller, equal or larger, for numbers; -0 equals +0.
int compare_numbers(std::uint64_t a, std::uint64_t b, const Format& format);

}  // namespace lockstep::differential
