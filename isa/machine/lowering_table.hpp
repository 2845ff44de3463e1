#pragma once
// Tables that say which machine operations one instruction of a program becomes.

#include <span>
#include <string_view>
#include <vector>

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// One row. It applies when the opcode is equal and every word of `modifiers` is among the instruction's modifiers; a
/// word may list alternatives with '|'. The first row that applies wins. `operations` is the dependent chain that the
/// instruction becomes: words of the form NAME or NAME*COUNT, with the names of name_of(Operation); "none" is a
/// register renaming that costs nothing.
struct LoweringRow {
  std::string_view opcode;
  std::string_view modifiers;
  std::string_view operations;
  /// The generation has no such instruction: it is timed as `operations`, and the replay says so.
  bool later_generation = false;
};

/// The rows of one machine instruction set for one program instruction set.
struct LoweringTable {
  std::string_view machine, program;
  std::span<const LoweringRow> rows;
};

/// All tables.
std::span<const LoweringTable> lowering_tables();

}  // namespace lockstep::machine
