#include "isa/machine/selection/reciprocals.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "isa/machine/dominance.hpp"

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using Kind = SourceOperand::Kind;

/// A literal, or what a register holds. One that several instructions write is the same value within a basic block as
/// long as none of them stands between.
struct Value {
  bool literal;
  std::uint64_t value;  ///< Of the literal, or the register's number.
  std::uint32_t block = program::DataFlow::none,
                writes = 0;  ///< Of such a register: the block, and the writes in it before.
  auto operator<=>(const Value&) const = default;
};

/// A sine or cosine.
struct Angle {
  std::uint32_t block;
  Value value;
};

struct Division {
  std::uint32_t instruction, block;
  bool is_signed;
  std::optional<Value> dividend;
  Value divisor;
};

class Sharing {
 public:
  explicit Sharing(SelectionDraft& draft) : draft_(draft), writers_(draft.registers()) {
    for (std::uint32_t b = 0; b < draft.blocks().size(); ++b)
      for_each(b, [&](std::uint32_t i) {
        for (const std::uint32_t reg : draft.at(i).destinations) writers_[reg].push_back(b);
      });
  }

  void run() {
    for (std::uint32_t b = 0; b < draft_.blocks().size(); ++b) find(b);
    if (divisions_.empty() && angles_.empty()) return;
    const Dominance dominance(draft_.blocks());
    for (auto angle = angles_.begin(); angle != angles_.end(); ++angle)
      if (std::any_of(angles_.begin(), angle, [&](const auto& other) {
            return other.second.value == angle->second.value &&
                   dominance.passes(angle->second.block, other.second.block);
          }))
        mark(angle->first, ".again");
    for (auto division = divisions_.begin(); division != divisions_.end(); ++division) {
      const auto before = [&](bool same_dividend) {
        return std::any_of(divisions_.begin(), division, [&](const Division& other) {
          return other.is_signed == division->is_signed && other.divisor == division->divisor &&
                 (!same_dividend || (other.dividend && other.dividend == division->dividend)) &&
                 dominance.passes(division->block, other.block);
        });
      };
      const bool again = before(false) || dominance.loop_separates(division->block, writers(division->divisor));
      if (const bool pair = before(true); pair || again) mark(division->instruction, pair ? ".pair" : ".again");
    }
  }

 private:
  void for_each(std::uint32_t block, const auto& apply) const {
    const program::StaticBlock& of = draft_.blocks()[block];
    for (std::uint32_t i = of.first; i < of.first + of.count; ++i) apply(i);
  }

  /// Of an operand in a block, where each register was written so often before.
  std::optional<Value> value(const SourceOperand& operand, std::uint32_t block,
                             const std::map<std::uint32_t, std::uint32_t>& writes) const {
    if (const auto literal = draft_.literal(operand)) return Value{true, *literal};
    if (operand.kind != Kind::reg) return {};
    const auto reg = static_cast<std::uint32_t>(operand.value);
    if (writers_[reg].size() <= 1) return Value{false, reg};
    const auto before = writes.find(reg);
    return Value{false, reg, block, before == writes.end() ? 0 : before->second};
  }

  /// The blocks in which the value is written; none for a literal.
  const std::vector<std::uint32_t>& writers(const Value& of) const {
    static const std::vector<std::uint32_t> nowhere;
    return of.literal ? nowhere : writers_[of.value];
  }

  /// The divisions and angles of a block.
  void find(std::uint32_t block) {
    std::map<std::uint32_t, std::uint32_t> writes;
    for_each(block, [&](std::uint32_t i) {
      const Mnemonic w = draft_.words(i);
      const auto& operands = draft_.at(i).operands;
      if (!draft_.chosen(i).removed && w.opcode && operands.size() == 1 &&
          is_one_of(*w.opcode, {ptx::Opcode::sin, ptx::Opcode::cos}))
        if (const auto angle = value(operands[0], block, writes)) angles_.push_back({i, {block, *angle}});
      if (!draft_.chosen(i).removed && w.opcode && operands.size() == 2 &&
          is_one_of(*w.opcode, {ptx::Opcode::div, ptx::Opcode::rem}) && w.ends({"u32", "s32"}))
        if (const auto divisor = value(operands[1], block, writes))
          divisions_.push_back({i, block, w.ends({"s32"}), value(operands[0], block, writes), *divisor});
      for (const std::uint32_t reg : draft_.at(i).destinations) ++writes[reg];
    });
  }

  void mark(std::uint32_t i, std::string_view modifier) {
    const std::size_t opcode = draft_.words(i).parts[0].size();
    draft_.chosen(i).mnemonic.insert(opcode, modifier);
  }

  SelectionDraft& draft_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< By register: the block of each instruction that writes it.
  std::vector<Division> divisions_;
  std::vector<std::pair<std::uint32_t, Angle>> angles_;  ///< With the instruction's number.
};

}  // namespace

void share_reciprocals(SelectionDraft& draft) {
  Sharing(draft).run();
}

}  // namespace lockstep::machine
