#pragma once
// Instruction selection: PTX names every step of a computation; the machine does several at once. Before lowering, this
// finds what costs nothing (copies, constants, offsets of addresses), what needs 32 bits only, and what one fused operation
// does. It acts only where the operands of an instruction are known (program::StaticInstruction::operands).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/machine/call_convention.hpp"
#include "isa/machine/tables/rules.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// What becomes of one instruction of the program.
struct Selected {
  /// Nothing is issued. An instruction that takes an access entry still takes it.
  bool removed = false;
  std::string mnemonic;                           ///< By which its row is found; another one where 32 bits do.
  const std::vector<Step>* operations = nullptr;  ///< Of a fused operation; else those of the row.
  std::vector<std::uint32_t> sources;             ///< Registers of the program, the guard among them.
};

/// The kernel as the machine is to execute it.
struct Selection {
  std::vector<Selected> instructions;
  /// Register -> the registers whose scoreboard entries its readers wait for: itself, another one's, none (a constant).
  std::vector<std::vector<std::uint32_t>> names;
  std::vector<bool> read;  ///< Register -> some instruction of the program reads it.
  /// Register -> the literal that it holds throughout.
  std::vector<std::optional<std::uint64_t>> literals;
};

/// Every register that is written here is written or named by the selection, and every instruction with an access, a
/// branch or a barrier stays. `repeats`: instructions that are not needed from the beginning, or empty.
Selection select(const program::Kernel& kernel, const Rules& rules, const CallConvention& convention,
                 const std::vector<bool>& repeats);

}  // namespace lockstep::machine
