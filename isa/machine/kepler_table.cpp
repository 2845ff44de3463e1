// PTX on Kepler (GK104 to GK210: compute capability 3.x): Fermi's operations, shuffles, and from GK110 on funnel shifts,
// of which a 64-bit shift has one for the word that takes bits from the other.

#include "isa/machine/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"shf", "", "shift"},
    {"shl", "b64", "+shift shift"},
    {"shr", "b64|u64|s64", "+shift shift"},
};

// As on Fermi.
constexpr FusionRow fusions[] = {
    {Fusion::scaled_add, "integer"},
    {Fusion::multiply_add, "integer_multiply"},
    {Fusion::multiply_wide_add, "integer_multiply*2"},
    {Fusion::scaled_wide_add, "integer_multiply*2"},
    {Fusion::bit_field, "shift"},
    {Fusion::scratchpad_offset, "none"},
    {Fusion::global_offset, "none"},
};

}  // namespace

std::span<const LoweringRow> kepler_rows() {
  return rows;
}
std::span<const FusionRow> kepler_fusions() {
  return fusions;
}

}  // namespace lockstep::machine
