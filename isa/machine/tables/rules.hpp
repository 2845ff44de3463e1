#pragma once
// Lowering tables, taken apart for looking instructions up.

#include <map>
#include <string_view>
#include <vector>

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

/// One operation of what an instruction becomes; `beside` the dependent chain when nothing waits for it.
struct Step {
  Operation operation;
  bool beside;
  bool without_first = false;  ///< Reads the operands but the first, which the last operation of the chain reads.
  bool guarded = false;        ///< The result of the operation before it in the chain decides whether it acts.
  bool rare = false;           ///< Of the code for rare operands, a chain of its own behind the branch that skips it.
  bool through_data_stage = false;          ///< See LoweringRow.
  bool late_predicates = false;             ///< The same.
  Operation alternative = Operation::exit;  ///< See Instruction.
};

/// The operations that a row or fusion names. Bug when one does not exist.
std::vector<Step> parse_operations(std::string_view text);

/// Alternatives for each of some modifiers in a row.
using ModifierRun = std::vector<std::vector<std::string_view>>;

/// A row of a lowering table.
struct Rule {
  std::vector<ModifierRun> modifiers;  ///< All must match.
  std::vector<Step> steps;
  bool later_generation;
};

/// The rows of one table in order of precedence, and its fusions.
class Rules {
 public:
  explicit Rules(const LoweringTable& table);
  /// The first row for an instruction such as "add.u32", or nullptr.
  const Rule* find(std::string_view mnemonic) const;
  /// What the pattern becomes, or nullptr where the generation has no operation for it.
  const std::vector<Step>* fused(Fusion pattern) const;
  bool constants_are_operands() const { return constants_are_operands_; }
  bool aggregates_atomics() const { return aggregates_atomics_; }
  bool of_machine_code() const { return of_machine_code_; }
  const Prologue& prologue() const { return prologue_; }

 private:
  void compile(std::span<const LoweringRow> rows);
  std::multimap<std::string_view, Rule> rules_;
  std::map<Fusion, std::vector<Step>> fusions_;
  bool constants_are_operands_;
  Prologue prologue_;
  bool aggregates_atomics_, of_machine_code_;
};

}  // namespace lockstep::machine
