// PTX on Hopper (compute capability 9.0), as ptxas 13.0 writes it. Arithmetic is as on Volta. A shared array begins at an address
// that the SM holds in a register: LEA scales an index, not LDS or STS; their offset stays an immediate. No
// instruction takes a kernel parameter or a launch constant as an operand: each is loaded first, by LDC or ULDC. ISETP
// and FSETP combine their result with another predicate. Every kernel begins with a load of its stack pointer, of the descriptor of
// global memory where it has any, and with three instructions that make the address of shared memory.

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr FusionRow fusions[] = {
    {Fusion::scaled_add, "integer"},
    {Fusion::multiply_add, "integer_multiply"},
    {Fusion::multiply_wide_add, "integer_multiply"},
    {Fusion::scaled_wide_add, "integer_multiply"},
    {Fusion::three_input_add, "integer"},
    {Fusion::three_input_logic, "integer"},
    {Fusion::compare_logic, "compare"},
    {Fusion::scratchpad_offset, "none"},
    {Fusion::global_offset, "none"},
};

}  // namespace

LoweringTable hopper_table() {
  return {"hopper", "ptx", {}, shared_rows(), fusions, volta_rows(), false, {1, 1, 3}};
}

}  // namespace lockstep::machine
