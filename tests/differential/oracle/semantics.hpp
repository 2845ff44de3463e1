#pragma once
// What an instruction computes in one thread, written from the text of the PTX ISA for testing alone. Shares no code with
// the functional machine.

#include <cstdint>
#include <functional>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// From the bits of what is read to the bits of what is written, both without bits above their width; the condition
/// code is read and written in place.
using Evaluate = std::function<void(const std::uint64_t* in, std::uint64_t* out, bool& carry)>;

/// Of an instruction of class arithmetic; empty where the oracle does not know it.
Evaluate semantics_of(const Instruction& instruction);

/// The families, each empty for what belongs to another one.
Evaluate integer_semantics(const Instruction& instruction);
Evaluate bit_semantics(const Instruction& instruction);
Evaluate comparison_semantics(const Instruction& instruction);
Evaluate float_semantics(const Instruction& instruction);
Evaluate conversion_semantics(const Instruction& instruction);

/// Of instructions with one result.
template <class F>
Evaluate giving(F compute) {
  return [compute](const std::uint64_t* in, std::uint64_t* out, bool&) { out[0] = compute(in); };
}

}  // namespace lockstep::differential
