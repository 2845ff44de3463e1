#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

LoweringTable tesla_table(), fermi_table(), kepler_table(), maxwell_table(), volta_table(), hopper_table();

std::span<const LoweringTable> lowering_tables() {
  static const LoweringTable tables[] = {tesla_table(),   fermi_table(), kepler_table(),
                                         maxwell_table(), volta_table(), hopper_table()};
  return tables;
}

}  // namespace lockstep::machine
