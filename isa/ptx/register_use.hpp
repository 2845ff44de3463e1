#pragma once
// Which registers an instruction writes and reads.

#include <vector>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

/// Registers of the instruction's function, in the order of the operands, each listed as often as it is named.
struct RegisterUse {
  std::vector<RegisterId> destinations;
  std::vector<RegisterId> sources;  ///< The address register among them; the guard, if any, is the last.
  RegisterId address = no_index;    ///< Base register of the first address operand.
  bool writes_carry = false;        ///< Writes the condition code register (.cc).
  bool reads_carry = false;         ///< Reads it (addc, subc, madc).
};

/// For a call: the registers that are passed and returned directly.
RegisterUse register_use(const Instruction& instruction);

/// True when the first operand of the instruction is written.
bool writes_first_operand(const Instruction& instruction);

}  // namespace lockstep::ptx
