#pragma once
// What memory an instruction works on, and how: the row of its opcode, and what its modifiers say beyond it.

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

/// The state space that a modifier names, with or without the part of it behind "::" that PTX ISA 9.0 has: shared of
/// "shared::cta". None for every other word.
std::optional<Space> space_named(std::string_view modifier);

/// The state spaces that an instruction names: none, one, or of a copy two.
class NamedSpaces {
 public:
  explicit NamedSpaces(const Instruction& instruction);
  /// The first one; of a copy, that of its destination. Generic when none is named.
  Space first() const { return first_; }
  /// The modifier that names the first one, a part of the instruction; "" when none does.
  std::string_view first_modifier() const { return first_modifier_; }
  bool has(Space space) const { return (named_ & bit(space)) != 0; }
  bool has_other_than(Space space) const { return (named_ & ~bit(space)) != 0; }
  /// .shared::cluster, which reaches other thread blocks of a cluster.
  bool has_cluster() const { return has_cluster_; }
  /// Scratchpad memory, and that of the own thread block alone.
  bool has_own_scratchpad() const { return has(Space::shared) && !has_cluster_; }

 private:
  static constexpr std::uint32_t bit(Space space) { return std::uint32_t{1} << static_cast<unsigned>(space); }

  Space first_ = Space::generic;
  std::string_view first_modifier_;
  std::uint32_t named_ = 0;  ///< A bit for each.
  bool has_cluster_ = false;
};

/// The first state space that the instruction names, or generic.
inline Space space_of(const Instruction& instruction) {
  return NamedSpaces(instruction).first();
}
/// A state space as a trace has it.
program::MemorySpace memory_space_of(Space space);
/// That of the instruction: texture where its row has a texture or surface for an address, else what it names first.
program::MemorySpace memory_space_of(const Instruction& instruction);

/// How the instruction accesses memory. It is what the row of its opcode says, but for `cp`, of which copy is what moves
/// bytes (cp.async.ca and .cg), mbarrier what arrives at one, and none what closes or awaits groups of copies and what is
/// bulk; and for mbarrier.pending_count, which reads a register.
program::AccessKind access_of(const Instruction& instruction);

}  // namespace lockstep::ptx
