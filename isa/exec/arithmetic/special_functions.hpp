#pragma once
// The special function unit of an SM: reciprocal, roots, powers, logarithms and sines of f32, bit for bit.
//
// A unit of this kind (Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005) cuts
// the range of an argument into segments and evaluates a quadratic in each: c0 + c1 * x + c2 * x^2 for the low bits x of
// the argument, in fixed point, with a squarer that leaves out the columns of low weight. The segments, the columns and
// every coefficient were recovered from the results of an NVIDIA H200 for all arguments (tools/capture/special_functions.cu
// compares all 2^32 of each function): with those coefficients the interval of constants that gives all results of a
// segment is not empty for any segment.
//
// Arguments that are subnormal count as zero of their sign, and so do subnormal results, as .ftz has it.

#include <cstdint>

namespace lockstep::exec::special {

/// The canonical NaN for NaN; infinity of its sign for zero.
float reciprocal(float a);
/// NaN below zero; infinity of its sign for zero.
float reciprocal_root(float a);
/// NaN below zero; zero of its sign for zero.
float root(float a);
/// Base 2. NaN below zero, negative infinity for zero.
float logarithm(float a);
/// 2 to the power of a.
float power(float a);
/// Of an angle in revolutions; NaN for infinities.
float sine(float revolutions);
float cosine(float revolutions);

/// Of the upper 32 bits of an f64, for the upper 32 bits of the result.
std::uint32_t reciprocal_upper(std::uint32_t upper);
std::uint32_t reciprocal_root_upper(std::uint32_t upper);

}  // namespace lockstep::exec::special
