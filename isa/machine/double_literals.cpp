#include "isa/machine/double_literals.hpp"

#include <algorithm>
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

/// Of each basic block the nearest one that all ways to it lead through, or no_block: of the first, and of one to which a way goes
/// back. Blocks stand in the order in which they are reached first.
std::vector<std::uint32_t> dominators(const program::Kernel& kernel) {
  std::vector<std::vector<std::uint32_t>> predecessors(kernel.blocks.size());
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (const std::uint32_t next : kernel.blocks[b].successors) predecessors[next].push_back(b);
  std::vector<std::uint32_t> nearest(kernel.blocks.size(), program::no_block);
  for (std::uint32_t b = 1; b < kernel.blocks.size(); ++b) {
    std::uint32_t found = predecessors[b].empty() ? program::no_block : predecessors[b][0];
    for (std::uint32_t one : predecessors[b]) {
      if (one >= b) found = program::no_block;
      while (found != program::no_block && found != one) {
        std::uint32_t& later = found > one ? found : one;
        later = nearest[later];
        if (one == program::no_block) found = program::no_block;
      }
    }
    nearest[b] = found;
  }
  return nearest;
}

/// A call, also that of a subroutine for the rare operands of a quotient or root.
bool calls(const program::Kernel& kernel, std::uint32_t n) {
  const StaticInstruction& s = kernel.instructions[n];
  const Mnemonic w(kernel.strings[s.mnemonic]);
  return s.control == program::Control::call ||
         (w.opcode && is_one_of(*w.opcode, {Opcode::div, Opcode::rem, Opcode::rcp, Opcode::sqrt}) && !w.has("approx"));
}

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
  const std::vector<std::uint32_t> through = dominators(kernel);
  const auto block_calls = [&](const program::StaticBlock& block) {
    for (std::uint32_t i = 0; i < block.count; ++i)
      if (calls(kernel, block.first + i)) return true;
    return false;
  };
  std::vector<std::set<std::uint64_t>> known(kernel.blocks.size());  // At the end of each block.
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    if (in_registers[b]) continue;
    if (through[b] != program::no_block &&
        std::none_of(kernel.blocks.begin() + through[b] + 1, kernel.blocks.begin() + b, block_calls))
      known[b] = known[through[b]];
    for (std::uint32_t n = kernel.blocks[b].first; n < kernel.blocks[b].first + kernel.blocks[b].count; ++n) {
      for (const std::uint64_t literal : literals.of(n))
        if (known[b].insert(literal).second) before[n].push_back(literal);
      if (calls(kernel, n)) known[b].clear();
    }
  }
  return before;
}

}  // namespace lockstep::machine
