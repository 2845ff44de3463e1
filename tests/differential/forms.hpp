#pragma once
// The forms of the table of opcodes that kernels are drawn from, and why the others are not.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

using Modifiers = std::vector<std::string_view>;

/// Why no kernel has this form; empty when one may have it.
std::string_view why_never(ptx::Opcode opcode, const Modifiers& modifiers);

/// "add.cc.u32".
std::string name_of_form(ptx::Opcode opcode, const Modifiers& modifiers);

/// One form with registers that fit, numbered from 0: what is written and read, as the ISA says.
Instruction instruction_of_form(ptx::Opcode opcode, const Modifiers& modifiers);

/// Forms of class arithmetic that kernels have.
struct ArithmeticForms {
  std::vector<Instruction> exact;  ///< The oracle knows them.
  std::vector<Instruction> other;  ///< Approximate ones: compared with a GPU only.
};
const ArithmeticForms& arithmetic_forms();

/// What the oracle does not compute, to the bit: the functions of the special function unit.
bool is_approximate(const Instruction& instruction);

/// The type that an operand of the instruction is read as: "f32", "u64"; numbered among the sources.
std::string_view type_of_read(const Instruction& instruction, std::size_t number);

}  // namespace lockstep::differential
