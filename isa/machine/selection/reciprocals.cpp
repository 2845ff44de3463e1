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
  bool first_signed;  ///< No other signed one by a register stands in front of it in its block.
  std::optional<Value> dividend;
  Value divisor;
  bool in_front_of_loop = false;  ///< The reciprocal stands there.
};

class Sharing {
 public:
  explicit Sharing(SelectionDraft& draft) : draft_(draft), writers_(draft.registers()), before_(draft.blocks().size()) {
    for (std::uint32_t b = 0; b < draft.blocks().size(); ++b) {
      for_each(b, [&](std::uint32_t i) {
        for (const std::uint32_t reg : draft.at(i).destinations) writers_[reg].push_back(b);
      });
      for (const std::uint32_t next : draft.blocks()[b].successors) before_[next].push_back(b);
    }
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
      const auto* loop = dominance.innermost_loop(division->block);
      division->in_front_of_loop = moves_in_front_of(loop, *division, dominance);
      const auto before = [&](bool same_dividend) {
        return std::any_of(divisions_.begin(), division, [&](const Division& other) {
          return other.is_signed == division->is_signed && other.divisor == division->divisor &&
                 (!same_dividend || (other.dividend && other.dividend == division->dividend)) &&
                 dominance.passes(division->block, other.block) &&
                 (division->divisor.literal ||
                  (!other.in_front_of_loop && dominance.innermost_loop(other.block) == loop &&
                   !calls_between(other, *division)));
        });
      };
      const bool again = division->in_front_of_loop || before(false);
      if (const bool pair = before(true); pair || again) mark(division->instruction, pair ? ".pair" : ".again");
    }
  }

 private:
  void for_each(std::uint32_t block, const auto& apply) const {
    const program::StaticBlock& of = draft_.blocks()[block];
    for (std::uint32_t i = of.first; i < of.first + of.count; ++i) apply(i);
  }

  /// Whether a loop around a division has its reciprocal in front of it.
  bool moves_in_front_of(const Dominance::Loop* loop, const Division& division, const Dominance& dominance) const {
    if (division.divisor.literal) return loop != nullptr;
    const auto& written = writers(division.divisor);
    if (loop == nullptr || dominance.has_inner_loop(*loop) ||
        std::any_of(written.begin(), written.end(), [&](std::uint32_t b) { return loop->members[b]; }))
      return false;
    for (std::uint32_t b = 0; b < loop->members.size(); ++b)
      if (loop->members[b] && calls(draft_.blocks()[b].first, draft_.blocks()[b].first + draft_.blocks()[b].count))
        return false;
    return division.is_signed ? division.block == loop->first && division.first_signed
                              : dominance.passes(loop->last, division.block);
  }

  /// A call among the instructions, also that of a subroutine.
  bool calls(std::uint32_t first, std::uint32_t end) const {
    for (std::uint32_t i = first; i < end; ++i)
      if (draft_.at(i).control == program::Control::call || calls_subroutine(draft_.words(i))) return true;
    return false;
  }

  /// Whether there is a call on some way from one to the other.
  bool calls_between(const Division& from, const Division& to) const {
    const auto& blocks = draft_.blocks();
    if (from.block == to.block) return calls(from.instruction, to.instruction);
    if (calls(from.instruction, blocks[from.block].first + blocks[from.block].count) ||
        calls(blocks[to.block].first, to.instruction))
      return true;
    std::vector<bool> seen(blocks.size());
    std::vector<std::uint32_t> open = {to.block};
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      for (const std::uint32_t b : before_[block]) {
        if (b == from.block || b == to.block || seen[b]) continue;
        if (calls(blocks[b].first, blocks[b].first + blocks[b].count)) return true;
        seen[b] = true;
        open.push_back(b);
      }
    }
    return false;
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
    bool first_signed = true;
    for_each(block, [&](std::uint32_t i) {
      const Mnemonic w = draft_.words(i);
      const auto& operands = draft_.at(i).operands;
      if (!draft_.chosen(i).removed && w.opcode && operands.size() == 1 &&
          is_one_of(*w.opcode, {ptx::Opcode::sin, ptx::Opcode::cos}))
        if (const auto angle = value(operands[0], block, writes)) angles_.push_back({i, {block, *angle}});
      if (!draft_.chosen(i).removed && w.opcode && operands.size() == 2 &&
          is_one_of(*w.opcode, {ptx::Opcode::div, ptx::Opcode::rem}) && w.ends({"u32", "s32"}))
        if (const auto divisor = value(operands[1], block, writes)) {
          const bool is_signed = w.ends({"s32"});
          divisions_.push_back({i, block, is_signed, first_signed, value(operands[0], block, writes), *divisor});
          first_signed = first_signed && (!is_signed || divisor->literal);
        }
      for (const std::uint32_t reg : draft_.at(i).destinations) ++writes[reg];
    });
  }

  void mark(std::uint32_t i, std::string_view modifier) {
    const std::size_t opcode = draft_.words(i).parts[0].size();
    draft_.chosen(i).mnemonic.insert(opcode, modifier);
  }

  SelectionDraft& draft_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< By register: the block of each instruction that writes it.
  std::vector<std::vector<std::uint32_t>> before_;   ///< By block: those it follows.
  std::vector<Division> divisions_;
  std::vector<std::pair<std::uint32_t, Angle>> angles_;  ///< With the instruction's number.
};

}  // namespace

void share_reciprocals(SelectionDraft& draft) {
  Sharing(draft).run();
}

}  // namespace lockstep::machine
