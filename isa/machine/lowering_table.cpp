#include "isa/machine/lowering_table.hpp"

#include <array>

namespace lockstep::machine {

std::span<const LoweringTable> lowering_tables() {
  static const std::array<LoweringTable, 5> tables = {{
      {"tesla", "ptx", tesla_rows(), shared_rows(), tesla_fusions()},
      {"fermi", "ptx", fermi_rows(), shared_rows(), fermi_fusions()},
      {"kepler", "ptx", kepler_rows(), shared_rows(), fermi_fusions()},
      {"maxwell", "ptx", maxwell_rows(), shared_rows(), maxwell_fusions()},
      {"volta", "ptx", volta_rows(), shared_rows(), volta_fusions()},
  }};
  return tables;
}

}  // namespace lockstep::machine
