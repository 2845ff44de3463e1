#pragma once
// What the calling convention of a real GPU makes functions keep on their stack, from what ptxas 13.0 writes for sm_90:
// a function that calls itself, also through others, or whose address is taken, saves the registers that it uses of those
// that belong to its caller. What lives across its calls takes such registers, and so do its return address, if it calls, and the
// barriers by which lanes meet behind a call. Functions that are only called by name, and not again before they return, get
// registers that suit their callers, and save nothing.

#include <cstdint>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// What a function saves when it begins and restores before it returns.
struct StackFrame {
  std::uint32_t words = 0;     ///< Registers of 32 bits.
  std::uint32_t barriers = 0;  ///< Of these, those that hold what lanes wait for: moved there before, and back.
};

class CallConvention {
 public:
  /// Kernels whose calls do not say what they call have no frames.
  explicit CallConvention(const program::Kernel& kernel);

  /// A function that follows the convention begins with this basic block.
  bool begins_function(std::uint32_t block) const;
  /// Of the function of a basic block; null when it saves nothing.
  const StackFrame* frame_at(std::uint32_t block) const;
  /// Behind the last basic block of the function.
  std::uint32_t end_of_function(std::uint32_t block) const { return begins_[function_of(block) + 1]; }

  /// The register is live across a call in one of the functions, so that it has a place which calls leave as it is. True of all where
  /// calls do not say what they call.
  bool lives_across_calls(std::uint32_t reg) const { return reg >= across_.size() || across_[reg]; }

 private:
  std::uint32_t function_of(std::uint32_t block) const;
  std::vector<bool> following_convention(const program::Kernel& kernel) const;
  StackFrame frame_of(const program::Kernel& kernel, std::uint32_t function,
                      const std::vector<std::uint32_t>& functions_of_registers);

  std::vector<std::uint32_t> begins_;  ///< The first basic block of each function, ascending, and behind them the end.
  std::vector<StackFrame> frames_;     ///< By function: what it saves if it follows the convention.
  std::vector<bool> follows_;          ///< By function.
  std::vector<bool> across_;           ///< By register, see lives_across_calls().
};

}  // namespace lockstep::machine
