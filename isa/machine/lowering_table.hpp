#pragma once
// Tables that say which machine operations one instruction of a program becomes.

#include <span>
#include <string_view>

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// One row. It applies when the opcode is equal and every word of `modifiers` is among the instruction's modifiers; a
/// word may list alternatives with '|', and with '~' what the modifier behind must be ("u64~u32|u16": to u64 from u32 or
/// u16). The first row that applies wins. `operations` is what the instruction becomes:
/// words of the form NAME or NAME*COUNT, with the names of name_of(Operation), in the order of issue. They are a
/// dependent chain, the last of which makes the result. "+NAME" stands beside the chain: it is issued when its operands,
/// those of the chain's next operation, are there, takes its unit, and nothing waits for it (the other half of a 64-bit
/// operation, a partial product that is ready before it is needed). "none" is a register renaming that costs nothing.
struct LoweringRow {
  std::string_view opcode;
  std::string_view modifiers;
  std::string_view operations;
  /// The generation has no such instruction: it is timed as `operations`, and the replay says so.
  bool later_generation = false;
};

/// The rows of one machine instruction set for one program instruction set: its own ones first, then those that it
/// shares with others.
struct LoweringTable {
  std::string_view machine, program;
  std::span<const LoweringRow> own, shared;
};

/// PTX on each generation.
std::span<const LoweringRow> tesla_rows();
std::span<const LoweringRow> fermi_rows();
std::span<const LoweringRow> kepler_rows();
std::span<const LoweringRow> maxwell_rows();
std::span<const LoweringRow> volta_rows();
/// PTX where generations agree.
std::span<const LoweringRow> shared_rows();

/// All tables.
std::span<const LoweringTable> lowering_tables();

}  // namespace lockstep::machine
