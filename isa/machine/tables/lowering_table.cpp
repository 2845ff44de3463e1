#include "isa/machine/tables/lowering_table.hpp"

#include <vector>

namespace lockstep::machine {

LoweringTable tesla_table(), fermi_table(), kepler_table(), maxwell_table(), volta_table(), hopper_table();

std::span<const LoweringTable> lowering_tables() {
  static const std::vector<LoweringTable> tables = [] {
    std::vector<LoweringTable> all = {tesla_table(),   fermi_table(), kepler_table(),
                                      maxwell_table(), volta_table(), hopper_table()};
    const auto of_sass = sass_tables();
    all.insert(all.end(), of_sass.begin(), of_sass.end());
    return all;
  }();
  return tables;
}

}  // namespace lockstep::machine
