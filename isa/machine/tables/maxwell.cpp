// PTX on Maxwell and Pascal (compute capability 5.x, 6.x). The multiplier makes 16 x 16 + 32 bit (XMAD): a 32-bit product
// is XMAD and XMAD.MRG, which both read the factors, and XMAD.PSL.CBCC, which needs them, so three are issued and two
// stand behind each other; a sum of products the same. The high word takes four partial products and three additions.
// A saturating mad.hi is the one instruction for which compilers issue the microcoded IMAD: 86 clocks where an XMAD takes
// 6 (Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", table 4.1, Pascal), that is
// fourteen steps. Logic of three inputs is one operation (LOP3). GP100 computes pairs of f16; for the others of the family
// a GPU file gives half_precision the time of their slow unit.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"mul", "wide u16|s16", "integer_multiply"},
    {"mul", "wide", "+integer_multiply*3 integer_multiply*2 +integer integer*2"},
    {"mul", "hi u64|s64", "+integer_multiply*12 +integer*6 integer_multiply*6 integer*4"},
    {"mul", "hi", "+integer_multiply*2 integer_multiply*2 integer*2"},
    {"mul", "u64|s64", "+integer_multiply*6 +integer integer_multiply*5 integer*2"},
    {"mul", "lo u16|s16", "integer_multiply"},
    {"mul", "lo u32|s32", "+integer_multiply integer_multiply*2"},
    {"mul24", "", "+integer_multiply integer_multiply*2"},
    {"mad", "wide u16|s16", "integer_multiply"},
    {"mad", "wide", "+integer_multiply*3 integer_multiply*2 +integer*2 integer*3"},
    {"mad", "hi sat", "integer_multiply*14"},
    {"mad", "hi u64|s64", "+integer_multiply*12 +integer*6 integer_multiply*6 integer*6"},
    {"mad", "hi", "+integer_multiply*2 integer_multiply*2 integer*3"},
    {"mad", "u64|s64", "+integer_multiply*6 +integer integer_multiply*5 integer*3"},
    {"mad", "lo u16|s16", "integer_multiply"},
    {"mad", "lo u32|s32", "+integer_multiply integer_multiply*2"},
    {"mad24", "", "+integer_multiply integer_multiply*2"},
    {"madc", "hi", "+integer_multiply*2 integer_multiply*2 integer*3"},
    {"madc", "u64|s64", "+integer_multiply*6 +integer integer_multiply*5 integer*3"},
    {"madc", "", "+integer_multiply integer_multiply*2 integer"},

    {"add", "f16|f16x2", "half_precision"},
    {"sub", "f16|f16x2", "half_precision"},
    {"mul", "f16|f16x2", "half_precision"},
    {"fma", "f16|f16x2", "half_precision"},
    {"neg", "f16|f16x2", "half_precision"},
    {"abs", "f16|f16x2", "half_precision"},
    {"setp", "f16|f16x2", "half_precision"},
    {"set", "f16|f16x2", "half_precision"},

    {"lop3", "", "integer"},
    {"shf", "", "shift"},
    {"shl", "b64", "+shift shift"},
    {"shr", "b64|u64|s64", "+shift shift"},
    {"sad", "", "+min_max min_max integer"},
    // Several instructions; those of ptxas 13.0 for compute capability 7.5, where that has no VABSDIFF4.
    {"vabsdiff4", "add", "+shift*11 shift*3 +integer*6 integer*4"},
    {"vabsdiff4", "sat", "+shift*8 shift*3 +integer*6 integer*2 +compare*3 compare +integer*6 integer*2 shift*4"},
    {"vabsdiff4", "", "+shift*12 shift*3 +integer*6 integer*2 shift*4"},
    // Each of the reciprocal's two correction steps and the remainder is a product of 32 bits.
    {"div", "s32|s16",
     "integer conversion special_function integer conversion +integer_multiply*8 +integer*4 integer_multiply*7 integer "
     "compare integer compare integer*2"},
    {"div", "u32|u16",
     "conversion special_function integer conversion +integer_multiply*8 +integer*2 integer_multiply*7 integer compare "
     "integer compare integer"},
    {"div", "u64|s64",
     "conversion special_function conversion +integer_multiply*34 +integer*20 integer_multiply*26 integer*14"},
    {"rem", "s32|s16",
     "integer conversion special_function integer conversion +integer_multiply*8 +integer*4 integer_multiply*7 compare "
     "integer compare integer*2"},
    {"rem", "u32|u16",
     "conversion special_function integer conversion +integer_multiply*8 +integer*2 integer_multiply*7 compare integer "
     "compare integer"},
    {"rem", "u64|s64",
     "conversion special_function conversion +integer_multiply*36 +integer*20 integer_multiply*28 integer*15"},

    // Atomics of later generations.
    {"atom", "f16|bf16|bf16x2|b16", "none", true},
    {"red", "f16|bf16|bf16x2|b16", "none", true},
};
static_assert(are_of_ptx(rows));

// ISCADD, XMAD with the sum in its accumulator, LEA and LEA.HI.X, IADD3, LOP3, BFE.
constexpr FusionRow fusions[] = {
    {Fusion::scaled_add, "integer"},        {Fusion::multiply_add, "+integer_multiply integer_multiply*2"},
    {Fusion::scaled_wide_add, "integer*2"}, {Fusion::scaled_wide, "+shift shift"},
    {Fusion::three_input_add, "integer"},   {Fusion::three_input_logic, "integer"},
    {Fusion::bit_field, "shift"},           {Fusion::scratchpad_offset, "none"},
    {Fusion::global_offset, "none"},
};

}  // namespace

LoweringTable maxwell_table() {
  return {"maxwell", "ptx", rows, shared_rows(), fusions};
}

}  // namespace lockstep::machine
