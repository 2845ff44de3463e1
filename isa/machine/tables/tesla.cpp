// PTX on Tesla (G80, GT200: compute capability 1.x). The multiplier has 24 bits: mul24 and mad24 are single operations,
// products of 32 bits are sums of partial products.
//
// GT200 is measured by Wong et al. (ISPASS 2010, table III: clocks of latency, operations per clock of one SM with eight
// cores, so that 32 / throughput / 4 instructions of four cycles are issued): umulhi 144 and 1.0, which is a chain of six
// operations of 24 clocks among eight that are issued; mulhi 180 and 0.77, seven among ten; fdividef 52, reciprocal and
// product; sinf, cosf, exp2f 48 at 2.0, range reduction and function; sqrt 56 at 2.0, one function and a product; dadd 48.
// The chains of products of 32 bits and of divisions are estimates: schoolbook products of 16-bit parts.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"mul", "wide u16|s16", "integer_multiply"},
    {"mul", "hi u64|s64", "+integer_multiply*24 +integer*8 integer_multiply*10"},
    {"mul", "hi u32", "integer_multiply*6 +integer*2"},
    {"mul", "hi s32", "integer_multiply*7 +integer*3"},
    {"mul", "wide u32", "+integer_multiply +integer*2 integer_multiply*6"},
    {"mul", "wide s32", "+integer_multiply +integer*3 integer_multiply*7"},
    {"mul", "u64|s64", "+integer_multiply*8 +integer*4 integer_multiply*7 integer"},
    {"mul", "lo u32|s32", "+integer_multiply integer_multiply*2 shift integer_multiply"},
    {"mul", "lo u16|s16", "integer_multiply"},
    {"mul24", "hi", "integer_multiply"},
    {"mad", "wide u16|s16", "integer_multiply"},
    {"mad", "wide u32", "+integer_multiply +integer*2 integer_multiply*6 integer*2"},
    {"mad", "wide s32", "+integer_multiply +integer*3 integer_multiply*7 integer*2"},
    {"mad", "hi u64|s64", "+integer_multiply*24 +integer*8 integer_multiply*10 integer*2"},
    {"mad", "hi u32", "integer_multiply*6 +integer*2 integer"},
    {"mad", "hi s32", "integer_multiply*7 +integer*3 integer"},
    {"mad", "u64|s64", "+integer_multiply*8 +integer*4 integer_multiply*7 integer*3"},
    {"mad", "lo u32|s32", "+integer_multiply integer_multiply*2 shift integer_multiply integer"},
    {"mad", "lo u16|s16", "integer_multiply"},
    {"madc", "", "+integer_multiply integer_multiply*2 shift integer_multiply integer", true},

    // No fused multiply-add in single precision: fma is the exact product in parts, by f64 on GT200.
    {"fma", "f32", "conversion double_precision conversion", true},
    {"div", "approx f32", "-special_function floating"},
    {"div", "full f32", "special_function +floating*2 floating*2"},
    {"div", "f32", "special_function +floating*8 floating*16"},
    {"div", "s32|s16",
     "integer conversion special_function conversion +integer_multiply*8 +integer*8 integer_multiply*12 integer*6"},
    {"div", "u32|u16",
     "conversion special_function conversion +integer_multiply*8 +integer*8 integer_multiply*12 integer*6"},
    {"rem", "s32|s16",
     "integer conversion special_function conversion +integer_multiply*9 +integer*8 integer_multiply*14 integer*6"},
    {"rem", "u32|u16",
     "conversion special_function conversion +integer_multiply*9 +integer*8 integer_multiply*14 integer*6"},
    {"rcp", "rn|rz|rm|rp f32", "special_function +floating*4 floating*8"},
    {"sqrt", "rn|rz|rm|rp f32", "special_function +floating*4 floating*10"},

    // Bit operations that came with Fermi.
    {"popc", "b64", "+integer*12 +shift*5 integer*8 shift*5", true},
    {"popc", "", "integer*7 shift*5", true},
    {"clz", "b64", "+integer*5 integer*6 conversion integer*4", true},
    {"clz", "", "conversion shift integer*2", true},
    {"bfind", "", "conversion shift integer*2", true},
    {"brev", "", "+shift*5 +integer*5 shift*5 integer*5", true},
    {"bfe", "u64|s64", "+shift*4 shift*2 integer*2", true},
    {"bfe", "", "shift*2", true},
    {"bfi", "", "+shift shift integer*2", true},
    {"prmt", "", "+shift*4 shift +integer*3 integer*3", true},

    // There are no generic addresses, and what lanes exchange passes through the scratchpad.
    {"isspacep", "", "compare*2", true},
    {"shfl", "", "exchange*2", true, true},

    // Atomics that came with Fermi (f32, 64 bits in the scratchpad), with compute capability 3.5 and after.
    {"atom", "f16|f16x2|bf16|bf16x2|b16|f32|f64", "none", true},
    {"red", "f16|f16x2|bf16|bf16x2|b16|f32|f64", "none", true},
    {"atom", "shared|shared::cta u64|s64|b64", "none", true},
    {"red", "shared|shared::cta u64|s64|b64", "none", true},
    {"atom", "min|max|and|or|xor u64|s64|b64", "none", true},
    {"red", "min|max|and|or|xor u64|s64|b64", "none", true},
};
static_assert(are_of_ptx(rows));

// Only scratchpad addresses take an offset; a product of 24 bits and a sum are one operation.
constexpr FusionRow fusions[] = {
    {Fusion::multiply24_add, "integer_multiply"},
    {Fusion::scratchpad_offset, "none"},
};

}  // namespace

LoweringTable tesla_table() {
  return {"tesla", "ptx", rows, shared_rows(), fusions};
}

}  // namespace lockstep::machine
