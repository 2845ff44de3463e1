#pragma once
// A selection while it is being made: what its steps ask about the kernel, and what they have decided.

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/machine/mnemonic.hpp"
#include "isa/machine/selection/selection.hpp"
#include "isa/program/data_flow.hpp"
#include "isa/ptx/contraction/contraction.hpp"

namespace lockstep::machine {

/// Instructions and registers are numbered as in the kernel.
class SelectionDraft {
 public:
  /// Every instruction stays as it is, every register has its own name.
  SelectionDraft(const program::Kernel& kernel, const Rules& rules);

  const Rules& rules() const { return rules_; }
  const program::DataFlow& flow() const { return flow_; }
  const std::vector<ptx::Contraction>& contractions() const { return contractions_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.instructions.size()); }
  std::uint32_t registers() const { return static_cast<std::uint32_t>(kernel_.register_bits.size()); }
  const std::vector<program::StaticBlock>& blocks() const { return kernel_.blocks; }
  unsigned bits(std::uint32_t reg) const { return kernel_.register_bits[reg]; }
  const program::StaticInstruction& at(std::uint32_t i) const { return kernel_.instructions[i]; }
  Selected& chosen(std::uint32_t i) { return selection_.instructions[i]; }
  const Selected& chosen(std::uint32_t i) const { return selection_.instructions[i]; }
  Mnemonic words(std::uint32_t i) const { return Mnemonic(chosen(i).mnemonic); }

  /// Computes one register that nothing else writes, in all lanes of its warp.
  bool defines_one(std::uint32_t i) const;
  /// A literal operand, or a register that holds one.
  std::optional<std::uint64_t> literal(const program::SourceOperand& operand) const;
  /// A 32-bit product with a power of two or shift left by a literal: by how many bits; the other factor is `of`.
  std::optional<unsigned> scaling(std::uint32_t i, program::SourceOperand& of) const;
  /// The same of a product of 32-bit factors with 64 bits, also one that widen_indices() made.
  std::optional<unsigned> wide_scaling(std::uint32_t i) const;
  /// A product of 32-bit factors with 64 bits.
  bool is_wide(std::uint32_t i) const;

  /// The instruction is not needed, and computes nothing.
  void remove(std::uint32_t i) { chosen(i) = {.removed = true, .mnemonic = {}, .operations = nullptr, .sources = {}}; }
  /// The instruction is not needed: the register that it would write is another name of `to`, or of nothing when that is
  /// empty (a constant).
  void alias(std::uint32_t reg, std::vector<std::uint32_t> to, std::uint32_t by);
  bool is_aliased(std::uint32_t reg) const { return aliased_[reg]; }
  /// Whether the register is an alias of nothing.
  bool is_constant(std::uint32_t reg) const { return aliased_[reg] && aliases_[reg].empty(); }
  /// DataFlow::unchanged, also of the registers that the sources of `from` are names of.
  bool unchanged(std::uint32_t from, std::uint32_t to) const;
  /// Whether the register, or one that it is a name of, is written more than once.
  bool changes(std::uint32_t reg) const;
  /// Whether the register is `target`, or one after the other alias of it alone.
  bool is_name_of(std::uint32_t reg, std::uint32_t target) const;
  void set_literal(std::uint32_t reg, std::uint64_t value) { selection_.literals[reg] = value; }
  /// The shift `i` becomes a product of its 32-bit index with 2^distance, of 64 bits.
  void set_wide_scaling(std::uint32_t i, unsigned distance) { distances_[i] = distance; }

  /// The names of every register by those that instructions write, and what is left when nothing reads it.
  Selection finish() &&;

 private:
  void resolve(std::uint32_t reg);
  void remove_unread();
  /// The literal of a product with a power of two, as its logarithm, and the other factor.
  std::optional<unsigned> factor(std::uint32_t i, program::SourceOperand& of) const;

  const program::Kernel& kernel_;
  const Rules& rules_;
  program::DataFlow flow_;
  std::vector<ptx::Contraction> contractions_;
  Selection selection_;
  std::vector<bool> aliased_;
  std::vector<std::vector<std::uint32_t>> aliases_;
  std::vector<std::uint32_t> aliased_by_;  ///< The instruction that is not needed.
  std::vector<unsigned> distances_;        ///< By instruction: of set_wide_scaling, or 0.
};

/// Neither accesses memory nor steers the program.
bool only_computes(const program::StaticInstruction& s);
/// How often the register is an operand.
std::ptrdiff_t times(const program::StaticInstruction& s, std::uint32_t reg);
/// Memory of which 32 bits of an address are enough, and whose instructions add the place of a variable to a register.
inline bool has_short_addresses(program::MemorySpace space) {
  return space == program::MemorySpace::shared || space == program::MemorySpace::constant;
}
/// The register is the base of the access and nothing else of it.
bool is_address_only(const program::StaticInstruction& s, std::uint32_t reg);

}  // namespace lockstep::machine
