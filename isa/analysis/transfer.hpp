#pragma once
// What one instruction computes, as an expression of its operands. Internal to this folder.

#include <functional>
#include <optional>

#include "isa/analysis/expression.hpp"
#include "isa/ptx/program.hpp"
#include "isa/ptx/shared_layout.hpp"

namespace lockstep::analysis {

/// What is the same for all instructions of a program.
class Transfer {
 public:
  Transfer(const ptx::Program& program, const LaunchValues& values, Algebra& algebra);

  using ReadRegister = std::function<ExpressionId(ptx::RegisterId)>;

  /// The value of an operand; `type` is what an integer literal is read as. no_expression when it has none here.
  ExpressionId operand(const ptx::Operand& operand, ptx::Type type, std::uint32_t function,
                       const ReadRegister& read) const;
  /// What the instruction writes to its only destination register; no_expression when that is no such expression.
  ExpressionId result(const ptx::Instruction& instruction, std::uint32_t function, const ReadRegister& read) const;
  /// The address that a memory instruction forms from its first address operand; no_expression without one.
  ExpressionId address(const ptx::Instruction& instruction, std::uint32_t function, const ReadRegister& read) const;
  /// The results differ between lanes even where the operands do not.
  static bool differs_by_lane(const ptx::Instruction& instruction);
  /// The result is the same in all lanes whatever the operands are.
  static bool same_in_all_lanes(const ptx::Instruction& instruction);
  /// What is known of a result that is no expression.
  static Range result_range(const ptx::Instruction& instruction);
  AtomId shared_window() const;
  /// Whether an address has the value of a kernel parameter or of a variable's address as one of its terms.
  bool begins_elsewhere(ExpressionId address) const;

 private:
  ExpressionId special(ptx::SpecialRegister reg) const;
  ExpressionId symbol(const std::string& name, std::int64_t offset, std::uint32_t function) const;
  ExpressionId parameter(const ptx::Instruction& instruction, std::uint32_t function) const;
  ExpressionId convert(const ptx::Instruction& instruction, ExpressionId value) const;
  ExpressionId divide(ptx::Type type, ExpressionId x, ExpressionId y, bool remainder) const;
  ExpressionId least(ExpressionId x, ExpressionId y, bool greatest) const;

  const ptx::Program& program_;
  const LaunchValues& values_;
  Algebra& algebra_;
  ptx::VariableLayout layout_;
  std::map<std::string, std::uint64_t, std::less<>> parameter_offsets_;
  mutable std::map<std::string, std::uint32_t> symbols_;  ///< Variables elsewhere, numbered.
};

}  // namespace lockstep::analysis
