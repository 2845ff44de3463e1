// PTX on Volta and Turing (compute capability 7.x). One IMAD or IMAD.WIDE makes a product of 32 or 64 bits with its sum,
// IADD3 and LOP3 take three inputs, shifts of 64 bits are two funnel shifts, pairs of f16 are computed at once. Bit fields
// have no instruction any more: a shift and a mask.
//
// Lengths of chains: TITAN V, div.s32 71, rcp.rn 60, sqrt.rn 60 (Arafa et al., "Low overhead instruction latency
// characterization for NVIDIA GPGPUs", HPEC 2019, with its published raw outputs); V100, f64 division 112 at 7.5 and
// square root 101 at 9.6 cycles per instruction and SM (gpu-benches of RRZE), with the latencies of table 4.1 of Jia et
// al. (2018): 4 for integer and f32, 4 or 5 for IMAD, 8 for f64, 14 for reciprocal estimates and conversions.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    // IADD3 or IMAD.IADD, SHF or IMAD.SHL, MOV or IMAD.MOV.
    {"add", "u32|s32", "integer|integer_multiply"},
    {"sub", "u32|s32", "integer|integer_multiply"},
    {"shl", "literal", "shift|integer_multiply"},
    {"mov", "u32|s32|b32|f32", "integer|integer_multiply"},
    {"mul", "wide u32|s32", "integer_multiply"},
    {"mul", "hi u64|s64", "+integer_multiply*2 integer_multiply*2 integer"},
    {"mul", "half u64|s64", "+integer_multiply integer_multiply integer"},
    {"mul", "u64|s64", "integer_multiply*3"},
    {"mad", "wide u32|s32", "integer_multiply"},
    {"mad", "hi u64|s64", "+integer_multiply*2 integer_multiply*2 integer*2"},
    {"mad", "u64|s64", "integer_multiply*3"},
    {"mul24", "", "+integer integer integer_multiply"},
    {"mad24", "", "+integer integer integer_multiply"},

    {"add", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"sub", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"mul", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"fma", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"neg", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"abs", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"min", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"max", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"setp", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"set", "f16|f16x2|bf16|bf16x2", "half_precision"},
    {"dp4a", "", "integer_multiply"},
    {"dp2a", "", "integer_multiply"},
    // VABSDIFF4 has neither saturation nor other types (ptxas 13.0 for compute capability 7.5).
    {"vabsdiff4", "sat", "+shift*8 shift*3 +integer*6 integer*2 +compare*3 compare +integer*6 integer*2 shift*4"},
    {"vabsdiff4", "u32~u32~u32", "min_max"},
    {"vabsdiff4", "u32~s32~s32", "min_max"},
    {"vabsdiff4", "add", "+shift*11 shift*3 +integer*6 integer*4"},
    {"vabsdiff4", "", "+shift*12 shift*3 +integer*6 integer*2 shift*4"},

    {"cvt", "f32~f16", "floating"},  // HADD2.F32
    {"lop3", "", "integer"},
    {"shf", "", "shift"},
    {"shl", "half b64", "shift"},
    {"shl", "b64", "+shift shift"},
    {"shr", "half b64|u64|s64", "shift"},
    {"shr", "b64|u64|s64", "+shift shift"},
    // Place and width are literals (selection/bit_fields.hpp): PRMT, LOP3, SGXT after SHF.
    {"bfe", "words", "none"},
    {"bfe", "bytes", "integer"},
    {"bfe", "of1 u64", "integer"},
    {"bfe", "of1", "shift"},
    {"bfe", "of2 u64", "+integer shift"},
    {"bfe", "of2", "shift integer"},
    {"bfe", "of3", "shift +integer integer"},
    {"bfe", "u64|s64", "+shift shift +integer integer"},
    // PRMTs take place and width, eight bits of each, out of registers.
    {"bfe", "", "+integer*3 shift*2"},
    {"bfi", "words", "none"},
    {"bfi", "of1", "integer"},
    {"bfi", "of2 b64", "integer*2"},
    {"bfi", "of2", "shift integer"},
    {"bfi", "of3", "+integer shift integer"},
    {"bfi", "of4", "integer +integer shift integer"},
    {"bfi", "of5", "integer +shift +integer shift integer"},
    {"bfi", "b64", "+shift*2 shift +integer integer"},
    {"bfi", "", "+integer*3 +shift shift integer"},
    {"bmsk", "", "shift"},
    {"szext", "", "shift"},
    {"sad", "", "+min_max min_max integer"},

    // Of 64 bits a call of a function: 68 instructions, 84 with signs, 64 and 78 of a remainder (ptxas 13.0 for sm_75 and sm_90). Where
    // both operands may have 32, the front end has written the branch and the shorter quotient.
    {"div", "u64",
     "+integer branch conversion special_function integer conversion integer_multiply integer_multiply*2 "
     "integer integer_multiply*2 integer integer_multiply integer_multiply*2 integer integer_multiply*2 integer "
     "+integer_multiply*5 +integer_multiply*3 +integer*24 +compare*3 integer_multiply*3 integer "
     "integer_multiply integer_multiply*2 integer compare integer compare*2 integer*2 branch +integer integer"},
    {"div", "s64",
     "+integer branch conversion special_function integer conversion integer_multiply integer_multiply*2 "
     "integer integer_multiply*2 integer integer_multiply integer_multiply*2 integer integer_multiply*2 integer "
     "+integer_multiply*5 +integer_multiply*3 +integer*37 +compare*6 integer_multiply*3 integer "
     "integer_multiply integer_multiply*2 integer compare integer compare*2 integer*2 branch +integer integer"},
    {"rem", "u64",
     "+integer branch conversion special_function integer conversion integer_multiply integer_multiply*2 "
     "integer integer_multiply*2 integer integer_multiply integer_multiply*2 integer integer_multiply*2 integer "
     "+integer_multiply*5 +integer_multiply*3 +integer*20 +compare*3 integer_multiply*3 integer "
     "integer_multiply integer_multiply*2 integer compare integer compare*2 integer*2 branch +integer integer"},
    {"rem", "s64",
     "+integer branch conversion special_function integer conversion integer_multiply integer_multiply*2 "
     "integer integer_multiply*2 integer integer_multiply integer_multiply*2 integer integer_multiply*2 integer "
     "+integer_multiply*5 +integer_multiply*3 +integer*32 +compare*5 integer_multiply*3 integer "
     "integer_multiply integer_multiply*2 integer compare integer compare*2 integer*2 branch +integer integer"},
    {"div", "s32|s16",
     "conversion special_function integer conversion +integer*3 integer_multiply*3 +integer_multiply +compare compare "
     "+integer*2 integer*2"},
    {"rem", "s32|s16",
     "conversion special_function integer conversion +integer*3 integer_multiply*3 +integer_multiply +compare compare "
     "+integer integer*2"},
    {"rcp", "rn|rz|rm|rp f32", "integer*3 compare*2 special_function floating*6"},
    {"sqrt", "rn|rz|rm|rp f32", "integer*3 compare special_function +floating floating*7"},

    // Turing has HMMA.1688 of f16, IMMA.8816, twice as fast, LDSM and MOVM, Volta HMMA.884 only. Neither has tensor cores for
    // bf16, tf32 and f64.
    {"ldmatrix", "", "none"},
    {"movmatrix", "", "exchange"},
    {"mma", "m16n8k8 f16", "tensor_short"},
    {"mma", "m16n8k16 f16", "tensor_short*2", true},
    {"mma", "m16n8k16 s32", "tensor_short", true},
    {"mma", "m16n8k32 s32", "tensor_short*2", true},

    {"match", "", "exchange"},
    {"bar", "warp", "integer"},
    {"nanosleep", "", "integer"},
    {"tanh", "", "special_function"},

    // Atomics of later generations.
    {"atom", "bf16|bf16x2", "none", true},
    {"red", "bf16|bf16x2", "none", true},
};
static_assert(are_of_ptx(rows));

