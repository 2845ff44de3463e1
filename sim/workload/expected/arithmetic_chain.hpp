#pragma once
// The expected result of the arithmetic microbenchmarks. It is computed here, in C++, since it checks the arithmetic of
// the functional machine's instructions, which every reference kernel shares.

#include <cstdint>
#include <string>

#include "sim/workload/buffers/buffers.hpp"

namespace lockstep::workload {

/// The constant operands of an operation.
struct ChainOperands {
  Number a, b;
};

/// Chains of dependent operations that begin with the elements of `input`, a quarter of which are the first chains of all
/// threads, the next quarter the second, and so on: `values` = every element after one operation, then after `length`
/// more in the first `chains` quarters, and as it was in the others. Integers begin with the bits of a single-precision
/// element, f16x2 operations with two halves of its value. 32 neighbours are a warp. InputError for an unknown operation.
Elements arithmetic_chain(const std::string& operation, const Elements& input, const ChainOperands& operands,
                          std::uint64_t chains, std::uint64_t length, ElementType type);

}  // namespace lockstep::workload
