#include "isa/rewrite/access_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::rewrite {

using ptx::Instruction;
using ptx::Operand;

namespace {

bool is_qualifier(std::string_view word) {
  constexpr std::string_view qualifiers[] = {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel",
                                             "mmio", "cta",      "cluster", "gpu",     "sys"};
  return std::find(std::begin(qualifiers), std::end(qualifiers), word) != std::end(qualifiers);
}

ptx::Type element_type(const Instruction& instruction) {
  ptx::Type type = ptx::Type::none;
  for (const std::string& modifier : instruction.modifiers) {
    const ptx::Type found = ptx::type_named(modifier);
    if (found != ptx::Type::none) type = found;
  }
  return type;
}

std::uint32_t vector_elements(const Instruction& instruction) {
  if (instruction.has("v2")) return 2;
  if (instruction.has("v4")) return 4;
  return instruction.has("v8") ? 8 : 1;
}

bool has_address(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Operand& o) { return o.kind == Operand::Kind::address; });
}

AccessKind refused(std::string reason) {
  AccessKind kind;
  kind.treatment = AccessKind::Treatment::refused;
  kind.reason = std::move(reason);
  return kind;
}

}  // namespace

AccessKind access_kind(const Instruction& instruction) {
  using Treatment = AccessKind::Treatment;
  const std::string& opcode = instruction.opcode;
  bool shared = false, elsewhere = false;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "shared::cluster" && opcode != "cvta" && opcode != "isspacep")
      return refused("it reaches the scratchpad memory of other thread blocks");
    shared = shared || modifier == "shared" || modifier == "shared::cta";
    elsewhere = elsewhere || modifier.starts_with("global") || modifier.starts_with("local") ||
                modifier.starts_with("param") || modifier.starts_with("const");
  }
  if (opcode == "wgmma" || opcode == "tcgen05")
    return refused("it finds its scratchpad addresses in a descriptor, not in an operand");
  if (!has_address(instruction) || opcode == "cvta" || opcode == "isspacep") return {};

  AccessKind kind;
  kind.element_bytes = std::max(1u, ptx::bits_of(element_type(instruction)) / 8);
  kind.elements = vector_elements(instruction);
  if (opcode == "ld" || opcode == "st") {
    if (!shared && elsewhere) return {};
    kind.treatment = shared ? Treatment::elements : Treatment::generic;
    kind.divisible = !instruction.has("relaxed") && !instruction.has("acquire") && !instruction.has("release") &&
                     !instruction.has("mmio") && kind.element_bytes <= 8;
    return kind;
  }
  if (opcode == "atom" || opcode == "red") {
    if (!shared && elsewhere) return {};
    if (instruction.has("async")) return refused("it is an asynchronous reduction");
    kind.treatment = shared ? Treatment::whole : Treatment::generic;
    kind.divisible = false;
    return kind;
  }
  if (!shared) {
    // Of what else takes addresses without a space, only matrix loads may read scratchpad memory.
    if (opcode == "wmma" && !elsewhere) kind.treatment = Treatment::generic;
    if (kind.treatment == Treatment::generic) kind.reason = "it reads a matrix whose rows are not contiguous";
    return kind.treatment == Treatment::generic ? kind : AccessKind{};
  }
  kind.treatment = Treatment::whole;
  kind.divisible = false;
  kind.elements = 1;
  if (opcode == "ldmatrix" || opcode == "stmatrix") {
    kind.element_bytes = 16;  // Each lane names a row of 8 times 16 bits.
    return kind;
  }
  if (opcode == "mbarrier") {
    kind.element_bytes = 8;
    return kind;
  }
  const bool copies = opcode == "cp" && instruction.has("async") && !instruction.has("bulk") &&
                      !instruction.has("mbarrier") && instruction.operands.size() > 2 &&
                      instruction.operands[2].kind == Operand::Kind::integer;
  if (copies) {
    kind.element_bytes = static_cast<std::uint32_t>(instruction.operands[2].bits);
    return kind;
  }
  return refused("it reaches more of the scratchpad memory than its address operand says");
}

std::string mnemonic_of_piece(const Instruction& instruction, std::uint32_t elements, std::string_view type) {
  std::string result = instruction.opcode;
  for (std::size_t i = 0; i + 1 < instruction.modifiers.size(); ++i) {
    const std::string& modifier = instruction.modifiers[i];
    if (modifier != "v2" && modifier != "v4" && modifier != "v8") result += "." + modifier;
  }
  if (elements > 1) result += fmt::format(".v{}", elements);
  return result + "." + std::string(type);
}

Instruction in_scratchpad(Instruction generic) {
  const auto place = std::find_if_not(generic.modifiers.begin(), generic.modifiers.end(), is_qualifier);
  generic.modifiers.insert(place, "shared");
  return generic;
}

}  // namespace lockstep::rewrite
