// PTX on Fermi (compute capability 2.0). Chains for what has no instruction of its own follow the published algorithms:
// a 64-bit addition is two 32-bit ones with carry; a 64-bit product is the schoolbook sum of 32-bit products; integer
// division is a reciprocal estimate and correction steps (Moeller and Granlund, "Improved division by invariant
// integers"); f32 division and square root are Newton steps with fused multiply-add (Markstein). Their lengths are
// estimates of the compiler's code, not measurements.

#include "isa/machine/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    // Moves and addresses. A generic address of global memory is the global address, so cvta costs nothing.
    {"mov", "b64|u64|s64|f64", "integer*2"},
    {"mov", "", "integer"},
    {"cvta", "shared|local", "integer*2"},
    {"cvta", "", "none"},
    {"isspacep", "", "integer*2"},

    // Integer arithmetic.
    {"add", "f64", "double_precision"},
    {"add", "f32|f16|f16x2|bf16|bf16x2", "floating"},
    {"add", "u64|s64", "integer*2"},
    {"add", "", "integer"},
    {"sub", "f64", "double_precision"},
    {"sub", "f32|f16|f16x2|bf16|bf16x2", "floating"},
    {"sub", "u64|s64", "integer*2"},
    {"sub", "", "integer"},
    {"addc", "u64|s64", "integer*2"},
    {"addc", "", "integer"},
    {"subc", "u64|s64", "integer*2"},
    {"subc", "", "integer"},
    {"neg", "f64", "double_precision"},
    {"neg", "f32|f16|f16x2|bf16|bf16x2", "floating"},
    {"neg", "s64", "integer*2"},
    {"neg", "", "integer"},
    {"abs", "f64", "double_precision"},
    {"abs", "f32|f16|f16x2|bf16|bf16x2", "floating"},
    {"abs", "s64", "integer*3"},
    {"abs", "", "integer"},
    {"min", "f64", "double_precision"},
    {"min", "f32|f16|f16x2|bf16|bf16x2", "min_max"},
    {"min", "u64|s64", "integer*4"},
    {"min", "", "min_max"},
    {"max", "f64", "double_precision"},
    {"max", "f32|f16|f16x2|bf16|bf16x2", "min_max"},
    {"max", "u64|s64", "integer*4"},
    {"max", "", "min_max"},
    {"sad", "", "shift"},
    {"mul24", "", "integer_multiply"},
    {"mad24", "", "integer_multiply"},
    {"mul", "f64", "double_precision"},
    {"mul", "f32|f16|f16x2|bf16|bf16x2", "floating_multiply"},
    {"mul", "wide u16|s16", "integer_multiply"},
    {"mul", "wide", "integer_multiply*2"},
    {"mul", "hi u64|s64", "integer_multiply*8"},
    {"mul", "u64|s64", "integer_multiply*4"},
    {"mul", "", "integer_multiply"},
    {"mad", "f64", "double_precision"},
    {"mad", "f32", "floating"},
    {"mad", "wide u16|s16", "integer_multiply"},
    {"mad", "wide", "integer_multiply*2"},
    {"mad", "hi u64|s64", "integer_multiply*8 integer*2"},
    {"mad", "u64|s64", "integer_multiply*4"},
    {"mad", "", "integer_multiply"},
    {"madc", "u64|s64", "integer_multiply*4"},
    {"madc", "", "integer_multiply"},
    {"fma", "f64", "double_precision"},
    {"fma", "", "floating"},
    {"div", "f64", "special_function double_precision*8"},
    {"div", "approx f32", "special_function floating"},
    {"div", "full f32", "special_function floating*3"},
    {"div", "f32", "special_function floating*8"},
    {"div", "u64|s64", "conversion*2 special_function integer_multiply*24 integer*24"},
    {"div", "", "conversion special_function conversion integer_multiply*4 integer*8"},
    {"rem", "u64|s64", "conversion*2 special_function integer_multiply*28 integer*26"},
    {"rem", "", "conversion special_function conversion integer_multiply*5 integer*8"},
    {"dp4a", "", "shift*8 integer_multiply*4", true},
    {"dp2a", "", "shift*4 integer_multiply*2", true},

    // Logic, shifts and bit fields. Shifts, bit fields and counts run at half rate on Fermi.
    {"and", "b64", "integer*2"},
    {"and", "", "integer"},
    {"or", "b64", "integer*2"},
    {"or", "", "integer"},
    {"xor", "b64", "integer*2"},
    {"xor", "", "integer"},
    {"not", "b64", "integer*2"},
    {"not", "", "integer"},
    {"cnot", "b64", "integer*3"},
    {"cnot", "", "integer"},
    {"lop3", "", "integer*2", true},
    {"shl", "b64", "shift*3"},
    {"shl", "", "shift"},
    {"shr", "b64|u64|s64", "shift*3"},
    {"shr", "", "shift"},
    {"shf", "", "shift*2", true},
    {"bfe", "u64|s64", "shift*4"},
    {"bfe", "", "shift"},
    {"bfi", "b64", "shift*4"},
    {"bfi", "", "shift"},
    {"bfind", "u64|s64", "bit_find*2 integer"},
    {"bfind", "", "bit_find"},
    {"bmsk", "", "shift*2", true},
    {"szext", "", "shift*2", true},
    {"brev", "b64", "bit_find*2"},
    {"brev", "", "bit_find"},
    {"popc", "b64", "bit_count*2 integer"},
    {"popc", "", "bit_count"},
    {"clz", "b64", "bit_find*2 integer*2"},
    {"clz", "", "bit_find integer"},
    {"fns", "", "shift*8 integer*8"},
    {"prmt", "", "shift"},

    // Compare and select.
    {"setp", "f64", "double_precision"},
    {"setp", "f32|f16|f16x2|bf16|bf16x2", "compare"},
    {"setp", "u64|s64|b64", "compare*2"},
    {"setp", "", "compare"},
    {"set", "f64", "double_precision"},
    {"set", "u64|s64|b64", "compare*2"},
    {"set", "", "compare"},
    {"selp", "b64|u64|s64|f64", "integer*2"},
    {"selp", "", "integer"},
    {"slct", "b64|u64|s64|f64", "integer*3"},
    {"slct", "", "integer"},
    {"testp", "f64", "double_precision*2"},
    {"testp", "", "floating*2"},
    {"copysign", "f64", "integer*2"},
    {"copysign", "", "integer"},

    // Conversions and special functions.
    {"cvt", "pack", "conversion*2", true},
    {"cvt", "f64", "conversion*2"},
    {"cvt", "u64|s64 f32|f16", "conversion*4"},
    {"cvt", "u64|s64 u32|s32|u16|s16|u8|s8", "integer"},
    {"cvt", "", "conversion"},
    {"rcp", "f64", "special_function double_precision*6"},
    {"rcp", "approx", "special_function"},
    {"rcp", "", "special_function floating*4"},
    {"sqrt", "f64", "special_function double_precision*8"},
    {"sqrt", "approx", "special_function*2"},
    {"sqrt", "", "special_function floating*6"},
    {"rsqrt", "f64", "special_function double_precision*6"},
    {"rsqrt", "", "special_function"},
    {"sin", "", "special_function*2"},
    {"cos", "", "special_function*2"},
    {"lg2", "", "special_function"},
    {"ex2", "", "special_function*2"},
    {"tanh", "", "special_function*3", true},

    // Across lanes. Votes exist on Fermi; shuffles, matches and reductions came later.
    {"vote", "", "integer"},
    {"activemask", "", "integer"},
    {"shfl", "", "exchange", true},
    {"match", "", "exchange*4", true},
    {"redux", "", "exchange*5", true},
    {"elect", "", "integer", true},

    // Parameters of device functions stay in registers.
    {"ld", "param", "none"},
    {"st", "param", "none"},
    {"bar", "warp", "integer", true},
    {"nanosleep", "", "integer", true},
    {"createpolicy", "", "integer", true},
    {"applypriority", "", "integer", true},
    {"discard", "", "integer", true},
    {"cp", "commit_group|wait_group|wait_all", "integer", true},
    {"pmevent", "", "integer"},
    {"brkpt", "", "integer"},
    {"setmaxnreg", "", "integer", true},
    {"griddepcontrol", "", "integer", true},
};

constexpr LoweringTable tables[] = {{"fermi", "ptx", rows}};

}  // namespace

std::span<const LoweringTable> lowering_tables() {
  return tables;
}

}  // namespace lockstep::machine
