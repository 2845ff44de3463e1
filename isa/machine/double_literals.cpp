#include "isa/machine/double_literals.hpp"

#include <optional>
#include <set>

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;

constexpr std::size_t most_in_registers = 4;  ///< Of a loop.

/// The literals of an instruction that it cannot hold, without their signs.
class Literals {
 public:
  Literals(const program::Kernel& kernel, const Selection& selection) : kernel_(kernel), selection_(selection) {}

  std::set<std::uint64_t> of(std::uint32_t n) const {
    std::set<std::uint64_t> found;
    const StaticInstruction& s = kernel_.instructions[n];
    const Mnemonic w(kernel_.strings[s.mnemonic]);
    if (!w.opcode || !w.ends({"f64"}) || selection_.instructions[n].removed) return found;
    if (!is_one_of(*w.opcode, {Opcode::add, Opcode::sub, Opcode::mul, Opcode::fma, Opcode::mad, Opcode::setp}))
      return found;
    for (const SourceOperand& operand : s.operands) {
      std::optional<std::uint64_t> bits;
      if (operand.kind == SourceOperand::Kind::literal) bits = operand.value;
      if (operand.kind == SourceOperand::Kind::reg) bits = selection_.literals[operand.value];
      if (bits && static_cast<std::uint32_t>(*bits) != 0) found.insert(*bits << 1);
    }
    return found;
  }

  std::set<std::uint64_t> of_blocks(std::uint32_t first, std::uint32_t last) const {
    std::set<std::uint64_t> all;
    for (std::uint32_t b = first; b <= last; ++b)
      for (std::uint32_t i = 0; i < kernel_.blocks[b].count; ++i) all.merge(of(kernel_.blocks[b].first + i));
    return all;
  }

 private:
  const program::Kernel& kernel_;
  const Selection& selection_;
};

}  // namespace

std::vector<std::vector<std::uint64_t>> double_literals_before(const program::Kernel& kernel,
                                                               const Selection& selection) {
  const Literals literals(kernel, selection);
  std::vector<bool> in_registers(kernel.blocks.size());
  for (std::uint32_t last = 0; last < kernel.blocks.size(); ++last)
    for (const std::uint32_t first : kernel.blocks[last].successors) {
      if (first > last || literals.of_blocks(first, last).size() > most_in_registers) continue;
      for (std::uint32_t b = first; b <= last; ++b) in_registers[b] = true;
    }
  std::vector<std::vector<std::uint64_t>> before(kernel.instructions.size());
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    if (in_registers[b]) continue;
    std::set<std::uint64_t> known;
    for (std::uint32_t n = kernel.blocks[b].first; n < kernel.blocks[b].first + kernel.blocks[b].count; ++n)
      for (const std::uint64_t literal : literals.of(n))
        if (known.insert(literal).second) before[n].push_back(literal);
  }
  return before;
}

}  // namespace lockstep::machine
