#include "isa/machine/call_lowering.hpp"

namespace lockstep::machine {

namespace {

int bytes_of(const StackFrame& frame) {
  return static_cast<int>(frame.words * 4);
}

Instruction on_stack(const Emitter& emitter, Operation operation, std::uint32_t word, int step) {
  Instruction i = emitter.make(operation);
  i.takes_access = i.on_stack = true;
  i.space = program::MemorySpace::local;
  i.element_bytes = 4;
  i.entry_shift = static_cast<std::int32_t>(word * 4);
  i.stack_step = step;
  return i;
}

}  // namespace

void begin_function(Emitter& emitter, const program::Kernel& kernel, const CallConvention& convention,
                    std::uint32_t block, std::uint32_t for_global_memory) {
  emitter.begin(kernel.blocks[block].first);
  if (const StackFrame* frame = convention.frame_at(block)) {
    emitter.emit_bare(Operation::integer, 1);
    for (std::uint32_t word = 0; word < frame->words; ++word)
      emitter.emit(on_stack(emitter, Operation::global_store, word, word == 0 ? bytes_of(*frame) : 0));
    emitter.emit_bare(Operation::integer, frame->barriers);
  }
  for (std::uint32_t b = block; b < convention.end_of_function(block); ++b)
    for (std::uint32_t n = 0; n < kernel.blocks[b].count; ++n)
      if (may_access(kernel.instructions[kernel.blocks[b].first + n], program::MemorySpace::global))
        return emitter.emit_bare(Operation::integer, for_global_memory);
}

void prepare_call(Emitter& emitter) {
  const program::StaticInstruction& s = emitter.current();
  if (s.callees.empty()) return;
  const bool diverges = !s.operands.empty() && !emitter.has("uni");
  emitter.emit_bare(Operation::integer, diverges ? 4 : 2);
}

void lower_return(Emitter& emitter, const StackFrame& frame) {
  Instruction i = emitter.make(Operation::branch);
  emitter.read_all(i);
  emitter.write_all(i);
  if (emitter.current().guard != program::no_register) return emitter.emit(i);
  emitter.emit_bare(Operation::integer, frame.barriers);
  for (std::uint32_t word = frame.words; word-- > 0;) {
    Instruction load = on_stack(emitter, Operation::global_load, word, word == 0 ? -bytes_of(frame) : 0);
    Emitter::write(load, emitter.temporary());
    if (word < 4) Emitter::link(i, load.destinations[0]);
    emitter.emit(load);
  }
  emitter.emit_bare(Operation::integer, 1);
  emitter.emit(i);
}

}  // namespace lockstep::machine
