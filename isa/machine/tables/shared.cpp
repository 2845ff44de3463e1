// PTX where the generations agree, and the chains that hold unless a generation's own table says otherwise. The program
// sees 32-bit registers everywhere: a 64-bit addition is two with carry, one behind the other; the halves of a 64-bit
// move, logic operation or selection are independent. Chains for what has no instruction of its own follow the published
// algorithms: integer division is a reciprocal estimate in f32 and correction steps (Moeller and Granlund, "Improved
// division by invariant integers"); division and square root are Newton steps with fused multiply-add (Markstein). Their
// lengths are estimates of the compiler's code where no source in a generation's table says more; the slow path for
// subnormal operands is never taken.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    // Moves and addresses. A generic address of global memory is the global address, so cvta costs nothing.
    {"mov", "half b64", "integer"},
    {"mov", "b128", "+integer*3 integer"},
    {"mov", "b64|u64|s64|f64", "+integer integer"},
    {"mov", "", "integer"},
    {"cvta", "shared|local", "integer*2"},
    {"cvta", "", "none"},
    {"isspacep", "", "compare*2"},

    // Integer and floating-point arithmetic.
    {"add", "f64", "double_precision"},
    {"add", "f32", "floating"},
    {"add", "half u64|s64", "integer"},
    {"add", "u64|s64", "integer*2"},
    {"add", "", "integer"},
    {"sub", "f64", "double_precision"},
    {"sub", "f32", "floating"},
    {"sub", "half u64|s64", "integer"},
    {"sub", "u64|s64", "integer*2"},
    {"sub", "", "integer"},
    {"addc", "u64|s64", "integer*2"},
    {"addc", "", "integer"},
    {"subc", "u64|s64", "integer*2"},
    {"subc", "", "integer"},
    {"neg", "f64", "double_precision"},
    {"neg", "f32", "floating"},
    {"neg", "s64", "integer*2"},
    {"neg", "", "integer"},
    {"abs", "f64", "double_precision"},
    {"abs", "f32", "floating"},
    {"abs", "s64", "integer*3"},
    {"abs", "", "integer"},
    {"min", "f64", "double_precision"},
    {"min", "f16x2|bf16x2", "+conversion*3 conversion +min_max min_max +conversion conversion integer", true},
    {"min", "f16|bf16", "+conversion conversion min_max conversion", true},
    {"min", "u64|s64", "compare*2 +integer integer"},
    {"min", "", "min_max"},
    {"max", "f64", "double_precision"},
    {"max", "f16x2|bf16x2", "+conversion*3 conversion +min_max min_max +conversion conversion integer", true},
    {"max", "f16|bf16", "+conversion conversion min_max conversion", true},
    {"max", "u64|s64", "compare*2 +integer integer"},
    {"max", "", "min_max"},
    {"sad", "", "shift"},
    {"mul24", "", "integer_multiply"},
    {"mad24", "", "integer_multiply"},
    {"mul", "f64", "double_precision"},
    {"mul", "f32", "floating_multiply"},
    {"mul", "wide u16|s16", "integer_multiply"},
    // Both halves of a 64-bit product read the factors.
    {"mul", "wide", "+integer_multiply integer_multiply"},
    {"mul", "hi u64|s64", "+integer_multiply*4 integer_multiply*4"},
    {"mul", "u64|s64", "+integer_multiply integer_multiply*3"},
    {"mul", "", "integer_multiply"},
    {"mad", "f64", "double_precision"},
    {"mad", "f32", "floating"},
    {"mad", "wide u16|s16", "integer_multiply"},
    // The upper half takes the carry of the lower.
    {"mad", "wide", "integer_multiply*2"},
    {"mad", "hi u64|s64", "+integer_multiply*4 integer_multiply*4 integer*2"},
    {"mad", "u64|s64", "integer_multiply*4"},
    {"mad", "", "integer_multiply"},
    {"madc", "u64|s64", "integer_multiply*4"},
    {"madc", "", "integer_multiply"},
    {"fma", "f64", "double_precision"},
    {"fma", "f32", "floating"},
    {"div", "f64", "integer*4 special_function double_precision*7 compare*2 integer*4"},
    {"div", "approx f32", "-special_function floating_multiply"},
    {"div", "full f32", "special_function floating_multiply +compare +floating*2 floating"},
    {"div", "f32", "+special_function special_function floating*6"},
    {"div", "u64|s64",
     "conversion special_function conversion +integer_multiply*10 +integer*14 integer_multiply*14 integer*10"},
    {"div", "s32|s16",
     "integer conversion special_function integer conversion +integer*2 integer_multiply*4 +integer*2 compare integer "
     "compare integer*2"},
    {"div", "",
     "conversion special_function integer conversion +integer integer_multiply*4 +integer compare integer compare "
     "integer"},
    {"rem", "u64|s64",
     "conversion special_function conversion +integer_multiply*11 +integer*14 integer_multiply*15 integer*11"},
    {"rem", "s32|s16",
     "integer conversion special_function integer conversion +integer*2 integer_multiply*4 compare integer compare "
     "integer*2"},
    {"rem", "",
     "conversion special_function integer conversion +integer integer_multiply*4 compare integer compare integer"},
    {"dp4a", "", "+shift*8 shift integer_multiply*4", true},
    {"dp2a", "", "+shift*4 shift integer_multiply*2", true},
    // As ptxas 13.0 writes it for the types that compute capability 7.5 has no VABSDIFF4 for.
    {"vabsdiff4", "add", "+shift*11 shift*3 +integer*6 integer*4", true},
    {"vabsdiff4", "sat", "+shift*8 shift*3 +integer*6 integer*2 +compare*3 compare +integer*6 integer*2 shift*4", true},
    {"vabsdiff4", "", "+shift*12 shift*3 +integer*6 integer*2 shift*4", true},

    // Half precision. Without units for it, operands become f32 and the result is rounded.
    {"add", "f16x2|bf16x2", "+conversion*3 conversion +floating floating +conversion conversion integer", true},
    {"add", "f16|bf16", "+conversion conversion floating conversion", true},
    {"sub", "f16x2|bf16x2", "+conversion*3 conversion +floating floating +conversion conversion integer", true},
    {"sub", "f16|bf16", "+conversion conversion floating conversion", true},
    {"mul", "f16x2|bf16x2", "+conversion*3 conversion +floating floating +conversion conversion integer", true},
    {"mul", "f16|bf16", "+conversion conversion floating conversion", true},
    {"fma", "f16x2|bf16x2", "+conversion*5 conversion +floating floating +conversion conversion integer", true},
    {"fma", "", "+conversion*2 conversion floating conversion", true},

    // Matrices. A row per lane is a wide load or store where there is no instruction for it. Products need tensor cores.
    {"ldmatrix", "", "none", true},
    {"stmatrix", "", "none", true},
    {"movmatrix", "", "+exchange exchange shift", true},

    // Logic, shifts and bit fields.
    {"and", "half b64", "integer"},
    {"and", "b64", "+integer integer"},
    {"and", "", "integer"},
    {"or", "half b64", "integer"},
    {"or", "b64", "+integer integer"},
    {"or", "", "integer"},
    {"xor", "half b64", "integer"},
    {"xor", "b64", "+integer integer"},
    {"xor", "", "integer"},
    {"not", "half b64", "integer"},
    {"not", "b64", "+integer integer"},
    {"not", "", "integer"},
    {"cnot", "b64", "integer compare integer"},
    {"cnot", "", "compare integer"},
    {"lop3", "", "integer*2", true},
    // The low word, what moves from one word to the other, and their union.
    {"shl", "half b64", "shift"},
    {"shl", "b64", "+shift*2 shift integer"},
    {"shl", "", "shift"},
    {"shr", "half b64|u64|s64", "shift"},
    {"shr", "b64|u64|s64", "+shift*2 shift integer"},
    {"shr", "", "shift"},
    {"shf", "", "+shift shift integer", true},
    {"bfe", "u64|s64", "+shift*2 shift integer"},
    {"bfe", "", "shift"},
    {"bfi", "b64", "+shift*2 shift integer"},
    {"bfi", "", "shift"},
    {"bfind", "u64|s64", "+bit_find bit_find integer"},
    {"bfind", "", "bit_find"},
    {"bmsk", "", "shift*2", true},
    {"szext", "", "shift*2", true},
    {"brev", "b64", "+bit_find bit_find"},
    {"brev", "", "bit_find"},
    {"popc", "b64", "+bit_count bit_count integer"},
    {"popc", "", "bit_count"},
    {"clz", "b64", "+bit_find bit_find integer*2"},
    {"clz", "", "bit_find integer"},
    {"fns", "", "shift*8 integer*8"},
    {"prmt", "", "shift"},

    // Compare and select. The comparison of the upper words takes the outcome of the lower.
    {"setp", "f64", "double_precision"},
    {"setp", "f16x2|bf16x2", "+conversion*3 conversion +compare compare", true},
    {"setp", "f16|bf16", "+conversion conversion compare", true},
    {"setp", "u64|s64|b64", "compare*2"},
    {"setp", "", "compare"},
    {"set", "f64", "double_precision"},
    {"set", "f16|f16x2|bf16|bf16x2", "+conversion conversion compare", true},
    {"set", "u64|s64|b64", "compare*2"},
    {"set", "", "compare"},
    {"selp", "half b64|u64|s64", "integer"},
    {"selp", "b64|u64|s64|f64", "+integer integer"},
    {"selp", "", "integer"},
    {"slct", "b64|u64|s64|f64", "compare +integer integer"},
    {"slct", "", "compare integer"},
    {"testp", "f64", "double_precision*2"},
    {"testp", "", "compare*2"},
    {"copysign", "", "integer"},

    // Conversions and special functions.
    {"cvt", "pack", "conversion*2", true},
    {"cvt", "f64", "conversion"},
    {"cvt", "u64|s64 f32|f16", "conversion"},
    {"cvt", "sat", "conversion"},
    {"cvt", "f32|f16|bf16|f16x2|bf16x2", "conversion"},
    // Between integers: the upper word is zero or the sign, a narrow value is cut out of its word, the rest is a name.
    {"cvt", "u64|s64~u64|s64|u32|u16|u8", "none"},
    {"cvt", "u64|s64~s32|s16|s8", "integer"},
    {"cvt", "u32|s32~u16|s16|u8|s8", "integer"},
    {"cvt", "u16|s16~u8|s8", "integer"},
    {"cvt", "", "none"},
    {"rcp", "f64", "integer special_function double_precision*6"},
    {"rcp", "approx", "special_function"},
    {"rcp", "", "+integer*2 +compare special_function floating*3"},
    {"sqrt", "f64", "integer*2 special_function double_precision*9 compare integer"},
    {"sqrt", "approx", "special_function floating_multiply"},
    {"sqrt", "", "+integer +compare special_function +floating floating*4"},
    {"rsqrt", "f64", "integer special_function double_precision*6"},
    {"rsqrt", "", "special_function"},
    {"sin", "", "range_reduction special_function"},
    {"cos", "", "range_reduction special_function"},
    {"lg2", "", "special_function"},
    {"ex2", "", "range_reduction special_function"},
    {"tanh", "", "range_reduction special_function +floating floating special_function floating", true},

    // Across lanes.
    {.opcode = "vote", .modifiers = "", .operations = "integer", .late_predicates = true},
    {"activemask", "", "integer"},
    {.opcode = "shfl", .modifiers = "", .operations = "exchange", .through_data_stage = true},
    {"match", "", "exchange*4", true},
    {"redux", "", "exchange*5", true},
    {"elect", "", "integer", true},

    // Of a texture or surface: its unit answers, or a table that the driver has filled. What that takes is assumed.
    {"txq", "", "special_register"},
    {"suq", "", "special_register"},

    // Parameters of device functions stay in registers.
    {"ld", "param|param::func", "none"},
    {"st", "param|param::func", "none"},
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
static_assert(are_of_ptx(rows));

}  // namespace

std::span<const LoweringRow> shared_rows() {
  return rows;
}

}  // namespace lockstep::machine
