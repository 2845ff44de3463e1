#pragma once
// What is known of scratchpad addresses before a kernel runs: which lie at a constant distance, and how they are
// aligned.

#include <cstdint>
#include <vector>

#include "isa/program/data_flow.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// Addresses as a root and an offset. Two addresses of one root differ by their offsets where the root's register has not
/// changed between them.
class Addresses {
 public:
  Addresses(const program::Kernel& kernel, const program::DataFlow& flow);

  struct Address {
    std::uint32_t root = 0;  ///< 0: not known.
    std::int64_t offset = 0;
  };
  /// Of a scratchpad access, by its number in Kernel::instructions.
  Address of(std::uint32_t instruction) const;
  /// The root's value is always a multiple of 2^alignment(root).
  std::uint32_t alignment(std::uint32_t root) const;
  /// The register whose value the root is, or no_register for an address that is a constant.
  std::uint32_t register_of(std::uint32_t root) const;
  /// A root for the value that the register of `root` has before the rounds of an unrolled loop, in each of which the
  /// instruction `stepper` adds to it; `bytes`: what it has added when these rounds are executed again, 0 if never.
  std::uint32_t before_rounds(std::uint32_t root, std::uint32_t stepper, std::uint64_t bytes);

 private:
  static constexpr std::uint32_t absolute = 1, first_root = 2, most = 12;
  struct Stepped {
    std::uint32_t reg, alignment;
  };

  std::uint32_t alignment_of(const program::SourceOperand& operand) const;
  std::uint32_t result_alignment(const program::StaticInstruction& s) const;

  const program::Kernel& kernel_;
  const program::DataFlow& flow_;
  std::vector<Stepped> stepped_;         ///< Roots behind those of registers.
  std::vector<std::uint8_t> alignment_;  ///< By register: how many low bits are zero, at most `most`.
};

}  // namespace lockstep::machine
