#pragma once
// Lowering: from a trace's static program to the machine instructions of one GPU generation, by table.

#include <string>
#include <vector>

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// How a generation performs atomics on scratchpad memory.
enum class ScratchpadAtomics : std::uint8_t {
  none,
  lock_loop,  ///< LDSLK, update, STSUL, branch: GT200, Fermi, Kepler.
  native      ///< Atomic units in the scratchpad; what they lack is a compare-and-swap loop: Maxwell and later.
};

/// In which order a generation's compiler leaves the instructions of a basic block.
enum class Schedule : std::uint8_t {
  program_order,  ///< As the program has them.
  list            ///< Loops of one block are unrolled, and what others wait for longest goes first (scheduling.hpp).
};

/// What the lowering must know about a GPU.
struct Target {
  std::string instruction_set;  ///< Name of the lowering table, see instruction_sets().
  ScratchpadAtomics scratchpad_atomics = ScratchpadAtomics::lock_loop;
  Schedule schedule = Schedule::program_order;
  unsigned load_counters = 0;  ///< See assign_load_counters; 0: every register knows when it is there.
};

/// Names of the machine instruction sets that have a table ("fermi", ...).
std::vector<std::string> instruction_sets();

/// InputError when the kernel has an instruction that the target cannot run (named, with its source line).
Program lower(const program::Kernel& kernel, const Target& target);

}  // namespace lockstep::machine
