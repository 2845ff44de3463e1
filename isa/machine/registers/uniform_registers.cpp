#include "isa/machine/registers/uniform_registers.hpp"

#include <algorithm>
#include <optional>

#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/uniformity.hpp"

namespace lockstep::machine {

namespace {

/// Whether the uniform datapath has an operation like that of PTX: on integers and predicates.
bool has_uniform_operation(const Mnemonic& w) {
  using ptx::Opcode;
  if (!w.opcode || w.has("f16") || w.has("f32") || w.has("f64")) return false;
  return is_one_of(*w.opcode, {Opcode::mov, Opcode::cvta, Opcode::cvt, Opcode::add, Opcode::sub, Opcode::mul,
                               Opcode::mad, Opcode::neg, Opcode::shl, Opcode::shr, Opcode::and_, Opcode::or_,
                               Opcode::xor_, Opcode::not_, Opcode::setp, Opcode::selp});
}

/// What IMAD.WIDE adds to the product of a register and a literal. It has one operand that need not be in the register file, and
/// that is the literal: ptxas 13.0 for sm_90 loads the base of an array for it (LDC.64 R2; IMAD.WIDE R4, R0, 0x4, R2).
std::optional<std::uint16_t> addend_beside_literal(const Program& program, const Instruction& i) {
  if (i.operation != Operation::wide_multiply || i.source_count != 2) return std::nullopt;
  const program::Kernel& kernel = *program.kernel;
  const auto opcode = Mnemonic(kernel.strings[kernel.instructions[i.static_index].mnemonic]).opcode;
  if (!opcode || !is_one_of(*opcode, {ptx::Opcode::add, ptx::Opcode::mad})) return std::nullopt;
  const std::uint16_t addend = i.sources[1];
  return program.register_bits[addend] == 64 ? std::optional(addend) : std::nullopt;
}

}  // namespace

void use_uniform_registers(Program& program) {
  const program::Kernel& kernel = *program.kernel;
  const auto& blocks = kernel.blocks;
  const bool unknown = std::all_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.successors.empty(); });
  if (blocks.size() > 1 && unknown) return;
  const Uniformity uniformity(kernel);
  std::vector<bool> uniform(kernel.register_bits.size());  // No instruction was seen to write it elsewhere.
  for (const program::StaticInstruction& s : kernel.instructions)
    for (const std::uint32_t reg : s.destinations) uniform[reg] = uniformity.uniform(reg);
  const auto writes_uniform_registers = [&](const program::StaticInstruction& s) {
    if (s.guard != program::no_register) return false;
    if (s.access == program::AccessKind::load)
      return (s.space == program::MemorySpace::constant || s.space == program::MemorySpace::param) &&
             (s.address_register == program::no_register || uniformity.uniform(s.address_register));
    return s.access == program::AccessKind::none && has_uniform_operation(Mnemonic(kernel.strings[s.mnemonic])) &&
           std::all_of(s.sources.begin(), s.sources.end(), [&](std::uint32_t reg) { return uniform[reg]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const program::StaticInstruction& s : kernel.instructions) {
      if (writes_uniform_registers(s)) continue;
      for (const std::uint32_t reg : s.destinations) {
        changed = changed || uniform[reg];
        uniform[reg] = false;
      }
    }
  }
  std::vector<std::uint16_t> bases;
  const auto is_uniform = [&](std::uint32_t reg) { return reg < uniform.size() && uniform[reg]; };
  for (const Instruction& i : program.instructions)
    if (const auto addend = addend_beside_literal(program, i); addend && !is_uniform(i.sources[0]))
      bases.push_back(*addend);
  for (const std::uint16_t reg : bases)
    if (reg < uniform.size()) uniform[reg] = false;
  for (std::size_t reg = 0; reg < uniform.size(); ++reg)
    if (uniform[reg]) program.register_bits[reg] = 1;
}

}  // namespace lockstep::machine
