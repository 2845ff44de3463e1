#include "isa/machine/selection/half_values.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

Half literal_half(std::uint64_t bits) {
  return {Half::From::literal, static_cast<std::uint32_t>(bits), false};
}

Half selected(const Half& a, const Half& b) {
  return a == b ? a : Half{};
}

Half logic(Opcode opcode, const Half& a, const Half& b) {
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    if (opcode == Opcode::and_ && y.is_zero()) return y;
    if (opcode == Opcode::and_ && y.is_literal(~0u)) return x;
    if (opcode != Opcode::and_ && y.is_zero()) return x;
    if (opcode == Opcode::or_ && y.is_literal(~0u)) return y;
  }
  return {};
}

/// Without a carry out of the lower half, the upper one may be a copy too.
Halves sum(bool adds, const Halves& a, const Halves& b) {
  Halves result;
  for (const bool upper : {false, true}) {
    if (b[upper].is_zero())
      result[upper] = a[upper];
    else if (adds && a[upper].is_zero())
      result[upper] = b[upper];
    else
      return result;
  }
  return result;
}

Half shifted(const Half& a, bool by_word) {
  return by_word || a.is_zero() ? a : Half{};
}

Halves moved_up(const Halves& a, std::uint64_t distance) {
  if (distance >= 32) return {literal_half(0), shifted(a[0], distance == 32)};
  return {shifted(a[0], false), a[0].is_zero() && a[1].is_zero() ? a[1] : Half{}};
}

Halves moved_down(const Halves& a, std::uint64_t distance, bool is_signed) {
  if (distance >= 32) return {shifted(a[1], distance == 32), is_signed ? shifted(a[1], false) : literal_half(0)};
  return {a[0].is_zero() && a[1].is_zero() ? a[0] : Half{}, shifted(a[1], false)};
}

bool is_move(const Mnemonic& w) {
  return w.opcode == Opcode::mov && w.ends({"b64", "u64", "s64"});
}

bool is_conversion_from_64(const Mnemonic& w) {
  return w.opcode == Opcode::cvt && w.parts.size() == 3 && is_one_of(w.parts[2], {"u64", "s64"}) &&
         is_one_of(w.parts[1], {"u32", "s32", "u16", "s16", "u8", "s8"});
}

}  // namespace

HalfValues::HalfValues(const SelectionDraft& draft) : draft_(draft), of_(draft.registers()), read_(draft.registers()) {
  for (std::uint32_t r = 0; r < draft.registers(); ++r) {
    of_[r] = {own(r, false), own(r, true)};
    if (draft.flow().readers(r).empty()) read_[r] = {true, true};
  }
  for (std::uint32_t i = 0; i < draft.count(); ++i) find_origins(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = draft.count(); i-- > 0;) changed = mark_read(i) || changed;
  }
}

Half HalfValues::own(std::uint32_t r, bool upper) const {
  return draft_.bits(r) == 64 || !upper ? Half{Half::From::reg, r, upper} : Half{};
}

Half HalfValues::half(const SourceOperand& o, bool upper) const {
  if (const auto value = draft_.literal(o)) return literal_half(upper ? *value >> 32 : *value);
  return o.kind == Kind::reg ? of_[static_cast<std::uint32_t>(o.value)][upper] : Half{};
}

void HalfValues::find_origins(std::uint32_t i) {
  const StaticInstruction& s = draft_.at(i);
  if (draft_.chosen(i).removed || !only_computes(s) || s.operands.empty()) return;
  if (s.guard != program::no_register) return;
  const Mnemonic w = draft_.words(i);
  if (is_move(w) && s.destinations.size() == 2 && s.operands.size() == 1) {
    for (const bool upper : {false, true})
      if (draft_.flow().writes(s.destinations[upper]) == 1)
        note_copy(s.destinations[upper], false, half(s.operands[0], upper));
    return;
  }
  if (!draft_.defines_one(i)) return;
  const std::uint32_t d = s.destinations[0];
  if (is_conversion_from_64(w) && is_one_of(w.parts[1], {"u32", "s32"}))
    note_copy(d, false, half(s.operands[0], false));
  const std::optional<Halves> found = draft_.bits(d) == 64 ? result(i) : std::nullopt;
  if (!found) return;
  for (const bool upper : {false, true}) note_copy(d, upper, (*found)[upper]);
}

/// What is written again may have changed where the copy is read.
void HalfValues::note_copy(std::uint32_t d, bool upper, const Half& from) {
  if (from.is_computed() || (from.from == Half::From::reg && draft_.flow().writes(from.value) > 1)) return;
  of_[d][upper] = from;
}

