#pragma once
// A kernel with every device function it can reach, laid out as one array of instructions cut into basic blocks.
// The functional machine, the trace and the timing model all number blocks and instructions as this does.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/ptx/control_flow/meeting.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

/// Instructions [first, first + count) of the program. A block ends at a branch, call, ret, exit or trap, after a
/// predicated one too, and before every branch target; in programs with loops that wait for other threads also in front of an
/// instruction that lanes execute together (control_flow/waiting_loops.hpp), behind a memory access. The end of a predicated ret, exit or trap leads to the next
/// block only: the lanes that leave there do not come back, so they do not count for reconvergence.
struct BasicBlock {
  std::uint32_t first = 0, count = 0;
  std::uint32_t function = 0;  ///< Index into Program::functions.
  /// Program-wide block numbers, each once: the next block first when control can fall through to it, then the targets
  /// in the order written. A call leads to the next block; ret, exit and trap have none.
  std::vector<std::uint32_t> successors;
  /// What all lanes pass that diverge at the end of this block: the immediate post-dominator, or no_index when that is the end
  /// of the function.
  std::uint32_t reconvergence = no_index;
  std::uint32_t meets = no_index;  ///< Where they meet again, see control_flow/; the end of the function: no_index.
  std::uint32_t loop = no_index;   ///< The innermost one that it is in: Program::loops.
  bool nounroll = false;           ///< Its text has .pragma "nounroll", which holds for the loop that begins with it.
};

struct Program {
  const Module* module = nullptr;          ///< Outlives the program.
  std::vector<const Function*> functions;  ///< [0] is the entry; then callees in order of first reference.
  std::vector<std::shared_ptr<const Function>> expansions;  ///< Those of `functions` that are not the module's own.
  std::vector<std::uint32_t> first_instruction;             ///< Per function.
  std::vector<std::uint32_t> first_block;                   ///< Per function: the block of its first instruction.
  std::vector<std::uint32_t> first_register;  ///< Per function: added to its RegisterIds in the static program.
  std::vector<BasicBlock> blocks;             ///< In order of instructions.
  std::vector<Loop> loops;                    ///< Of all functions.
  std::uint32_t instruction_count = 0;
  /// Per function: those with the same number call each other, or themselves, in a cycle; no_index: none calls it again
  /// before it returns.
  std::vector<std::uint32_t> recursion;
  /// What each call of the program may call, see callees().
  std::unordered_map<const Instruction*, std::vector<std::uint32_t>> call_targets;

  /// The functions that a call may call. Of a call through a register: those whose address the module takes, and which take
  /// and return what the call passes. None of a function of runtime_functions.hpp.
  std::span<const std::uint32_t> callees(const Instruction& call) const;
  bool is_recursive(std::uint32_t function) const { return recursion[function] != no_index; }
  const Instruction& instruction(std::uint32_t number) const;
  std::uint32_t function_of(std::uint32_t instruction) const;
  std::uint32_t block_at(std::uint32_t instruction) const;  ///< The block that holds the instruction.
  /// The number of the function in `functions`, or no_index.
  std::uint32_t find_function(std::string_view name) const;
};

/// The functions of a module whose address an instruction or an initial value takes, in the order of its text.
std::vector<const Function*> addressed_functions(const Module& module);

/// What a program has where the text has wmma.
enum class WmmaAs : std::uint8_t {
  expansion,  ///< The instructions that stand for it (wmma/expansion.hpp), as it is executed and replayed.
  written     ///< The instruction itself, for what changes the text. Basic blocks have the same numbers.
};

/// Collects `entry` and its callees, those of runtime_functions.hpp not included. InputError when the entry or a callee
/// that is named is missing.
Program link(const Module& module, std::string_view entry, WmmaAs wmma = WmmaAs::expansion);

/// Largest number of 32-bit registers that are live at once anywhere in the program, predicates not counted: an
/// estimate of what a register allocator needs, used where no measured count is given.
unsigned max_live_registers(const Program& program);

}  // namespace lockstep::ptx
