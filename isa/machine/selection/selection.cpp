#include "isa/machine/selection/selection.hpp"

#include <algorithm>

#include "isa/machine/selection/bit_fields.hpp"
#include "isa/machine/selection/funnel_shifts.hpp"
#include "isa/machine/selection/fusion.hpp"
#include "isa/machine/selection/halves.hpp"
#include "isa/machine/selection/logic.hpp"
#include "isa/machine/selection/reciprocals.hpp"
#include "isa/machine/selection/selection_draft.hpp"
#include "isa/machine/selection/widths.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::Control;
using program::MemorySpace;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

/// Finds what costs nothing because its readers take it as an operand.
class Operands {
 public:
  Operands(SelectionDraft& draft, const CallConvention& convention) : draft_(draft), convention_(convention) {}

  /// Copies, and conversions that change no bit that is read.
  void rename(std::uint32_t i) {
    const StaticInstruction& s = draft_.at(i);
    if (draft_.chosen(i).removed || !only_computes(s) || s.guard != program::no_register || s.destinations.empty())
      return;
    const Mnemonic w = draft_.words(i);
    const bool joins_words = w.opcode && is_one_of(*w.opcode, {Opcode::bfi, Opcode::bfe}) && w.has("words");
    // A 32-bit value and a literal half; a shift or mask that became a move has an operand of 64 bits.
    const bool joins_literal = w.opcode == Opcode::mov && w.ends({"b64"}) && s.operands.size() == 2 &&
                               s.sources.size() == 1 && draft_.bits(s.sources[0]) == 32;
    if ((s.has_immediate && !joins_words && !joins_literal) || s.reads_special_register || s.sources.empty()) return;
    if (w.has("cc") || (w.opcode && ptx::row_of(*w.opcode).traits.reads_carry)) return;
    const bool copies =
        w.opcode == Opcode::mov && !w.has("half") && s.operands.size() == s.sources.size() &&
        std::all_of(s.operands.begin(), s.operands.end(), [](const SourceOperand& o) { return o.kind == Kind::reg; });
    const Rule* rule = draft_.rules().find(draft_.chosen(i).mnemonic);
    const bool of_one = (s.sources.size() == 1 || joins_words) && s.destinations.size() == 1;
    const bool free = of_one && (joins_literal || (rule != nullptr && rule->steps.empty()) || is_sign(i) ||
                                 is_extended(i) || is_half_of_pair(i));
    // Whoever reads a predicate takes it negated, too.
    const bool negates = w.opcode == Opcode::not_ && w.ends({"pred"}) && s.destinations.size() == 1 &&
                         draft_.rules().fused(Fusion::compare_logic) != nullptr;
    if (!copies && !free && !negates) return;
    for (const std::uint32_t d : s.destinations)
      if (draft_.flow().writes(d) != 1) return;
    if (!stays_where_it_is_passed(i))
      for (const std::uint32_t r : s.sources)
        if (draft_.changes(r) && !is_read_before_change(i)) return;
    for (const std::uint32_t d : s.destinations) draft_.alias(d, s.sources, i);
  }

