#pragma once
// A kernel whose instructions pass through the checks before they execute.

#include <array>
#include <vector>

#include "isa/exec/checks/check.hpp"
#include "isa/exec/kernel.hpp"
#include "isa/exec/memory/variables.hpp"

namespace lockstep::exec {

/// From what an access computes its address, and where that lies.
struct ArrayBase {
  const ptx::Variable* variable = nullptr;  ///< Space param: a parameter of the kernel. Null: not known.
  Place place;                              ///< Not of a parameter.
};

/// How an access takes part in the order of memory (PTX ISA, memory consistency model).
struct MemoryOrder {
  bool reads = false;   ///< All but a store; a copy, which has two accesses, says it of its source.
  bool strong = false;  ///< Atomic, volatile, relaxed, acquire, release; or .cv, .cg or .wt, which L1 does not answer.
  bool acquires = false, releases = false;  ///< By itself, without a fence.
  bool wide = true;  ///< What it releases is for other thread blocks, too: its scope is not .cta.
};

/// Per instruction of the program.
struct CheckedKernel {
  CheckSet checks;
  std::vector<Step> steps;                      ///< What the instruction does after its checks; null: it has none.
  std::vector<std::array<ArrayBase, 2>> bases;  ///< Of Op::memory[0], and of Op::memory[1] of a copy.
  std::vector<MemoryOrder> orders;
  std::uint64_t local_array_bytes = 0;  ///< Per thread; behind them lie param variables of calls.
  bool uses_heap = false;               ///< Its module calls malloc or free.
};

/// Puts the checks in front of the instructions that they look at; all others execute as without them.
void add_checks(Kernel& kernel, const VariablePlaces& places, CheckSet checks);

}  // namespace lockstep::exec
