// PTX on Fermi (compute capability 2.x): the instruction set that the shared rows describe. 32-bit products and sums of
// them are one operation, as are bit fields, byte permutes, population counts and scaled additions. Shuffles, funnel
// shifts and matches came later: a shuffle is timed as one exchange.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"shfl", "", "exchange", true, true},

    // Atomics of later generations.
    {"atom", "f16|f16x2|bf16|bf16x2|b16|f64", "none", true},
    {"red", "f16|f16x2|bf16|bf16x2|b16|f64", "none", true},
    {"atom", "min|max|and|or|xor u64|s64|b64", "none", true},
    {"red", "min|max|and|or|xor u64|s64|b64", "none", true},
};
static_assert(are_of_ptx(rows));

// ISCADD, IMAD, BFE; a 64-bit address is IMAD and IMAD.HI.X, which takes the carry.
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

std::span<const FusionRow> fermi_fusions() {
  return fusions;
}

LoweringTable fermi_table() {
  return {"fermi", "ptx", rows, shared_rows(), fusions};
}

}  // namespace lockstep::machine
