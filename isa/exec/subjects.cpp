#include "isa/exec/subjects.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "isa/error.hpp"
#include "isa/exec/arithmetic/rare_operands.hpp"
#include "isa/exec/matrix/matrix.hpp"
#include "isa/exec/steps.hpp"

namespace lockstep::exec {

namespace {

[[noreturn]] void refuse(Decoder& decoder) {
  decoder.fail("this instruction is not supported");
}
[[noreturn]] void refuse_video(Decoder& decoder) {
  decoder.fail("video instructions are not supported; use the corresponding scalar instructions");
}

// In the order of ptx::OpcodeClass.
constexpr std::array<void (*)(Decoder&), ptx::opcode_class_count> subjects{
    decode_arithmetic, decode_address,        decode_load_store, decode_prefetch, decode_copy,    decode_atomic,
    decode_texture,    decode_surface,        decode_exchange,   decode_matrix,   decode_barrier, decode_mbarrier,
    decode_control,    decode_without_effect, refuse_video,      refuse};
static_assert(subjects[static_cast<std::size_t>(ptx::OpcodeClass::barrier)] == decode_barrier);
static_assert(subjects[static_cast<std::size_t>(ptx::OpcodeClass::mbarrier)] == decode_mbarrier);
static_assert(subjects[static_cast<std::size_t>(ptx::OpcodeClass::other)] == refuse);

bool reads_clock(const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::special) return ptx::is_clock(operand.special);
  return std::any_of(operand.elements.begin(), operand.elements.end(), reads_clock);
}

}  // namespace

void decode_instruction(Decoder& decoder) {
  subjects[static_cast<std::size_t>(decoder.instruction().row().subject)](decoder);
}

void decode_kernel(Kernel& kernel, const VariablePlaces& places, const std::vector<bool>& records) {
  const ptx::Program& program = kernel.program;
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    kernel.functions.push_back(
        {FrameLayout(*program.functions[f]), 0, 0, program.is_recursive(f), places.frame_bytes[f]});
    kernel.functions.back().register_bytes = kernel.functions.back().layout.bytes();
  }
  kernel.blocks.resize(program.blocks.size());
  std::optional<Decoder> of_function;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const ptx::BasicBlock& from = program.blocks[b];
    Block& block = kernel.blocks[b];
    if (!of_function || of_function->function_number != from.function)
      of_function.emplace(kernel, places, from.function);
    Decoder& decoder = *of_function;
    block.first_op = static_cast<std::uint32_t>(kernel.ops.size());
    block.first_instruction = from.first;
    block.instructions = from.count;
    for (std::uint32_t n = from.first; n < from.first + from.count; ++n) {
      const ptx::Instruction& instruction = program.instruction(n);
      decoder.begin(instruction, n);
      if (std::any_of(instruction.operands.begin(), instruction.operands.end(), reads_clock)) {
        Op refresh = decoder.op;
        refresh.step = refresh_clock;
        refresh.arithmetic.control = from.function;
        kernel.ops.push_back(refresh);
      }
      if (instruction.needs_whole_warp) {
        Op together = decoder.op;
        together.step = matrix::require_whole_warp;
        kernel.ops.push_back(together);
      }
      decoder.op.records = records[n];
      decoder.op.receives = kernel.communication.receives[n];
      decoder.op.ends_turn = kernel.communication.ends_turn[n];
      decoder.op.sends = kernel.communication.sends[n];
      decode_instruction(decoder);
      if (decoder.op.records && instruction.row().subject == ptx::OpcodeClass::arithmetic) {
        Op note = decoder.op;
        note.step = note_rare_operands(decoder.opcode(), instruction.last_type() == ptx::Type::f64);
        kernel.ops.push_back(note);
        decoder.op.records = false;
      }
      const bool is_barrier = instruction.row().subject == ptx::OpcodeClass::barrier;
      if (decoder.op.records && decoder.op.memory == nullptr && !is_barrier) {
        throw Bug(fmt::format("{} is a memory access in the trace, but not for the functional machine",
                              instruction.mnemonic()));
      }
      kernel.ops.push_back(decoder.op);
    }
    block.end_op = static_cast<std::uint32_t>(kernel.ops.size());
  }
  for (FunctionFrame& function : kernel.functions) {
    function.offset = kernel.frame_bytes;
    kernel.frame_bytes += function.layout.bytes();
    for (const auto& special : function.layout.specials())
      kernel.uses_reserved_shared |= ptx::is_of_reserved_scratchpad(special.first);
  }
}

}  // namespace lockstep::exec
