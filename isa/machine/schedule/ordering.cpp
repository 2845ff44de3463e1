#include "isa/machine/schedule/ordering.hpp"

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

using program::MemorySpace;

bool is_memory(const Instruction& i) {
  return i.operation >= Operation::scratchpad_load && i.operation <= Operation::async_copy;
}
static bool only_reads(const Instruction& i) {
  switch (i.operation) {
    case Operation::scratchpad_load:
    case Operation::global_load:
    case Operation::constant_load:
    case Operation::texture_load: return true;
    default: return false;
  }
}
bool reads_constant_memory(const Instruction& i) {
  return i.operation == Operation::constant_load || i.operation == Operation::texture_load ||
         (i.operation == Operation::global_load && i.cache_operator == CacheOperator::read_only) ||
         i.space == MemorySpace::param;
}
/// Two copies of a warp stay in order; one reads global memory and writes the scratchpad.
static bool may_meet_copy(const Instruction& other) {
  if (other.operation == Operation::async_copy) return true;
  const bool scratchpad = other.space == MemorySpace::shared || other.space == MemorySpace::generic;
  return scratchpad || !only_reads(other);
}
bool may_meet(const Instruction& a, const Instruction& b) {
  if (a.operation == Operation::async_copy) return may_meet_copy(b);
  if (b.operation == Operation::async_copy) return may_meet_copy(a);
  if (a.cache_operator == CacheOperator::refetch || b.cache_operator == CacheOperator::refetch) return true;
  if (only_reads(a) && only_reads(b)) return false;
  if (reads_constant_memory(a) || reads_constant_memory(b)) return false;
  return a.space == b.space || a.space == MemorySpace::generic || b.space == MemorySpace::generic;
}

bool is_barrier(const program::Kernel& kernel, const Instruction& i) {
  const std::optional<ptx::Opcode> opcode =
      Mnemonic(kernel.strings[kernel.instructions[i.static_index].mnemonic]).opcode;
  return opcode == ptx::Opcode::bar || opcode == ptx::Opcode::barrier;
}

bool is_wall(const program::Kernel& kernel, const Instruction& i) {
  if (i.operation == Operation::load_lock || i.operation == Operation::store_unlock || i.cas_loop) return true;
  if (i.skips || i.on_stack) return true;
  if (i.operation == Operation::mbarrier || i.operation == Operation::copy_commit ||
      i.operation == Operation::copy_wait)
    return true;
  if (i.only_own_space && i.space != MemorySpace::param) return true;
  if (is_barrier(kernel, i)) return false;
  const program::StaticInstruction& s = kernel.instructions[i.static_index];
  if (s.control != program::Control::none || s.reads_clock) return true;
  const Mnemonic w(kernel.strings[s.mnemonic]);
  return w.has("acquire") || w.has("release") || w.has("acq_rel");
}

}  // namespace lockstep::machine
