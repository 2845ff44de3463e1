#include "isa/machine/schedule/uniformity.hpp"

#include <algorithm>

namespace lockstep::machine {

using program::AccessKind;
using program::MemorySpace;
using program::SourceOperand;
using program::StaticInstruction;

Uniformity::Uniformity(const program::Kernel& kernel, Among among)
    : kernel_(kernel), divergent_(kernel.register_bits.size()), writers_(kernel.register_bits.size()) {
  for (const StaticInstruction& s : kernel.instructions)
    for (const std::uint32_t d : s.destinations) writers_[d] = static_cast<std::uint8_t>(std::min(2, writers_[d] + 1));
  for (bool changed = true; changed;) {
    changed = false;
    for (const StaticInstruction& s : kernel.instructions) {
      if (!computes_divergent(s)) continue;
      for (const std::uint32_t d : s.destinations) {
        changed = changed || !divergent_[d];
        divergent_[d] = true;
      }
    }
    for (std::uint32_t b = 0; among == Among::all && b < kernel.blocks.size(); ++b) {
      const program::StaticBlock& block = kernel.blocks[b];
      if (block.count == 0 || block.successors.size() < 2) continue;
      const StaticInstruction& last = kernel.instructions[block.first + block.count - 1];
      if (std::any_of(last.sources.begin(), last.sources.end(), [&](std::uint32_t r) { return divergent_[r]; }))
        changed = diverge_between(b) || changed;
    }
  }
}

bool Uniformity::computes_divergent(const StaticInstruction& s) const {
  const bool loads = s.access == AccessKind::load && s.space != MemorySpace::local && s.space != MemorySpace::texture;
  if (s.access != AccessKind::none && s.access != AccessKind::barrier && !loads) return true;
  if (s.reads_special_register && std::none_of(s.operands.begin(), s.operands.end(), [](const SourceOperand& o) {
        return o.kind == SourceOperand::Kind::launch_constant || o.kind == SourceOperand::Kind::block_constant;
      }))
    return true;
  return std::any_of(s.sources.begin(), s.sources.end(), [&](std::uint32_t r) { return divergent_[r]; });
}

bool Uniformity::diverge_between(std::uint32_t block) {
  const std::uint32_t end = kernel_.blocks[block].reconvergence;
  std::vector<bool> seen(kernel_.blocks.size());
  std::vector<std::uint32_t> open = kernel_.blocks[block].successors;
  bool changed = false;
  while (!open.empty()) {
    const std::uint32_t b = open.back();
    open.pop_back();
    if (b == end || seen[b]) continue;
    seen[b] = true;
    const program::StaticBlock& between = kernel_.blocks[b];
    for (std::uint32_t i = between.first; i < between.first + between.count; ++i)
      for (const std::uint32_t d : kernel_.instructions[i].destinations) {
        if (writers_[d] < 2 || divergent_[d]) continue;
        divergent_[d] = true;
        changed = true;
      }
    open.insert(open.end(), between.successors.begin(), between.successors.end());
  }
  return changed;
}

}  // namespace lockstep::machine
