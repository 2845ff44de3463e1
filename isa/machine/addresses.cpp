#include "isa/machine/addresses.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

using program::MemorySpace;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

namespace {

bool has_place(const SourceOperand& operand) {
  return operand.kind == Kind::variable && operand.value == static_cast<std::uint64_t>(MemorySpace::shared);
}

/// A literal, or the place of a variable.
std::optional<std::int64_t> constant(const SourceOperand& operand) {
  if (operand.kind == Kind::literal) return static_cast<std::int64_t>(operand.value);
  if (has_place(operand)) return static_cast<std::int64_t>(operand.offset);
  return {};
}

std::uint32_t zeros(std::uint64_t value, std::uint32_t most) {
  return value == 0 ? most : std::min<std::uint32_t>(most, static_cast<std::uint32_t>(std::countr_zero(value)));
}

}  // namespace

Addresses::Addresses(const program::Kernel& kernel, const program::DataFlow& flow)
    : kernel_(kernel), flow_(flow), alignment_(kernel.register_bits.size(), most) {
  std::vector<bool> written(alignment_.size());
  for (const StaticInstruction& s : kernel.instructions)
    for (const std::uint32_t d : s.destinations) written[d] = true;
  for (std::size_t r = 0; r < written.size(); ++r)
    if (!written[r]) alignment_[r] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const StaticInstruction& s : kernel.instructions) {
      if (s.destinations.empty()) continue;
      const auto aligned = static_cast<std::uint8_t>(s.destinations.size() == 1 ? result_alignment(s) : 0);
      for (const std::uint32_t d : s.destinations) {
        if (alignment_[d] <= aligned) continue;
        alignment_[d] = aligned;
        changed = true;
      }
    }
  }
}

std::uint32_t Addresses::alignment_of(const SourceOperand& operand) const {
  if (const auto value = constant(operand)) return zeros(static_cast<std::uint64_t>(*value), most);
  return operand.kind == Kind::reg ? alignment_[operand.value] : 0;
}

std::uint32_t Addresses::result_alignment(const StaticInstruction& s) const {
  const Mnemonic w(kernel_.strings[s.mnemonic]);
  const auto& o = s.operands;
  if (!w.opcode || o.empty() || s.access != program::AccessKind::none || w.has("cc") || w.has("sat") || w.has("hi") ||
      !w.ends({"u32", "s32", "b32", "u64", "s64", "b64"}))
    return 0;
  const auto at = [&](std::size_t n) { return n < o.size() ? alignment_of(o[n]) : 0; };
  const auto distance = [&]() -> std::uint32_t {
    return o.size() > 1 && o[1].kind == Kind::literal
               ? static_cast<std::uint32_t>(std::min<std::uint64_t>(o[1].value, most))
               : 0;
  };
  switch (*w.opcode) {
    case Opcode::mov:
    case Opcode::cvta: return at(0);
    case Opcode::cvt: return w.parts.size() == 3 && is_one_of(w.parts[1], {"u32", "s32", "u64", "s64"}) ? at(0) : 0;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::min:
    case Opcode::max:
    case Opcode::selp: return std::min(at(0), at(1));
    case Opcode::and_: return std::max(at(0), at(1));
    case Opcode::shl: return std::min(most, at(0) + distance());
    case Opcode::shr: return at(0) - std::min(at(0), distance());
    case Opcode::mul: return std::min(most, at(0) + at(1));
    case Opcode::mad: return std::min({most, at(0) + at(1), at(2)});
    default: return 0;
  }
}

std::uint32_t Addresses::alignment(std::uint32_t root) const {
  if (root < first_root) return root == absolute ? most : 0;
  const std::size_t number = root - first_root;
  return number < alignment_.size() ? alignment_[number] : stepped_[number - alignment_.size()].alignment;
}

std::uint32_t Addresses::register_of(std::uint32_t root) const {
  if (root < first_root) return program::no_register;
  const std::size_t number = root - first_root;
  return number < alignment_.size() ? static_cast<std::uint32_t>(number) : stepped_[number - alignment_.size()].reg;
}

std::uint32_t Addresses::before_rounds(std::uint32_t root, std::uint32_t stepper, std::uint64_t bytes) {
  const std::uint32_t reg = register_of(root);
  std::uint32_t aligned = zeros(bytes, most);
  for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
    const auto& d = kernel_.instructions[i].destinations;
    if (i == stepper || std::find(d.begin(), d.end(), reg) == d.end()) continue;
    aligned = std::min(aligned, d.size() == 1 ? result_alignment(kernel_.instructions[i]) : 0);
  }
  stepped_.push_back({reg, aligned});
  return first_root + static_cast<std::uint32_t>(alignment_.size() + stepped_.size() - 1);
}

Addresses::Address Addresses::of(std::uint32_t instruction) const {
  const StaticInstruction& s = kernel_.instructions[instruction];
  if (s.space != MemorySpace::shared) return {};
  Address address{absolute, s.address_offset};
  std::uint32_t reg = s.address_register;
  if (reg == program::no_register) {
    const auto base = s.operands.empty() ? std::nullopt : constant(s.operands[0]);
    return base ? Address{absolute, address.offset + *base} : Address{};
  }
  for (unsigned depth = 0; depth < 64; ++depth) {
    const std::uint32_t by = flow_.writer(reg);
    if (by == program::DataFlow::none || kernel_.instructions[by].guard != program::no_register ||
        !flow_.unchanged(by, instruction))
      break;
    const Mnemonic w(kernel_.strings[kernel_.instructions[by].mnemonic]);
    const auto& o = kernel_.instructions[by].operands;
    const bool adds = is_plain(w, Opcode::add, 32) || is_plain(w, Opcode::add, 64);
    const bool subtracts = is_plain(w, Opcode::sub, 32) || is_plain(w, Opcode::sub, 64);
    if (w.opcode == Opcode::mov && o.size() == 1) {
      if (const auto value = constant(o[0])) return {absolute, address.offset + *value};
      if (o[0].kind != Kind::reg) break;
      reg = static_cast<std::uint32_t>(o[0].value);
    } else if ((adds || subtracts) && o.size() == 2) {
      const std::size_t added = constant(o[1]) ? 1 : 0;
      const auto value = constant(o[added]);
      if (!value || o[1 - added].kind != Kind::reg || (subtracts && added == 0)) break;
      address.offset += subtracts ? -*value : *value;
      reg = static_cast<std::uint32_t>(o[1 - added].value);
    } else {
      break;
    }
  }
  address.root = reg + first_root;
  return address;
}

}  // namespace lockstep::machine
