#include "isa/machine/selection/selection_draft.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace lockstep::machine {

using program::AccessKind;
using program::Control;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

bool only_computes(const StaticInstruction& s) {
  return s.access == AccessKind::none && s.control == Control::none && !s.reads_clock;
}

std::ptrdiff_t times(const StaticInstruction& s, std::uint32_t reg) {
  return std::count(s.operands.begin(), s.operands.end(), SourceOperand{Kind::reg, reg});
}

bool is_address_only(const StaticInstruction& s, std::uint32_t reg) {
  return s.address_register == reg && times(s, reg) == 1 && s.guard != reg;
}

SelectionDraft::SelectionDraft(const program::Kernel& kernel, const Rules& rules)
    : kernel_(kernel),
      rules_(rules),
      flow_(kernel),
      contractions_(ptx::find_contractions(kernel)),
      aliased_(kernel.register_bits.size()),
      aliases_(kernel.register_bits.size()),
      aliased_by_(kernel.register_bits.size()),
      distances_(kernel.instructions.size()) {
  selection_.names.resize(registers());
  selection_.literals.resize(registers());
  selection_.read.resize(registers());
  for (std::uint32_t r = 0; r < registers(); ++r) {
    selection_.names[r] = {r};
    selection_.read[r] = !flow_.readers(r).empty();
  }
  for (const StaticInstruction& s : kernel.instructions) {
    Selected& one = selection_.instructions.emplace_back();
    one.mnemonic = kernel.strings[s.mnemonic];
    one.sources = s.sources;
  }
}

bool SelectionDraft::defines_one(std::uint32_t i) const {
  const StaticInstruction& s = at(i);
  return only_computes(s) && s.destinations.size() == 1 && s.guard == program::no_register &&
         flow_.writes(s.destinations[0]) == 1;
}

std::optional<std::uint64_t> SelectionDraft::literal(const SourceOperand& operand) const {
  if (operand.kind == Kind::literal) return operand.value;
  if (operand.kind != Kind::reg) return {};
  const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(operand.value));
  if (by == program::DataFlow::none || words(by).opcode != Opcode::mov || at(by).guard != program::no_register)
    return {};
  const auto& from = at(by).operands;
  if (from.size() != 1 || from[0].kind != Kind::literal) return {};
  return from[0].value;
}

std::optional<unsigned> SelectionDraft::factor(std::uint32_t i, SourceOperand& of) const {
  const auto& o = at(i).operands;
  if (o.size() != 2) return {};
  for (const std::size_t n : {1, 0}) {
    const auto value = literal(o[n]);
    if (!value || *value < 2 || !std::has_single_bit(*value)) continue;
    of = o[1 - n];
    return static_cast<unsigned>(std::countr_zero(*value));
  }
  return {};
}

std::optional<unsigned> SelectionDraft::scaling(std::uint32_t i, SourceOperand& of) const {
  const auto& o = at(i).operands;
  if (is_plain(words(i), Opcode::mul, 32)) return factor(i, of);
  if (o.size() != 2 || !is_plain(words(i), Opcode::shl, 32)) return {};
  const auto distance = literal(o[1]);
  if (!distance || *distance > 31 || *distance == 0) return {};
  of = o[0];
  return static_cast<unsigned>(*distance);
}

std::optional<unsigned> SelectionDraft::wide_scaling(std::uint32_t i) const {
  if (distances_[i] != 0) return distances_[i];
  SourceOperand of;
  return is_wide(i) ? factor(i, of) : std::nullopt;
}

bool SelectionDraft::is_wide(std::uint32_t i) const {
  const Mnemonic w = words(i);
  return w.opcode == Opcode::mul && w.has("wide") && w.ends({"u32", "s32"});
}

void SelectionDraft::alias(std::uint32_t reg, std::vector<std::uint32_t> to, std::uint32_t by) {
  aliases_[reg] = std::move(to);
  aliased_[reg] = true;
  aliased_by_[reg] = by;
  chosen(by).removed = true;
}

bool SelectionDraft::unchanged(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint32_t> open = {from};
  for (std::set<std::uint32_t> seen; !open.empty();) {
    const std::uint32_t i = open.back();
    open.pop_back();
    if (!seen.insert(i).second) continue;
    if (!flow_.unchanged(i, to)) return false;
    for (const std::uint32_t r : at(i).sources)
      if (aliased_[r] && changes(r)) open.push_back(aliased_by_[r]);
  }
  return true;
}

bool SelectionDraft::changes(std::uint32_t reg) const {
  std::vector<std::uint32_t> open = {reg};
  for (std::set<std::uint32_t> seen; !open.empty();) {
    const std::uint32_t r = open.back();
    open.pop_back();
    if (flow_.writes(r) > 1) return true;
    if (seen.insert(r).second) open.insert(open.end(), aliases_[r].begin(), aliases_[r].end());
  }
  return false;
}

bool SelectionDraft::is_name_of(std::uint32_t reg, std::uint32_t target) const {
  for (unsigned depth = 0; depth < 64; ++depth) {
    if (reg == target) return true;
    if (!aliased_[reg] || aliases_[reg].size() != 1) return false;
    reg = aliases_[reg][0];
  }
  return false;
}

Selection SelectionDraft::finish() && {
  for (std::uint32_t r = 0; r < registers(); ++r) resolve(r);
  remove_unread();
  return std::move(selection_);
}

/// Follows names to registers that instructions write.
void SelectionDraft::resolve(std::uint32_t reg) {
  std::vector<std::uint32_t> found, open = {reg}, seen;
  while (!open.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    if (std::find(seen.begin(), seen.end(), one) != seen.end()) continue;
    seen.push_back(one);
    if (!aliased_[one]) {
      found.push_back(one);
    } else {
      open.insert(open.end(), aliases_[one].begin(), aliases_[one].end());
    }
  }
  std::sort(found.begin(), found.end());
  selection_.names[reg] = std::move(found);
}

/// What only instructions read that are gone. A result that the program itself never reads stays: its compiler has
/// removed dead code, so somebody wants it computed.
void SelectionDraft::remove_unread() {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<bool> used(selection_.names.size());
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (chosen(i).removed) continue;
      for (const std::uint32_t r : chosen(i).sources)
        for (const std::uint32_t name : selection_.names[r]) used[name] = true;
    }
    for (std::uint32_t i = 0; i < count(); ++i) {
      const StaticInstruction& s = at(i);
      if (chosen(i).removed || !only_computes(s) || s.destinations.empty()) continue;
      if (std::any_of(s.destinations.begin(), s.destinations.end(),
                      [&](std::uint32_t d) { return used[d] || !selection_.read[d]; }))
        continue;
      chosen(i).removed = true;
      changed = true;
    }
  }
}

}  // namespace lockstep::machine
