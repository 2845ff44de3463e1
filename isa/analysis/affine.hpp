#pragma once
// Where the memory instructions of a kernel point, as expressions of thread indices, loop counters and launch constants,
// found in its PTX alone. What a kernel loads from memory, and what depends on it, stays opaque.

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/analysis/expression.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::analysis {

/// The address of one memory instruction in scratchpad memory, or of one that says no state space.
struct AccessAddress {
  std::uint32_t instruction = 0;  ///< Number in the program.
  bool generic = false;           ///< Written without a state space.
  /// Of a generic one: its address is one of the scratchpad memory plus an offset, so it lies there in a valid program.
  bool proven_shared = false;
  /// Of a generic one: it begins at a kernel parameter or at a variable that is not .shared.
  bool proven_elsewhere = false;
  /// Byte offset in the thread block's scratchpad memory; of a generic access not proven shared, the generic address.
  ExpressionId address = no_expression;
};

/// The addresses of a program, for launches with these values (what is not known of them stays a symbol).
class AddressAnalysis {
 public:
  explicit AddressAnalysis(const ptx::Program& program, const LaunchValues& values = {});
  ~AddressAnalysis();
  AddressAnalysis(AddressAnalysis&&) noexcept;

  /// In order of instructions; those in blocks that cannot be reached are left out.
  const std::vector<AccessAddress>& accesses() const { return accesses_; }
  Algebra& algebra() { return *algebra_; }

 private:
  std::unique_ptr<Algebra> algebra_;
  std::vector<AccessAddress> accesses_;
};

}  // namespace lockstep::analysis
