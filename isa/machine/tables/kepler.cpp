// PTX on Kepler (GK104 to GK210: compute capability 3.x): Fermi's operations and fusions, shuffles, and from GK110 on funnel shifts,
// of which a 64-bit shift has one for the word that takes bits from the other.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"shf", "", "shift"},
    {"shl", "b64", "+shift shift"},
    {"shr", "b64|u64|s64", "+shift shift"},
    {"vabsdiff4", "", "min_max"},

    // Atomics of later generations.
    {"atom", "f16|f16x2|bf16|bf16x2|b16|f64", "none", true},
    {"red", "f16|f16x2|bf16|bf16x2|b16|f64", "none", true},
};
static_assert(are_of_ptx(rows));

}  // namespace

LoweringTable kepler_table() {
  return {"kepler", "ptx", rows, shared_rows(), fermi_fusions()};
}

}  // namespace lockstep::machine
