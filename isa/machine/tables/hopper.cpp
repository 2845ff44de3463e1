// PTX on Hopper (compute capability 9.0), as ptxas 13.0 writes it. Arithmetic is as on Volta but for the rows here. A shared array begins at an address
// that the SM holds in a register: LEA scales an index, not LDS or STS; their offset stays an immediate. No
// instruction takes a kernel parameter or a launch constant as an operand: each is loaded first, by LDC or ULDC. ISETP
// and FSETP combine their result with another predicate. Every kernel begins with a load of its stack pointer, of the descriptor of
// global memory where it has any, and with three instructions that make the address of shared memory.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    {"neg", "s32", "either"},
    // Of operands that were divided before, and by a divisor that has its reciprocal (selection/reciprocals.hpp).
    {"div", "pair literal s32", "compare either*2 integer +either*2"},
    {"div", "pair literal u32", "either"},
    {"div", "pair s32", "+compare*2 +either*3 either integer*3"},
    {"div", "pair u32", "+either either*2 integer"},
    {"rem", "pair literal s32", "compare either integer +either"},
    {"rem", "pair literal u32", "either"},
    {"rem", "pair s32", "+compare*2 +either*2 integer*3"},
    {"rem", "pair u32", "+either either integer"},
    {"div", "again literal s32",
     "+integer +either +compare integer wide_multiply integer_multiply compare @either +either compare @either either"},
    {"div", "again literal u32", "+either wide_multiply integer_multiply compare @either compare @either"},
    {"div", "again s32",
     "+integer +compare integer wide_multiply either integer_multiply compare @either +either compare @either either "
     "integer"},
    {"div", "again u32",
     "+integer wide_multiply either integer_multiply compare @either +either compare @either integer"},
    {"rem", "again literal s32",
     "+either +compare integer wide_multiply integer_multiply compare @either compare @either either"},
    {"rem", "again literal u32", "wide_multiply integer_multiply compare @either compare @either"},
    {"rem", "again s32",
     "+compare integer wide_multiply either integer_multiply compare @either compare @either either integer"},
    {"rem", "again u32", "+integer wide_multiply either integer_multiply compare @either compare @either integer"},
    // Division by a register has tests that a literal divisor needs not (selection/fusion.cpp says which are literals).
    {"div", "literal s32",
     "either conversion special_function either conversion +integer*2 integer_multiply wide_multiply*2 "
     "integer_multiply +compare compare @either +either compare @either either"},
    {"div", "literal u32",
     "conversion special_function either conversion +either integer_multiply wide_multiply*2 integer_multiply "
     "compare @either +either compare @either"},
    {"rem", "literal s32",
     "either conversion special_function either conversion +integer integer_multiply wide_multiply*2 "
     "integer_multiply +compare compare @either compare @either either"},
    {"rem", "literal u32",
     "conversion special_function either conversion +either integer_multiply wide_multiply*2 integer_multiply "
     "compare @either compare @either"},
    {"div", "s32",
     "integer conversion special_function either conversion +integer*3 +either*2 either integer_multiply "
     "wide_multiply*2 either integer_multiply compare @either +either compare @either either integer +compare*2"},
    {"div", "u32",
     "conversion special_function either conversion +either*2 integer_multiply wide_multiply*2 either "
     "integer_multiply compare @either +either compare @either integer +compare"},
    {"rem", "s32",
     "integer conversion special_function either conversion +integer*2 +either*2 either integer_multiply "
     "wide_multiply*2 either integer_multiply compare @either compare @either either integer +compare*2"},
    {"rem", "u32",
     "conversion special_function either conversion +either*2 integer_multiply wide_multiply*2 either "
     "integer_multiply +compare compare @either compare @either integer"},

    // IMAD.WIDE and IMAD.HI.
    {"mul", "wide u32|s32", "wide_multiply"},
    {"mad", "wide u32|s32", "wide_multiply"},
    {"mul", "hi u32|s32", "wide_multiply"},
    {"mad", "hi u32|s32", "wide_multiply"},
    // Sums that give a carry or take one: a product and IADD3.X. IMAD.X takes a carry, IMAD.HI gives one.
    {"mad", "lo cc u32|s32", "+integer_multiply integer"},
    {"madc", "lo cc u32|s32", "+integer_multiply integer"},
    {"madc", "hi u32|s32", "+wide_multiply integer"},
    {"mul", "hi u64", "+wide_multiply +integer wide_multiply*2 integer*2 wide_multiply"},
    {"mul", "half lo u64|s64", "+wide_multiply integer_multiply integer"},
    {"mul", "lo u64|s64", "+wide_multiply integer_multiply*2 integer"},
    {"mad", "lo u64|s64", "+wide_multiply integer_multiply*2 integer"},
    {"sad", "u32|s32", "integer"},
    {"abs", "s64", "+compare integer*2 +integer integer"},
    {"min", "f64", "+integer*3 double_precision +integer integer*2"},
    {"max", "f64", "+integer*3 double_precision +integer integer*2"},
    {"set", "f32~s32|u32", "compare integer*2 conversion"},
    {"set", "u32|s32~u32|s32|f32|b32", "compare integer"},
    {"cnot", "b32", "compare integer*2"},
    {"clz", "b64", "compare integer bit_find +integer integer*2"},
    {"redux", "", "exchange integer"},
    // I2FP, of these alone.
    {"cvt", "rn|rz f32~u32|s32|u16|u8", "integer"},
    {"cvt", "sat f32~f32", "floating"},
    {"cvt", "rn|rz f16|f16x2|bf16|bf16x2~f32", "integer"},  // F2FP
    {"cvt", "f32~bf16", "shift"},

    // HMMA, IMMA, DMMA; STSM.
    {"mma", "f64", "tensor_double"},
    {"mma", "m16n8k4", "tensor_short"},
    {"mma", "m16n8k8 f16|bf16", "tensor_short"},
    {"mma", "m16n8k16 s32", "tensor_short"},
    {"mma", "", "tensor"},
    {"stmatrix", "", "none"},

    // Of an angle that another one has brought into range.
    {"sin", "again", "special_function"},
    {"cos", "again", "special_function"},
    // Without .ftz an argument that may be subnormal is scaled, under a predicate, and the result scaled back.
    {"ex2", "ftz", "special_function"},
    {"ex2", "f32", "compare @floating_multiply special_function floating_multiply"},
    {"lg2", "ftz", "special_function"},
    {"lg2", "f32", "compare @floating_multiply special_function floating"},
    {"sqrt", "approx ftz", "special_function"},
    {"sqrt", "approx", "compare @floating_multiply special_function floating_multiply"},
    // Operands near the limits of the range are another function's: BSSY, a branch over its call, BSYNC. In braces, what an operand of
    // zero executes there more than others: 34, 18 and 6 instructions of div, rcp and sqrt of f32, 64, 18 and 14 of f64. An H100 takes
    // 207, 142 and 75 cycles longer for it, 305, 148 and 138; denormal operands and results take up to three times as many
    // (tools/capture/rare_operands.cu).
    {"sqrt", "rn|rz|rm|rp f32",
     "+integer +special_function integer compare @branch { integer branch integer*2 @branch branch } "
     "+floating_multiply floating_multiply floating*2 branch"},
    {"sqrt", "f64",
     "+integer*4 +compare special_function +double_precision double_precision*7 branch { integer branch "
     "compare integer @branch double_precision @branch double_precision branch integer*4 branch } branch"},
    {"rsqrt", "ftz f64", "special_function"},
    {"rsqrt", "f64", "+integer*4 +compare special_function double_precision*5 branch branch"},
    {"rsqrt", "ftz f32", "special_function"},
    {"rsqrt", "f32", "compare @floating_multiply special_function floating_multiply"},
    {"rcp", "approx ftz", "special_function"},
    {"rcp", "approx f32", "+integer +compare compare integer*2 floating_multiply special_function floating_multiply"},
    {"rcp", "f64",
     "+integer*2 +compare special_function double_precision*5 branch { integer*2 branch double_precision "
     "integer @branch integer*2 compare integer*2 @branch branch integer*4 branch } branch"},
    {"rcp", "rn|rz|rm|rp f32",
     "+integer integer*2 compare @branch { integer branch integer*2 compare @branch integer compare floating "
     "special_function floating*2 branch*2 integer*2 branch*2 } special_function floating*3 branch"},
    {"div", "full ftz f32", "compare +floating_multiply @floating_multiply special_function floating_multiply"},
    {"div", "full f32",
     "+compare compare +floating_multiply*2 @floating_multiply floating_multiply special_function "
     "floating_multiply"},
    {"div", "approx ftz f32", "-special_function floating_multiply"},
    {"div", "approx f32", "compare +floating_multiply @floating_multiply special_function floating_multiply"},
    {"div", "f32",
     "+integer +special_function special_function floating*5 branch { integer branch integer*10 compare*2 "
     "@branch compare*3 @branch integer @branch compare*3 @branch integer*2 @branch integer branch*2 integer "
     "branch integer } branch"},
    {"div", "f64",
     "+integer*2 +compare special_function double_precision*8 floating compare @branch { integer branch "
     "compare integer*6 double_precision compare integer*2 special_function compare integer*4 "
     "double_precision*3 integer*3 double_precision*3 integer*4 double_precision integer*2 double_precision "
     "compare*2 double_precision @branch double_precision @branch double_precision @branch double_precision "
     "@branch compare integer*2 @branch compare integer compare integer*4 branch*2 integer*2 branch integer*2 "
     "} branch"},

    // Of 64 bits a call of a function: 68 instructions, 84 with signs, 64 and 78 of a remainder (ptxas 13.0 for sm_75 and sm_90). Where
    // both operands may have 32, the front end has written the branch and the shorter quotient.
    {"div", "u64",
     "+integer branch conversion special_function integer conversion wide_multiply integer_multiply*2 integer "
     "wide_multiply*2 integer wide_multiply integer_multiply*2 integer wide_multiply*2 integer +wide_multiply*5 "
     "+integer_multiply*3 +integer*24 +compare*3 wide_multiply*3 integer wide_multiply integer_multiply*2 "
     "integer compare integer compare*2 integer*2 branch +integer integer"},
    {"div", "s64",
     "+integer branch conversion special_function integer conversion wide_multiply integer_multiply*2 integer "
     "wide_multiply*2 integer wide_multiply integer_multiply*2 integer wide_multiply*2 integer +wide_multiply*5 "
     "+integer_multiply*3 +integer*37 +compare*6 wide_multiply*3 integer wide_multiply integer_multiply*2 "
     "integer compare integer compare*2 integer*2 branch +integer integer"},
    {"rem", "u64",
     "+integer branch conversion special_function integer conversion wide_multiply integer_multiply*2 integer "
     "wide_multiply*2 integer wide_multiply integer_multiply*2 integer wide_multiply*2 integer +wide_multiply*5 "
     "+integer_multiply*3 +integer*20 +compare*3 wide_multiply*3 integer wide_multiply integer_multiply*2 "
     "integer compare integer compare*2 integer*2 branch +integer integer"},
    {"rem", "s64",
     "+integer branch conversion special_function integer conversion wide_multiply integer_multiply*2 integer "
     "wide_multiply*2 integer wide_multiply integer_multiply*2 integer wide_multiply*2 integer +wide_multiply*5 "
     "+integer_multiply*3 +integer*32 +compare*5 wide_multiply*3 integer wide_multiply integer_multiply*2 "
     "integer compare integer compare*2 integer*2 branch +integer integer"},

    // LDGSTS, LDGDEPBAR, DEPBAR.LE; SYNCS and ARRIVES.LDGSTSBAR. A token's count is a shift and a mask.
    {"cp", "mbarrier", "mbarrier"},
    {"cp", "commit_group", "copy_commit"},
    {"cp", "wait_group|wait_all", "copy_wait"},
    {"cp", "", "async_copy"},
    {"mbarrier", "pending_count", "shift integer"},
    {"mbarrier", "", "mbarrier"},
};
static_assert(are_of_ptx(rows));

// ISETP, FSETP, VIMNMX3, VIADDMNMX.
constexpr FusionRow fusions[] = {
    {Fusion::multiply_wide_add, "wide_multiply"},
    {Fusion::scaled_wide_add, "wide_multiply"},
    {Fusion::product_halves, "wide_multiply"},
    {Fusion::carried_product_halves, "wide_multiply"},
    {Fusion::multiply_add_64, "+wide_multiply integer_multiply*2 integer"},
    {Fusion::short_multiply_add_64, "+wide_multiply integer_multiply integer"},
    {Fusion::compare_logic, "compare"},
    {Fusion::three_input_min_max, "min_max"},
    {Fusion::sum_min_max, "min_max"},
};

}  // namespace

LoweringTable hopper_table() {
  return {"hopper", "ptx", rows, shared_rows(), fusions, volta_rows(), volta_fusions(), false, {1, 1, 3}, true};
}

}  // namespace lockstep::machine
