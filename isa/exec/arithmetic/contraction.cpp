#include "isa/exec/arithmetic/contraction.hpp"

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec {

namespace {

/// The arithmetic of each instruction that has one, by its number in the program.
std::vector<Op*> arithmetic_by_instruction(Kernel& kernel) {
  std::vector<Op*> all;
  for (Op& op : kernel.ops) {
    if (op.step != nullptr) continue;
    if (op.instruction >= all.size()) all.resize(op.instruction + 1);
    all[op.instruction] = &op;
  }
  return all;
}

Arithmetic::Run fused(const ptx::Contraction& one, std::uint32_t& control) {
  const FusedSigns signs{one.negates_product, one.negates_addend};
  switch (one.type) {
    case ptx::Type::f32: return select_signed_fma_f32(one.flushes, one.saturates, signs);
    case ptx::Type::f64: return select_signed_fma_f64(signs);
    default: return select_signed_fma_half(one.type, one.flushes, one.saturates, signs, control);
  }
}

}  // namespace

void contract(Kernel& kernel, const std::vector<ptx::Contraction>& contractions) {
  if (contractions.empty()) return;
  const std::vector<Op*> by_instruction = arithmetic_by_instruction(kernel);
  for (const ptx::Contraction& one : contractions) {
    const Arithmetic& product = by_instruction.at(one.product)->arithmetic;
    Arithmetic& sum = by_instruction.at(one.sum)->arithmetic;
    const PlaneOffset addend = sum.source[one.addend];
    sum.source[0] = product.source[0];
    sum.source[1] = product.source[1];
    sum.source[2] = addend;
    sum.control = 0;
    sum.run = fused(one, sum.control);
  }
}

}  // namespace lockstep::exec
