#include "isa/machine/vector_elements.hpp"

#include <algorithm>
#include <optional>

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;

constexpr unsigned word_bytes = 4;

bool is_half_precision(const Mnemonic& w) {
  return std::any_of(w.parts.begin(), w.parts.end(), [](std::string_view part) {
    return is_one_of(part, {"f16", "f16x2", "bf16", "bf16x2"});
  });
}

/// The result's low 16 bits follow from those of the operands.
bool ignores_high_half(const Mnemonic& w) {
  for (const Opcode opcode : {Opcode::add, Opcode::sub, Opcode::shl, Opcode::not_, Opcode::neg, Opcode::mov})
    if (is_plain(w, opcode, 16)) return true;
  return is_logic(w, 16) ||
         ((w.opcode == Opcode::mul || w.opcode == Opcode::mad) && w.has("lo") && w.ends({"u16", "s16"}));
}

/// The elements of a store, in order: what is written behind its base. Empty where that is not known.
std::vector<SourceOperand> elements_of(const StaticInstruction& store) {
  if (store.operands.size() != store.vector_elements + 1u) return {};
  return {store.operands.begin() + 1, store.operands.end()};
}

}  // namespace

VectorElements::VectorElements(const program::Kernel& kernel, const Selection& selection, const program::DataFlow& flow)
    : kernel_(kernel), selection_(selection), flow_(flow) {}

std::vector<std::uint32_t> VectorElements::taken_out(std::uint32_t load) const {
  const StaticInstruction& s = kernel_.instructions[load];
  std::vector<std::uint32_t> taken;
  if (s.access != AccessKind::load || s.vector_elements < 2 || s.element_bytes >= word_bytes) return taken;
  const bool places_known = s.destinations.size() == s.vector_elements;
  for (std::uint32_t n = 0; n < s.destinations.size(); ++n) {
    const bool lowest = places_known && n * s.element_bytes % word_bytes == 0;
    if (needs_it_alone(s.destinations[n], s.element_bytes, lowest)) taken.push_back(s.destinations[n]);
  }
  return taken;
}

/// Whether some instruction reads an element of `bytes` that must stand in a register of its own, its high bits zero or the sign.
/// `lowest`: it begins its word.
bool VectorElements::needs_it_alone(std::uint32_t element, unsigned bytes, bool lowest) const {
  const auto& readers = flow_.readers(element);
  return std::any_of(readers.begin(), readers.end(), [&](std::uint32_t n) {
    const StaticInstruction& reader = kernel_.instructions[n];
    const Mnemonic w(kernel_.strings[reader.mnemonic]);
    if (reader.access == AccessKind::store) {
      if (reader.vector_elements > 1) return !is_as_loaded(n);
      return !(lowest && reader.element_bytes <= bytes);
    }
    if (w.opcode == Opcode::mov && reader.operands.size() > 1) return false;
    if (bytes == 1) return true;
    // A conversion that costs something takes its half itself.
    const bool costs = !selection_.instructions[n].removed && w.opcode == Opcode::cvt && w.ends({"s16", "s8", "u8"});
    return !is_half_precision(w) && !costs && !(lowest && ignores_high_half(w));
  });
}

/// Whether the elements are those of one load of as many, in the same order.
bool VectorElements::is_as_loaded(std::uint32_t store) const {
  const StaticInstruction& s = kernel_.instructions[store];
  const std::vector<SourceOperand> elements = elements_of(s);
  if (elements.empty() || elements[0].kind != SourceOperand::Kind::reg) return false;
  const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(elements[0].value));
  if (by == program::DataFlow::none) return false;
  const StaticInstruction& load = kernel_.instructions[by];
  return load.access == AccessKind::load && load.element_bytes == s.element_bytes &&
         std::equal(elements.begin(), elements.end(), load.destinations.begin(), load.destinations.end(),
                    [](const SourceOperand& element, std::uint32_t loaded) {
                      return element.kind == SourceOperand::Kind::reg && element.value == loaded;
                    });
}

bool VectorElements::is_half_result(std::uint32_t element) const {
  const std::uint32_t by = flow_.writer(element);
  return by != program::DataFlow::none &&
         is_half_precision(Mnemonic(kernel_.strings[kernel_.instructions[by].mnemonic]));
}

std::vector<VectorElements::Placement> VectorElements::put_together(std::uint32_t store) const {
  const StaticInstruction& s = kernel_.instructions[store];
  const std::vector<SourceOperand> elements = elements_of(s);
  if (s.access != AccessKind::store || s.vector_elements < 2 || elements.empty() || is_as_loaded(store)) return {};
  const bool all_known =
      std::all_of(elements.begin(), elements.end(), [&](const SourceOperand& e) { return literal(e).has_value(); });
  if (all_known) return {};
  return s.element_bytes < word_bytes ? packed(elements, s.element_bytes) : copied(elements, s.element_bytes);
}

std::optional<std::uint64_t> VectorElements::literal(const SourceOperand& element) const {
  if (element.kind == SourceOperand::Kind::literal) return element.value;
  if (element.kind == SourceOperand::Kind::reg) return selection_.literals[element.value];
  return {};
}

std::vector<VectorElements::Placement> VectorElements::packed(const std::vector<SourceOperand>& elements,
                                                              unsigned bytes) const {
  std::vector<Placement> placements;
  const std::size_t per_word = std::min<std::size_t>(word_bytes / bytes, elements.size());
  const auto in_register = [](const SourceOperand& e) { return e.kind == SourceOperand::Kind::reg; };
  for (std::size_t first = 0; first + per_word <= elements.size(); first += per_word) {
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(per_word);
    const bool is_packed = std::any_of(begin, end, [&](const SourceOperand& e) {
      return in_register(e) && is_half_result(static_cast<std::uint32_t>(e.value));
    });
    if (is_packed) continue;
    for (auto e = begin + 1; e != end; ++e) {
      Placement& placement = placements.emplace_back();
      placement.permutes = true;
      placement.continues = e != begin + 1;
      if (!placement.continues && in_register(*begin))
        placement.registers.push_back(static_cast<std::uint32_t>(begin->value));
      if (in_register(*e)) placement.registers.push_back(static_cast<std::uint32_t>(e->value));
    }
  }
  return placements;
}

std::vector<VectorElements::Placement> VectorElements::copied(const std::vector<SourceOperand>& elements,
                                                              unsigned bytes) const {
  std::vector<Placement> placements;
  bool zero_before = false;  // A word at an even place, whose move makes its neighbour's as well.
  for (std::size_t n = 0; n < elements.size(); ++n) {
    if (const std::optional<std::uint64_t> value = literal(elements[n])) {
      const bool made = *value == 0 && zero_before && n % 2 == 1;
      if (*value == 0 && !made) placements.emplace_back();  // CS2R where it has eight bytes.
      zero_before = *value == 0 && bytes == word_bytes;
      continue;
    }
    zero_before = false;
    const auto at = elements.begin() + static_cast<std::ptrdiff_t>(n);
    if (std::find(elements.begin(), at, *at) == at) continue;
    for (unsigned words = 0; words < bytes / word_bytes; ++words)
      placements.push_back({false, false, {static_cast<std::uint32_t>(at->value)}});
  }
  return placements;
}

}  // namespace lockstep::machine
