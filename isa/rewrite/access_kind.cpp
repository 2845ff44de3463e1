#include "isa/rewrite/access_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/ptx/access.hpp"

namespace lockstep::rewrite {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {

bool is_qualifier(std::string_view word) {
  constexpr std::string_view qualifiers[] = {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel",
                                             "mmio", "cta",      "cluster", "gpu",     "sys"};
  return std::find(std::begin(qualifiers), std::end(qualifiers), word) != std::end(qualifiers);
}

/// An instruction on an mbarrier object. Its state space stands directly before its type.
bool is_of_mbarrier(const Instruction& instruction) {
  return access_of(instruction) == program::AccessKind::mbarrier;
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
  const Opcode opcode = instruction.opcode;
  const bool converts = instruction.row().subject == ptx::OpcodeClass::address;
  const ptx::NamedSpaces spaces(instruction);
  const bool shared = spaces.has_own_scratchpad(), elsewhere = spaces.has_other_than(ptx::Space::shared);
  if (spaces.has_cluster() && !converts) return refused("it reaches the scratchpad memory of other thread blocks");
  if (opcode == Opcode::mapa) return refused("it makes addresses in the scratchpad memory of other thread blocks");
  if (opcode == Opcode::wgmma || opcode == Opcode::tcgen05)
    return refused("it finds its scratchpad addresses in a descriptor, not in an operand");
  if (instruction.address() == nullptr || converts) return {};
  if (instruction.part_of_wmma || opcode == Opcode::wmma) {
    AccessKind kind = refused(
        "wmma finds the lines of a matrix by one stride: another stride pads them, and ldmatrix and mma.sync in its "
        "place take an address for each line");
    if (shared) return kind;
    if (!elsewhere) kind.treatment = Treatment::generic;
    return elsewhere ? AccessKind{} : kind;
  }

  AccessKind kind;
  kind.element_bytes = std::max(1u, ptx::bits_of(instruction.last_type()) / 8);
  kind.elements = instruction.vector_elements();
  if (opcode == Opcode::ld || opcode == Opcode::st) {
    if (!shared && elsewhere) return {};
    if (instruction.has("bulk")) return refused("it writes more of the scratchpad memory than one element");
    kind.treatment = shared ? Treatment::elements : Treatment::generic;
    kind.divisible = !instruction.has("relaxed") && !instruction.has("acquire") && !instruction.has("release") &&
                     !instruction.has("mmio") && kind.element_bytes <= 8;
    return kind;
  }
  if (instruction.row().subject == ptx::OpcodeClass::atomic) {
    if (!shared && elsewhere) return {};
    if (instruction.has("async")) return refused("it is an asynchronous reduction");
    kind.treatment = shared ? Treatment::whole : Treatment::generic;
    kind.divisible = false;
    return kind;
  }
  if (is_of_mbarrier(instruction)) {
    kind.treatment = shared ? Treatment::whole : Treatment::generic;
    kind.divisible = false;
    kind.elements = 1;
    kind.element_bytes = 8;
    return kind;
  }
  if (!shared) return {};
  kind.treatment = Treatment::whole;
  kind.divisible = false;
  kind.elements = 1;
  if (opcode == Opcode::ldmatrix || opcode == Opcode::stmatrix) {
    kind.element_bytes = 16;  // Each lane names a row of 8 times 16 bits.
    return kind;
  }
  const bool copies = access_of(instruction) == program::AccessKind::copy;
  if (copies && instruction.operands.size() > 2 && instruction.operands[2].kind == Operand::Kind::integer) {
    kind.element_bytes = static_cast<std::uint32_t>(instruction.operands[2].bits);
    return kind;
  }
  return refused("it reaches more of the scratchpad memory than its address operand says");
}

std::string mnemonic_of_piece(const Instruction& instruction, std::uint32_t elements, std::string_view type) {
  std::string result(name_of(instruction.opcode));
  for (std::size_t i = 0; i + 1 < instruction.modifiers.size(); ++i) {
    const std::string& modifier = instruction.modifiers[i];
    if (modifier != "v2" && modifier != "v4" && modifier != "v8") result += "." + modifier;
  }
  if (elements > 1) result += fmt::format(".v{}", elements);
  return result + "." + std::string(type);
}

Instruction in_scratchpad(Instruction generic) {
  const auto place = is_of_mbarrier(generic)
                         ? std::prev(generic.modifiers.end())
                         : std::find_if_not(generic.modifiers.begin(), generic.modifiers.end(), is_qualifier);
  generic.modifiers.insert(place, "shared");
  return generic;
}

}  // namespace lockstep::rewrite
