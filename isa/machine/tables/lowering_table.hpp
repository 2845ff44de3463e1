#pragma once
// Tables that say which machine operations one instruction of a program becomes.

#include <algorithm>
#include <span>
#include <string_view>

#include "isa/machine/instruction.hpp"
#include "isa/ptx/opcodes.hpp"

namespace lockstep::machine {

/// One row. It applies when the opcode is equal and every word of `modifiers` is among the instruction's modifiers; a
/// word may list alternatives with '|', and with '~' what the modifier behind must be ("u64~u32|u16": to u64 from u32 or
/// u16). The first row that applies wins. `operations` is what the instruction becomes:
/// words of the form NAME or NAME*COUNT, with the names of name_of(Operation), in the order of issue. They are a
/// dependent chain, the last of which makes the result. "+NAME" stands beside the chain: it is issued when its operands,
/// those of the chain's next operation, are there, takes its unit, and nothing waits for it (the other half of a 64-bit
/// operation, a partial product that is ready before it is needed). "branch" goes over code for rare operands, to where lanes meet again, or
/// waits for them there; nothing is moved across it. That code may stand behind it, as "{ NAME ... }", a chain of its own: warps go through
/// it where the trace names lanes with rare operands. "-NAME" at the front reads the operands but the first,
/// which the last operation reads (the reciprocal of a divisor does not wait for the dividend). "@NAME" is guarded by the
/// result of the operation before it in the chain. "NAME|OTHER" is OTHER where its unit has less to do (schedule/unit_balance.hpp); "either" is
/// "integer|integer_multiply", an addition or move. "none" is a register renaming that costs nothing.
/// The modifier "literal" stands for a left shift of 32 bits, product or quotient by a literal, "again" for a
/// quotient or remainder whose divisor has a reciprocal already, "pair" for one of operands that have the other, "half" for
/// a 64-bit operation of which one half is left to compute (selection/halves.hpp); those of bit fields are in
/// selection/bit_fields.hpp. What an atomic becomes is the target's ScratchpadAtomics; its rows say only which ones the generation lacks.
struct LoweringRow {
  std::string_view opcode;
  std::string_view modifiers;
  std::string_view operations;
  /// The generation has no such instruction: it is timed as `operations`, and the replay says so.
  bool later_generation = false;
  /// Each of its operations goes through the data stage of the scratchpad once: see Instruction::data_stage_uses.
  bool through_data_stage = false;
  /// Its predicates are read as late as a guard: see Instruction::late_predicates.
  bool late_predicates = false;
};

/// Instructions that a generation's compiler makes one of. Where a pair matches several, the first applies.
enum class Fusion : std::uint8_t {
  scaled_add,              ///< A left shift, or product with a power of two, and an addition, of 32 bits.
  shift_add,               ///< A right shift by a literal and an addition, of 32 bits.
  funnel_add,              ///< A funnel shift by a literal and an addition, of 32 bits.
  multiply_add,            ///< mul.lo and add, of 32 bits.
  multiply24_add,          ///< mul24.lo and add.
  multiply_wide_add,       ///< mul.wide and add, of 64 bits.
  scaled_wide_add,         ///< The same by a power of two.
  scaled_wide,             ///< mul.wide by a power of two alone.
  product_halves,          ///< mul.hi and mul.lo of the same 32-bit factors.
  carried_product_halves,  ///< mad.lo.cc or madc.lo.cc, and madc.hi of the same factors behind it, unsigned.
  three_input_add,         ///< Two additions of at most 32 bits.
  three_input_add_64,      ///< Two additions of 64 bits.
  scaled_add_64,           ///< A left shift by a literal and an addition, of 64 bits.
  multiply_add_64,         ///< mul.lo and add, of 64 bits.
  short_multiply_add_64,   ///< The same with a factor of 32 bits (selection/halves.hpp).
  sign_extended_add_64,    ///< cvt.s64.s32 and an addition.
  three_input_logic,       ///< Logic operations of at most 32 bits that have three inputs together.
  three_input_logic_64,    ///< The same of 64 bits.
  funnel_shift,            ///< Two shifts of 32 bits (selection/funnel_shifts.hpp).
  rotation_64,             ///< Two shifts of a value of 64 bits that an addition joins.
  funnel_shift_64,         ///< Two other shifts of 64 bits.
  bit_field,               ///< A right shift and a mask, by literals.
  float_multiply_add,      ///< mul.f32 and add.f32 or sub.f32 that are contracted (ptx/contraction/contraction.hpp).
  double_multiply_add,     ///< The same of f64.
  half_multiply_add,       ///< The same of f16, bf16 and pairs of them.
  three_input_min_max,     ///< Two of min, or two of max, of 32-bit integers.
  sum_min_max,             ///< An addition or subtraction and a min or max of its result, of 32-bit integers.
  select_min_max,          ///< A comparison of 32-bit integers and a selection among the two.
  comparison_value,        ///< A comparison of f32 and a selection of one or zero by it.
  rounded_conversion,      ///< A rounding of f32 to a whole number and its conversion to an integer of 32 bits.
  highest_bit,             ///< 31 less the leading zeros of a word.
  saturation,              ///< A maximum of f32 with zero and the minimum of that and one.
  negated_sum,             ///< An addition or subtraction of 32 bits and the negation of its result.
  logic_test,              ///< A logic operation and a comparison of its result with zero.
  negated_operand,  ///< Sums and products take operands negated, logic takes them inverted: sub, neg and not pair too.
  signed_operand,   ///< f32 and f64 operations take operands negated or as absolute values.
  half_operand,     ///< A half that both operations of a pair take.
  extended_load,    ///< A narrow load and the conversion of what it has extended to 32 bits.
  compare_logic,    ///< A comparison and a logic operation on its predicate, of which nothing else reads the former.
  scratchpad_scaling,  ///< A product with 4, 8 or 16 that is only the address of accesses to the scratchpad.
  scratchpad_offset,   ///< An addition of a literal or of a variable's address that is only such an address.
  global_offset        ///< An addition of a literal that is only the address of accesses to other memory.
};

/// What such a pattern becomes: operations as in a LoweringRow, "none" when another instruction does it on its way.
struct FusionRow {
  Fusion pattern;
  std::string_view operations;
};

/// Integer operations in front of every kernel.
struct Prologue {
  std::uint32_t always = 0, with_global_memory = 0, with_scratchpad = 0;
};

/// The rows of one machine instruction set for one program instruction set: its own ones first, then those that it
/// shares with others.
struct LoweringTable {
  std::string_view machine, program;
  std::span<const LoweringRow> own, shared;
  std::span<const FusionRow> fusions;  ///< Its own.
  /// Of the generation before: behind its own, in front of the shared ones.
  std::span<const LoweringRow> inherited = {};
  std::span<const FusionRow> inherited_fusions = {};
  /// Kernel parameters and launch constants are operands; else each is loaded by an instruction.
  bool constants_are_operands = true;
  Prologue prologue = {};
  bool aggregates_atomics = false;  ///< See WarpAggregation.
  /// The program is machine code: its instructions are lowered one by one, in their order, and what they are is not chosen
  /// again.
  bool of_machine_code = false;
};

/// Whether PTX has every opcode that the rows name: asserted of each table of PTX.
constexpr bool are_of_ptx(std::span<const LoweringRow> rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const LoweringRow& row) { return ptx::find_opcode(row.opcode).has_value(); });
}

/// PTX where generations agree.
std::span<const LoweringRow> shared_rows();
/// Of PTX on Volta, and on Hopper where it has no other.
std::span<const LoweringRow> volta_rows();
/// Those of SASS, which is lowered for each machine instruction set.
std::span<const LoweringTable> sass_tables();
/// Of PTX on Fermi, and on Kepler, which fuses the same.
std::span<const FusionRow> fermi_fusions();
/// Of PTX on Volta and later.
std::span<const FusionRow> volta_fusions();

/// All tables.
std::span<const LoweringTable> lowering_tables();

}  // namespace lockstep::machine