  /// What `i` copies changes in its basic block only behind all readers of the copy.
  bool is_read_before_change(std::uint32_t i) const {
    const auto& copies = draft_.at(i).destinations;
    return std::all_of(copies.begin(), copies.end(), [&](std::uint32_t d) {
      const auto& readers = draft_.flow().readers(d);
      return std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) { return draft_.unchanged(i, j); });
    });
  }

  /// An argument or result that its function takes from where it was passed, and has no need to move: no call comes before it is
  /// last read.
  bool stays_where_it_is_passed(std::uint32_t i) const {
    const Mnemonic w = draft_.words(i);
    return w.opcode == Opcode::ld && w.has("param") && !convention_.lives_across_calls(draft_.at(i).destinations[0]);
  }

  /// A floating-point operand that every reader takes negated, or as an absolute value.
  bool is_sign(std::uint32_t i) const {
    const Mnemonic w = draft_.words(i);
    if (draft_.rules().fused(Fusion::signed_operand) == nullptr || !w.ends({"f32", "f64"})) return false;
    if (w.opcode != Opcode::neg && w.opcode != Opcode::abs) return false;
    const auto& readers = draft_.flow().readers(draft_.at(i).destinations[0]);
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) {
      const Mnemonic reader = draft_.words(j);
      return only_computes(draft_.at(j)) && reader.opcode && reader.ends({w.parts.back()}) &&
             is_one_of(*reader.opcode,
                       {Opcode::add, Opcode::sub, Opcode::mul, Opcode::fma, Opcode::mad, Opcode::min, Opcode::max,
                        Opcode::setp, Opcode::selp, Opcode::cvt, Opcode::ex2, Opcode::lg2, Opcode::rcp, Opcode::rsqrt,
                        Opcode::sin, Opcode::cos, Opcode::neg, Opcode::abs});
    });
  }

  /// A half that stands for both of a pair, of which every reader is an operation on pairs: these choose the halves of their operands
  /// (HFMA2 R0, R1.H0_H0, R2, R3).
  bool is_half_of_pair(std::uint32_t i) const {
    const auto& o = draft_.at(i).operands;
    if (draft_.rules().fused(Fusion::half_operand) == nullptr || !draft_.words(i).ends({"b32"})) return false;
    if (draft_.words(i).opcode != Opcode::mov || o.size() != 2 || o[0] != o[1] || o[0].kind != Kind::reg) return false;
    const auto& readers = draft_.flow().readers(draft_.at(i).destinations[0]);
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) {
      const Mnemonic reader = draft_.words(j);
      return only_computes(draft_.at(j)) && reader.opcode && reader.ends({"f16x2", "bf16x2"}) &&
             is_one_of(*reader.opcode, {Opcode::add, Opcode::sub, Opcode::mul, Opcode::fma, Opcode::min, Opcode::max,
                                        Opcode::setp, Opcode::set});
    });
  }

  /// A conversion to 16 or 32 bits of a value that its load has extended already.
  bool is_extended(std::uint32_t i) const {
    const Mnemonic w = draft_.words(i);
    if (draft_.rules().fused(Fusion::extended_load) == nullptr || w.opcode != Opcode::cvt || w.parts.size() != 3)
      return false;
    const bool of_bytes = is_one_of(w.parts[2], {"u8", "s8"}), of_shorts = is_one_of(w.parts[2], {"u16", "s16"});
    if (!is_one_of(w.parts[1], {"u32", "s32"}) && !(of_bytes && is_one_of(w.parts[1], {"u16", "s16"}))) return false;
    const std::uint32_t by = draft_.flow().writer(draft_.at(i).sources[0]);
    if ((!of_bytes && !of_shorts) || by == program::DataFlow::none || draft_.at(by).access != AccessKind::load)
      return false;
    const Mnemonic loads = draft_.words(by);
    if (of_bytes) return w.parts[2] == "u8" ? loads.ends({"u8", "b8"}) : loads.ends({"s8"});
    return loads.ends({"u8", "b8"}) || (w.parts[2] == "u16" ? loads.ends({"u16", "b16"}) : loads.ends({"s8", "s16"}));
  }

  /// Literals, addresses of variables, launch constants and kernel parameters are operands, not registers, where every
  /// reader can take one.
  void constant(std::uint32_t i) {
    const StaticInstruction& s = draft_.at(i);
    if (draft_.chosen(i).removed || s.destinations.size() != 1 || s.guard != program::no_register) return;
    const std::uint32_t d = s.destinations[0];
    if (draft_.flow().writes(d) != 1 || draft_.flow().readers(d).empty()) return;
    const bool parameter =
        s.access == AccessKind::load && s.space == MemorySpace::param && s.vector_elements == 1 &&
        std::all_of(s.sources.begin(), s.sources.end(), [&](std::uint32_t r) { return draft_.is_constant(r); });
    if (parameter && !draft_.rules().constants_are_operands()) return;
    if (!parameter) {
      if (!only_computes(s) || draft_.words(i).opcode != Opcode::mov || s.operands.size() != 1) return;
      const SourceOperand& from = s.operands[0];
      if (from.kind == Kind::literal) draft_.set_literal(d, from.value);
      if (from.kind == Kind::launch_constant && !draft_.rules().constants_are_operands()) return;
      if (from.kind == Kind::reg || from.kind == Kind::other || from.kind == Kind::block_constant) return;
    }
    if (takes_constant(d, parameter ? nullptr : &s.operands[0], 0)) draft_.alias(d, {}, i);
  }

  bool takes_constant(std::uint32_t r, const SourceOperand* value, unsigned depth) const {
    if (depth > 64) return false;
    for (const std::uint32_t j : draft_.flow().readers(r)) {
      const StaticInstruction& s = draft_.at(j);
      if (draft_.chosen(j).removed && only_computes(s)) {
        for (const std::uint32_t d : s.destinations)
          if (!takes_constant(d, value, depth + 1)) return false;
        continue;
      }
      if (s.guard == r) return false;
      if (s.access != AccessKind::none) {
        if (value == nullptr) return false;
        const bool zero = value->kind == Kind::literal && value->value == 0;
        const bool near = s.space == MemorySpace::shared || s.space == MemorySpace::constant ||
                          s.space == MemorySpace::param || s.space == MemorySpace::local;
        const bool address =
            near && is_address_only(s, r) && (value->kind == Kind::literal || value->kind == Kind::variable);
        if (!address && !(zero && s.access == AccessKind::store && s.address_register != r)) return false;
        continue;
      }
      if (!only_computes(s) || s.operands.empty()) return false;
      const Mnemonic w = draft_.words(j);
      if (!w.opcode || is_one_of(*w.opcode, {Opcode::bar, Opcode::cp, Opcode::ld, Opcode::st})) return false;
      // Of these, lanes and masks may be literals, but not what they exchange.
      const bool exchanges = is_one_of(*w.opcode, {Opcode::shfl, Opcode::vote, Opcode::match, Opcode::redux});
      if (exchanges &&
          (value == nullptr || value->kind != Kind::literal || s.operands[0] == SourceOperand{Kind::reg, r}))
        return false;
    }
    return true;
  }

  /// Who reads a register, seen through names that cost nothing.
  void true_readers(std::uint32_t r, std::vector<std::uint32_t>& all, unsigned depth = 0) const {
    for (const std::uint32_t j : draft_.flow().readers(r)) {
      if (!draft_.chosen(j).removed || !only_computes(draft_.at(j)) || depth > 64) {
        all.push_back(j);
        continue;
      }
      for (const std::uint32_t d : draft_.at(j).destinations) true_readers(d, all, depth + 1);
    }
  }

  /// What an access does to its address on the way: adds an offset, scales an index.
  void fold_address(std::uint32_t i) {
    if (draft_.chosen(i).removed || !draft_.defines_one(i)) return;
    const std::uint32_t d = draft_.at(i).destinations[0];
    const bool offset = adds_offset(i);
    SourceOperand of;
    const auto scale = draft_.scaling(i, of);
    const bool scales = scale && *scale >= 2 && *scale <= 4;
    if (!offset && !scales) return;
    std::vector<std::uint32_t> readers;
    true_readers(d, readers);
    if (readers.empty()) return;
    for (const std::uint32_t j : readers) {
      const StaticInstruction& s = draft_.at(j);
      if (s.access == AccessKind::none || s.control != Control::none || !draft_.unchanged(i, j)) return;
      if (s.access == AccessKind::copy || s.address_register == program::no_register) return;
      if (times(s, s.address_register) != 1 || !draft_.is_name_of(s.address_register, d)) return;
      const bool is_short = has_short_addresses(s.space);
      if (offset && draft_.rules().fused(is_short ? Fusion::scratchpad_offset : Fusion::global_offset) == nullptr)
        return;
      if (offset && !is_short && !adds_literal(i)) return;
      if (scales && (s.space != MemorySpace::shared || draft_.rules().fused(Fusion::scratchpad_scaling) == nullptr))
        return;
    }
    if (offset) of = draft_.at(i).operands[is_offset(draft_.at(i).operands[1]) ? 0 : 1];
    std::vector<std::uint32_t> to;
    if (of.kind == Kind::reg) to.push_back(static_cast<std::uint32_t>(of.value));
    draft_.alias(d, std::move(to), i);
  }

  bool adds_literal(std::uint32_t i) const {
    const auto& o = draft_.at(i).operands;
    return draft_.literal(o[1]).has_value() || draft_.literal(o[0]).has_value();
  }

  bool adds_offset(std::uint32_t i) const {
    const Mnemonic w = draft_.words(i);
    const auto& o = draft_.at(i).operands;
    if (o.size() != 2) return false;
    const bool subtracts = is_plain(w, Opcode::sub, 32) || is_plain(w, Opcode::sub, 64);
    if (subtracts) return o[0].kind == Kind::reg && draft_.literal(o[1]).has_value();
    if (!is_plain(w, Opcode::add, 32) && !is_plain(w, Opcode::add, 64)) return false;
    return is_offset(o[1]) ? o[0].kind == Kind::reg : is_offset(o[0]) && o[1].kind == Kind::reg;
  }

  /// A literal, or the address of a variable in scratchpad or constant memory.
  bool is_offset(const SourceOperand& operand) const {
    if (draft_.literal(operand)) return true;
    SourceOperand o = operand;
    if (o.kind == Kind::reg) {
      const std::uint32_t by = draft_.flow().writer(static_cast<std::uint32_t>(o.value));
      if (by == program::DataFlow::none || draft_.words(by).opcode != Opcode::mov || draft_.at(by).operands.size() != 1)
        return false;
      if (draft_.at(by).guard != program::no_register) return false;
      o = draft_.at(by).operands[0];
    }
    return o.kind == Kind::variable && has_short_addresses(static_cast<MemorySpace>(o.value));
  }

 private:
  SelectionDraft& draft_;
  const CallConvention& convention_;
};

}  // namespace

Selection select(const program::Kernel& kernel, const Rules& rules, const CallConvention& convention,
                 const std::vector<bool>& repeats) {
  SelectionDraft draft(kernel, rules);
  for (std::uint32_t i = 0; i < repeats.size(); ++i)
    if (repeats[i]) draft.remove(i);
  choose_widths(draft);
  choose_bit_fields(draft);
  choose_funnel_shifts(draft);
  choose_halves(draft);
  Operands operands(draft, convention);
  for (std::uint32_t i = 0; i < draft.count(); ++i) operands.rename(i);
  for (std::uint32_t i = 0; i < draft.count(); ++i) operands.constant(i);
  for (std::uint32_t i = draft.count(); i-- > 0;) operands.fold_address(i);
  fuse_logic(draft);
  fuse(draft);
  share_reciprocals(draft);
  return std::move(draft).finish();
}

}  // namespace lockstep::machine
