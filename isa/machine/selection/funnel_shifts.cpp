#include "isa/machine/selection/funnel_shifts.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

/// A shift by a literal that only one instruction reads.
struct Shift {
  std::uint32_t by = program::DataFlow::none;  ///< The instruction.
  std::uint64_t distance = 0;
  SourceOperand of{};
};

class FunnelShifts {
 public:
  explicit FunnelShifts(SelectionDraft& draft) : draft_(draft) {}

  void choose(std::uint32_t j) {
    const Mnemonic w = draft_.words(j);
    if (draft_.chosen(j).removed || !draft_.defines_one(j) || draft_.at(j).operands.size() != 2) return;
    for (const unsigned bits : {32u, 64u}) {
      const bool adds = is_plain(w, Opcode::add, bits);
      if (!adds && !is_plain(w, Opcode::or_, bits) && !is_plain(w, Opcode::xor_, bits)) continue;
      Shift left = shift(j, 0, Opcode::shl, bits), right = shift(j, 1, Opcode::shr, bits);
      if (left.by == program::DataFlow::none || right.by == program::DataFlow::none) {
        left = shift(j, 1, Opcode::shl, bits);
        right = shift(j, 0, Opcode::shr, bits);
      }
      if (left.by == program::DataFlow::none || right.by == program::DataFlow::none ||
          left.distance + right.distance != bits)
        return;
      if (bits == 32)
        join(j, left, right, "shf.l.wrap.literal.b32", nullptr);
      else if (adds && left.of == right.of)
        rotate(j, left, right);
      else
        join(j, left, right, "shf.l.wrap.literal.b64", draft_.rules().fused(Fusion::funnel_shift_64));
    }
  }

 private:
  /// Of what writes the operand.
  Shift shift(std::uint32_t j, std::size_t operand, Opcode opcode, unsigned bits) const {
    const SourceOperand& o = draft_.at(j).operands[operand];
    if (o.kind != Kind::reg) return {};
    const auto d = static_cast<std::uint32_t>(o.value);
    const std::uint32_t i = draft_.flow().writer(d);
    if (i == program::DataFlow::none || draft_.chosen(i).removed || !draft_.defines_one(i) ||
        times(draft_.at(j), d) != 1)
      return {};
    if (draft_.flow().readers(d).size() != 1 || !draft_.flow().in_one_block(i, j) || !draft_.flow().unchanged(i, j))
      return {};
    const Mnemonic w = draft_.words(i);
    const auto& operands = draft_.at(i).operands;
    if (!is_plain(w, opcode, bits) || w.ends({"s32", "s64"}) || operands.size() != 2) return {};
    const auto distance = draft_.literal(operands[1]);
    if (!distance || *distance == 0 || *distance >= bits || operands[0].kind != Kind::reg) return {};
    return {i, *distance, operands[0]};
  }

  void join(std::uint32_t j, const Shift& left, const Shift& right, const char* mnemonic,
            const std::vector<Step>* operations) {
    Selected& chosen = draft_.chosen(j);
    chosen.sources.clear();
    for (const Shift* one : {&left, &right}) {
      const auto reg = static_cast<std::uint32_t>(one->of.value);
      if (std::find(chosen.sources.begin(), chosen.sources.end(), reg) == chosen.sources.end())
        chosen.sources.push_back(reg);
      draft_.chosen(one->by).removed = true;
    }
    chosen.mnemonic = mnemonic;
    chosen.operations = operations;
  }

  /// By 32, the words change their places.
  void rotate(std::uint32_t j, const Shift& left, const Shift& right) {
    join(j, left, right, "shf.l.wrap.literal.b64", draft_.rules().fused(Fusion::rotation_64));
    const auto from = static_cast<std::uint32_t>(left.of.value), to = draft_.at(j).destinations[0];
    if (left.distance == 32 && draft_.flow().writes(from) <= 1) draft_.alias(to, {from}, j);
  }

  SelectionDraft& draft_;
};

}  // namespace

void choose_funnel_shifts(SelectionDraft& draft) {
  if (draft.rules().fused(Fusion::funnel_shift) == nullptr) return;
  FunnelShifts shifts(draft);
  for (std::uint32_t j = 0; j < draft.count(); ++j) shifts.choose(j);
}

}  // namespace lockstep::machine
