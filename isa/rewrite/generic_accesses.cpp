#include "isa/rewrite/generic_accesses.hpp"

#include "isa/analysis/affine.hpp"
#include "isa/ptx/access.hpp"

namespace lockstep::rewrite {

namespace {

bool makes_generic_addresses(const ptx::Program& program) {
  for (const ptx::Function* function : program.functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      const bool converts = instruction.opcode == ptx::Opcode::cvta && !instruction.has("to");
      if (converts && ptx::NamedSpaces(instruction).has_own_scratchpad()) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<GenericAccess> find_generic_accesses(const ptx::Program& program) {
  std::vector<GenericAccess> result(program.instruction_count, GenericAccess::elsewhere);
  if (!makes_generic_addresses(program)) return result;
  analysis::AddressAnalysis analysis(program);
  for (const analysis::AccessAddress& access : analysis.accesses()) {
    if (!access.generic) continue;
    result[access.instruction] = access.proven_shared      ? GenericAccess::scratchpad
                                 : access.proven_elsewhere ? GenericAccess::elsewhere
                                                           : GenericAccess::unknown;
  }
  return result;
}

}  // namespace lockstep::rewrite