std::optional<Halves> HalfValues::result(std::uint32_t i) const {
  const Mnemonic w = draft_.words(i);
  const auto& o = draft_.at(i).operands;
  if (is_move(w) && o.size() == 1) return halves(o[0]);
  if (is_move(w) && o.size() == 2) return Halves{half(o[0], false), half(o[1], false)};
  if (w.opcode == Opcode::cvt && w.parts.size() == 3 && o.size() == 1) {
    if (is_one_of(w.parts[2], {"u32", "u16", "u8"})) return Halves{half(o[0], false), literal_half(0)};
    if (w.parts[2] == "s32") return Halves{half(o[0], false), Half{}};
    if (is_one_of(w.parts[2], {"s16", "s8"})) return Halves{};
  }
  if (is_plain(w, Opcode::not_, 64) && o.size() == 1) return Halves{};
  if (w.opcode == Opcode::selp && w.ends({"b64", "u64", "s64"}) && o.size() == 3) {
    const Halves a = halves(o[0]), b = halves(o[1]);
    return Halves{selected(a[0], b[0]), selected(a[1], b[1])};
  }
  if (o.size() != 2) return {};
  if (is_logic(w, 64)) {
    const Halves a = halves(o[0]), b = halves(o[1]);
    return Halves{logic(*w.opcode, a[0], b[0]), logic(*w.opcode, a[1], b[1])};
  }
  const bool adds = is_plain(w, Opcode::add, 64);
  if (adds || is_plain(w, Opcode::sub, 64)) return sum(adds, halves(o[0]), halves(o[1]));
  const bool up = is_plain(w, Opcode::shl, 64);
  if (!up && !is_plain(w, Opcode::shr, 64)) return {};
  const auto distance = draft_.literal(o[1]);
  if (!distance || *distance == 0 || *distance > 63) return Halves{};
  return up ? moved_up(halves(o[0]), *distance) : moved_down(halves(o[0]), *distance, w.ends({"s64"}));
}

bool HalfValues::mark(const Half& half) {
  if (half.from != Half::From::reg || read_[half.value][half.upper]) return false;
  return read_[half.value][half.upper] = true;
}

/// The half as the operand names it, and what it is a copy of.
bool HalfValues::mark(std::uint32_t r, bool upper) {
  const bool named = mark(own(r, upper));
  return mark(of_[r][upper]) || named;
}

bool HalfValues::mark(const SourceOperand& o, bool upper) {
  return o.kind == Kind::reg && mark(static_cast<std::uint32_t>(o.value), upper);
}

bool HalfValues::mark_all(std::uint32_t i) {
  bool more = false;
  for (const std::uint32_t r : draft_.chosen(i).sources)
    for (const bool upper : {false, true}) more = mark(r, upper) || more;
  return more;
}

bool HalfValues::mark_access(std::uint32_t i) {
  const StaticInstruction& s = draft_.at(i);
  const bool stores_word = s.access == AccessKind::store && s.vector_elements == 1 &&
                           !draft_.words(i).ends({"u64", "s64", "b64", "f64", "b128"});
  bool more = false;
  for (const std::uint32_t r : draft_.chosen(i).sources) {
    const bool is_address = r == s.address_register;
    const bool lower_only =
        is_address ? has_short_addresses(s.space) && is_address_only(s, r) : stores_word && r != s.guard;
    more = mark(r, false) || more;
    if (!lower_only) more = mark(r, true) || more;
  }
  return more;
}

bool HalfValues::mark_read(std::uint32_t i) {
  const StaticInstruction& s = draft_.at(i);
  if (draft_.chosen(i).removed) return false;
  if (s.access != AccessKind::none) return mark_access(i);
  const Mnemonic w = draft_.words(i);
  if (!only_computes(s) || s.operands.empty()) return mark_all(i);
  if (is_conversion_from_64(w)) return mark(s.operands[0], false);
  if (s.destinations.size() != 1 || draft_.bits(s.destinations[0]) != 64) return mark_all(i);
  bool more = false;
  for (const bool upper : {false, true})
    if (is_read(s.destinations[0], upper)) more = mark_operands(i, upper) || more;
  return more;
}

bool HalfValues::mark_operands(std::uint32_t i, bool upper) {
  const Mnemonic w = draft_.words(i);
  const auto& o = draft_.at(i).operands;
  bool more = false;
  const auto mark_each = [&](bool lower, bool same) {
    for (const SourceOperand& one : o) {
      if (lower) more = mark(one, false) || more;
      if (same) more = mark(one, upper) || more;
    }
    return more;
  };
  const std::optional<Halves> result = this->result(i);
  if (result && !(*result)[upper].is_computed()) {
    for (const SourceOperand& one : o)
      for (const bool from : {false, true})
        if (half(one, from) == (*result)[upper]) more = mark(one, from) || more;
    return more;
  }
  for (const Opcode carries : {Opcode::add, Opcode::sub, Opcode::mul, Opcode::mad})
    if (is_plain(w, carries, 64)) return mark_each(true, upper);
  if (!result) {
    const bool narrowed = w.ends({"u32", "s32", "b32"}) && !w.has("wide");  // The program has 64 bits.
    return narrowed ? mark_each(true, false) : mark_all(i);
  }
  const bool up = w.opcode == Opcode::shl;
  if (!up && w.opcode != Opcode::shr) return mark_each(w.opcode == Opcode::cvt, true);
  const auto distance = draft_.literal(o[1]);
  if (!distance) return upper == up ? mark_all(i) : mark(o[0], upper);
  // The half that bits move in from, and below a whole word the half itself.
  if (upper == up || *distance >= 32) more = mark(o[0], !up);
  if (*distance < 32) more = mark(o[0], upper) || more;
  return more;
}

}  // namespace lockstep::machine
