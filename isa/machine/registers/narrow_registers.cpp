#include "isa/machine/registers/narrow_registers.hpp"

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

namespace {

/// Whether an instruction that computes writes no more than 32 bits.
bool writes_low_word(const Mnemonic& w) {
  using ptx::Opcode;
  if (w.opcode == Opcode::cvt && w.parts.size() == 3)
    return is_one_of(w.parts[1], {"u32", "s32", "b32"}) || (w.parts[1] == "u64" && w.parts[2] == "u32");
  return w.opcode != Opcode::mov && w.opcode != Opcode::cvt && !w.has("wide") && w.ends({"u32", "s32", "b32"});
}

}  // namespace

void narrow_registers(Program& program, const Selection& selection) {
  const program::Kernel& kernel = *program.kernel;
  std::vector<bool> narrow(kernel.register_bits.size()), wide(kernel.register_bits.size());
  for (std::size_t n = 0; n < kernel.instructions.size(); ++n) {
    const bool is_narrow = kernel.instructions[n].access == program::AccessKind::none &&
                           writes_low_word(Mnemonic(selection.instructions[n].mnemonic));
    for (const std::uint32_t d : kernel.instructions[n].destinations) (is_narrow ? narrow : wide)[d] = true;
  }
  for (std::size_t r = 0; r < narrow.size(); ++r)
    if (narrow[r] && !wide[r] && program.register_bits[r] == 64) program.register_bits[r] = 32;
}

}  // namespace lockstep::machine
