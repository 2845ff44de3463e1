// PTX on Fermi (compute capability 2.x): the instruction set that the shared rows describe. 32-bit products and sums of
// them are one operation, as are bit fields, byte permutes, population counts and scaled additions. Shuffles, funnel
// shifts and matches came later: a shuffle is timed as one exchange.

#include "isa/machine/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"shfl", "", "exchange", true},
};

}  // namespace

std::span<const LoweringRow> fermi_rows() {
  return rows;
}

}  // namespace lockstep::machine
