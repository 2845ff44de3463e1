#pragma once
// Which bits of a kernel's registers may be ones: what alignment and the size of indices prove of addresses.

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::analysis {

/// What is known of a register's value.
struct KnownValue {
  std::uint64_t ones = 0;               ///< A superset of its ones; of those of the offset where it has a base.
  const ptx::Variable* base = nullptr;  ///< It is the address of this variable and an offset.
  bool generic = false;                 ///< That address is a generic one.
  bool mixed = false;                   ///< Or of several, or something else made of addresses: nothing is known.
  bool unset = false;                   ///< Nothing has been written to it.
  friend bool operator==(const KnownValue&, const KnownValue&) = default;
};

/// Of all registers of one function, in front of every instruction. A branch that depends on how a register compares with a
/// constant bounds it where it leads to.
class PossibleBits {
 public:
  /// For one function of the program. `block`: the thread block of every launch, where that is one; else that of PTX's
  /// .reqntid, or any. Parameters may hold anything.
  PossibleBits(const ptx::Program& program, std::uint32_t function, const std::optional<program::Dim3>& block);

  /// In front of an instruction of the function, by its number in the program.
  KnownValue before(std::uint32_t instruction, ptx::RegisterId reg) const;
  KnownValue before(std::uint32_t instruction, const ptx::Operand& operand) const;

 private:
  using Value = KnownValue;
  /// That a predicate says how a register compares with a constant.
  struct Condition {
    ptx::RegisterId reg = ptx::no_index;
    std::uint64_t most_if_true = 0, most_if_false = 0;  ///< The register is no larger.
    bool is_signed = false;
    friend bool operator==(const Condition&, const Condition&) = default;
  };
  /// Values by register, and of predicates their conditions as long as these hold.
  struct Registers {
    std::vector<Value> values;
    std::vector<Condition> conditions;
  };

  Registers registers_before(std::uint32_t instruction) const;
  Value of_operand(const ptx::Operand& operand, const Registers& registers) const;
  Value result(const ptx::Instruction& instruction, const Registers& registers) const;
  static std::optional<Condition> condition_of(const ptx::Instruction& instruction);
  /// What is known where the branch at the end of a block, if it is one, goes to a successor.
  Registers at_edge(const ptx::BasicBlock& block, std::uint32_t successor, const Registers& at_end) const;
  void execute(const ptx::Instruction& instruction, Registers& registers) const;
  std::uint64_t of_special(ptx::SpecialRegister reg) const;

  const ptx::Program& program_;
  const ptx::Function& function_;
  std::optional<program::Dim3> block_;
  std::uint32_t first_block_;
  std::vector<Registers> at_;  ///< Per block of the function, where it begins; empty: not reached.
};

}  // namespace lockstep::analysis
