#include "isa/machine/double_literals.hpp"

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "isa/machine/dominance.hpp"
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

/// A call, also that of a subroutine.
bool calls(const program::Kernel& kernel, std::uint32_t n) {
  const StaticInstruction& s = kernel.instructions[n];
  return s.control == program::Control::call || calls_subroutine(Mnemonic(kernel.strings[s.mnemonic]));
}

/// Goes through the basic blocks, each behind the one that all ways to it pass, and knows what literals are in registers then.
class Loads {
 public:
  Loads(const program::Kernel& kernel, const Selection& selection, std::vector<bool> in_registers)
      : kernel_(kernel),
        literals_(kernel, selection),
        dominance_(kernel.blocks),
        in_registers_(std::move(in_registers)),
        found_(kernel.instructions.size()),
        behind_(kernel.blocks.size()),
        calls_until_(kernel.blocks.size() + 1) {
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
      calls_until_[b + 1] = calls_until_[b] + has_call(b);
      if (const auto above = dominance_.nearest(b)) behind_[*above].push_back(b);
    }
  }

  std::vector<DoubleLiterals> find() && {
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (!dominance_.nearest(b)) visit_all_behind(b);
    return std::move(found_);
  }

 private:
  /// A block that has been gone through, and what has to be undone when all behind it have been.
  struct Visit {
    std::uint32_t block, period;
    std::size_t undone_to, next = 0;
  };

  void visit_all_behind(std::uint32_t first) {
    std::vector<Visit> visits = {visit(first, ++last_period_)};
    while (!visits.empty()) {
      Visit& here = visits.back();
      if (here.next < behind_[here.block].size()) {
        const std::uint32_t b = behind_[here.block][here.next++];
        visits.push_back(visit(b, keeps_literals(here.block, b) ? here.period : ++last_period_));
        continue;
      }
      for (; undo_.size() > here.undone_to; undo_.pop_back()) period_of_[undo_.back().first] = undo_.back().second;
      visits.pop_back();
    }
  }

  Visit visit(std::uint32_t b, std::uint32_t period) {
    const std::size_t undone_to = undo_.size();
    const program::StaticBlock& block = kernel_.blocks[b];
    if (in_registers_[b]) return {b, ++last_period_, undone_to};
    for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
      for (const std::uint64_t literal : literals_.of(n)) {
        found_[n].read.push_back(literal);
        std::uint32_t& loaded = period_of_[literal];
        if (loaded == period) continue;
        found_[n].loaded.push_back(literal);
        undo_.emplace_back(literal, loaded);
        loaded = period;
      }
      if (calls(kernel_, n)) period = ++last_period_;
    }
    return {b, period, undone_to};
  }

  /// From the end of `above` to the begin of `b`.
  bool keeps_literals(std::uint32_t above, std::uint32_t b) const {
    return above < b && !dominance_.begins_loop(b) && calls_until_[b] == calls_until_[above + 1];
  }
  bool has_call(std::uint32_t b) const {
    for (std::uint32_t i = 0; i < kernel_.blocks[b].count; ++i)
      if (calls(kernel_, kernel_.blocks[b].first + i)) return true;
    return false;
  }

  const program::Kernel& kernel_;
  const Literals literals_;
  const Dominance dominance_;
  const std::vector<bool> in_registers_;
  std::vector<DoubleLiterals> found_;
  /// Of each block: those of which it is the nearest that all ways pass.
  std::vector<std::vector<std::uint32_t>> behind_;
  std::vector<std::uint32_t> calls_until_;  ///< Of each block: those before it in the program that call.
  /// Literals that are loaded in one period, which a call ends, are all in registers.
  std::uint32_t last_period_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> period_of_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> undo_;
};

}  // namespace

std::vector<DoubleLiterals> double_literals(const program::Kernel& kernel, const Selection& selection) {
  const Literals literals(kernel, selection);
  std::vector<bool> in_registers(kernel.blocks.size());
  for (std::uint32_t last = 0; last < kernel.blocks.size(); ++last)
    for (const std::uint32_t first : kernel.blocks[last].successors) {
      if (first > last || literals.of_blocks(first, last).size() > most_in_registers) continue;
      for (std::uint32_t b = first; b <= last; ++b) in_registers[b] = true;
    }
  return Loads(kernel, selection, std::move(in_registers)).find();
}

}  // namespace lockstep::machine
