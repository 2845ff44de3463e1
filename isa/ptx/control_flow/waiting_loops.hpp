#pragma once
// Loops in which threads wait for others, and instructions for which the lanes of a warp come together.

namespace lockstep::ptx {

struct Instruction;
struct Module;
struct Program;

/// Whether lanes of a warp that execute apart take turns. ptxas keeps the order that GPUs before Volta have in modules for
/// targets before sm_70, on later GPUs too: nowhere does it put a YIELD there, and lanes that leave a loop wait for the others.
bool has_independent_threads(const Module& module);

/// Marks loops that may be left only once another thread has done something: a branch out of the loop depends on what an atomic, a
/// volatile, relaxed, acquire, .cv or .cg load, or a wait at an mbarrier in the loop returns. ptxas 13.0 has a YIELD in
/// them. None where threads are not independent. Values are followed from register to register, and through scratchpad and local memory, each of which as a whole counts
/// as one variable; results of calls of functions with such an instruction are taken to decide. Whether there are any.
bool mark_waiting_loops(Program& program);

/// Whether lanes of a warp execute the instruction together: a barrier, an exchange of registers but for activemask, a matrix.
bool gathers(const Instruction& instruction);

}  // namespace lockstep::ptx