// LEA, LEA.HI, IMAD, IMAD.WIDE, IADD3, LOP3, IMNMX, FFMA; a sum of 64 bits is IADD3 and IADD3.X, LEA and LEA.HI.X where a
// part of it is shifted or sign-extended. ptxas 13.0 writes these for compute capability 7.5 as for 9.0.
constexpr FusionRow shared_fusions[] = {
    {Fusion::scaled_add, "integer"},
    {Fusion::shift_add, "integer"},
    {Fusion::funnel_add, "integer"},
    {Fusion::multiply_add, "integer_multiply"},
    {Fusion::multiply_wide_add, "integer_multiply"},
    {Fusion::scaled_wide_add, "integer_multiply"},
    {Fusion::three_input_add, "integer"},
    {Fusion::comparison_value, "compare"},
    {Fusion::rounded_conversion, "conversion"},
    {Fusion::highest_bit, "bit_find"},
    {Fusion::saturation, "floating"},
    {Fusion::negated_sum, "integer"},
    {Fusion::three_input_add_64, "integer*2"},
    {Fusion::scaled_add_64, "integer*2"},
    {Fusion::multiply_add_64, "+integer_multiply integer_multiply*2 integer"},
    {Fusion::short_multiply_add_64, "+integer_multiply integer_multiply integer"},
    {Fusion::sign_extended_add_64, "integer*2"},
    {Fusion::three_input_logic, "integer"},
    {Fusion::three_input_logic_64, "+integer integer"},
    {Fusion::funnel_shift, "shift"},
    {Fusion::rotation_64, "+shift shift"},
    {Fusion::funnel_shift_64, "+integer_multiply +shift shift integer"},
    {Fusion::float_multiply_add, "floating"},
    {Fusion::double_multiply_add, "double_precision"},
    {Fusion::half_multiply_add, "half_precision"},
    {Fusion::select_min_max, "none"},
    {Fusion::logic_test, "none"},
    {Fusion::negated_operand, "none"},
    {Fusion::signed_operand, "none"},
    {Fusion::half_operand, "none"},
    {Fusion::extended_load, "none"},
    {Fusion::scratchpad_offset, "none"},
    {Fusion::global_offset, "none"},
};
// LDS, STS and ATOMS scale their index register.
constexpr FusionRow fusions[] = {{Fusion::scratchpad_scaling, "none"}};

}  // namespace

std::span<const LoweringRow> volta_rows() {
  return rows;
}

std::span<const FusionRow> volta_fusions() {
  return shared_fusions;
}

LoweringTable volta_table() {
  return {"volta", "ptx", rows, shared_rows(), fusions, {}, shared_fusions};
}

}  // namespace lockstep::machine
