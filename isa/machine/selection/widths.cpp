#include "isa/machine/selection/widths.hpp"

#include <optional>
#include <string>

#include "isa/machine/selection/half_values.hpp"

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

class Widths {
 public:
  explicit Widths(SelectionDraft& draft) : draft_(draft) {}

  /// 64-bit registers of which the low half alone is read: addresses of scratchpad and constant memory, above all.
  void narrow() {
    const HalfValues values(draft_);
    for (std::uint32_t i = 0; i < draft_.count(); ++i) {
      const StaticInstruction& s = draft_.at(i);
      if (!only_computes(s) || s.destinations.size() != 1) continue;
      const std::uint32_t d = s.destinations[0];
      if (draft_.bits(d) != 64 || values.is_read(d, true) || !values.is_read(d, false)) continue;
      const Mnemonic w = draft_.words(i);
      const bool product = w.opcode == Opcode::mul && w.has("wide") && !w.ends({"u16", "s16"});
      const bool conversion = w.opcode == Opcode::cvt && !w.has("f32") && !w.has("f64") && !w.has("sat");
      const std::optional<Halves> result = values.result(i);
      const bool copies = result && !(*result)[0].is_computed();  // Needs no instruction.
      if (w.opcode == Opcode::mov || conversion || (!copies && (keeps_low_half(w) || product)))
        draft_.chosen(i).mnemonic = narrowed(w);
    }
  }

  static std::string narrowed(const Mnemonic& w) {
    std::string text;
    for (const std::string_view part : w.parts) {
      if (!text.empty()) text += '.';
      if (part == "u64") {
        text += "u32";
      } else if (part == "s64") {
        text += "s32";
      } else if (part == "b64") {
        text += "b32";
      } else {
        text += part == "wide" ? "lo" : part;
      }
    }
    return text;
  }

  /// A 32-bit index that is widened, then shifted: one wide product.
  void widen_index(std::uint32_t i) {
    const auto& o = draft_.at(i).operands;
    if (!draft_.defines_one(i) || o.size() != 2 || o[0].kind != Kind::reg ||
        !is_plain(draft_.words(i), Opcode::shl, 64))
      return;
    const auto distance = draft_.literal(o[1]);
    const auto index = static_cast<std::uint32_t>(o[0].value);
    const std::uint32_t by = draft_.flow().writer(index);
    if (!distance || *distance == 0 || *distance > 31 || by == program::DataFlow::none || !draft_.defines_one(by))
      return;
    if (draft_.flow().readers(index).size() != 1 || draft_.at(by).operands.size() != 1 ||
        !draft_.flow().unchanged(by, i))
      return;
    const Mnemonic w = draft_.words(by);
    if (w.opcode != Opcode::cvt || w.parts.size() != 3 || !is_one_of(w.parts[1], {"u64", "s64"})) return;
    if (!is_one_of(w.parts[2], {"u32", "s32"})) return;
    draft_.chosen(i).mnemonic = "mul.wide." + std::string(w.parts[2]);
    draft_.set_wide_scaling(i, static_cast<unsigned>(*distance));
    draft_.alias(index, draft_.at(by).sources, by);
  }

 private:
  SelectionDraft& draft_;
};

}  // namespace

void choose_widths(SelectionDraft& draft) {
  Widths widths(draft);
  widths.narrow();
  for (std::uint32_t i = 0; i < draft.count(); ++i) widths.widen_index(i);
}

}  // namespace lockstep::machine
