#include "isa/exec/order_dependence.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::exec {

namespace {

using program::AccessKind;
using program::MemorySpace;

/// The registers and memories whose values depend on what was received.
class Dependent {
 public:
  Dependent(const program::Kernel& kernel, const std::vector<bool>& received)
      : registers_(kernel.register_bits.size()) {
    // In each pass but the last something is added, so it ends.
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t n = 0; n < kernel.instructions.size(); ++n)
        grown = follow(kernel.instructions[n], received[n]) || grown;
    }
  }

  bool has(std::uint32_t reg) const { return reg != program::no_register && registers_[reg]; }
  bool any_source(const program::StaticInstruction& instruction) const {
    return std::any_of(instruction.sources.begin(), instruction.sources.end(), [&](std::uint32_t r) { return has(r); });
  }

 private:
  static bool set(bool& flag) { return !std::exchange(flag, true); }

  /// True when something has become dependent.
  bool follow(const program::StaticInstruction& instruction, bool receives) {
    const bool shared = instruction.space == MemorySpace::shared || instruction.space == MemorySpace::generic;
    const bool local = instruction.space == MemorySpace::local || instruction.space == MemorySpace::generic;
    bool depends = receives || any_source(instruction);
    bool grown = false;
    switch (instruction.access) {
      case AccessKind::store:
      case AccessKind::reduction:
      case AccessKind::atomic:
        if (depends && shared) grown = set(in_shared_);
        if (depends && local) grown = set(in_local_) || grown;
        break;
      default: break;
    }
    if (instruction.access == AccessKind::load || instruction.access == AccessKind::atomic)
      depends = depends || (shared && in_shared_) || (local && in_local_);
    if (!depends) return grown;
    for (const std::uint32_t destination : instruction.destinations) {
      grown = grown || !registers_[destination];
      registers_[destination] = true;
    }
    return grown;
  }

  std::vector<bool> registers_;
  bool in_shared_ = false, in_local_ = false;
};

/// Values that a store or atomic moves do not count, its address and its guard do.
bool address_depends(const Dependent& dependent, const program::StaticInstruction& instruction) {
  switch (instruction.access) {
    case AccessKind::none: return false;
    case AccessKind::copy:     // Two addresses and a size.
    case AccessKind::barrier:  // Its entry has the number and the threads.
    case AccessKind::mbarrier: return dependent.any_source(instruction);
    default: break;
  }
  if (dependent.has(instruction.guard)) return true;
  return instruction.space == MemorySpace::texture ? dependent.any_source(instruction)
                                                   : dependent.has(instruction.address_register);
}

/// A branch by its guard or the index into its targets; what leaves, by its guard.
bool control_depends(const Dependent& dependent, const program::StaticInstruction& instruction) {
  switch (instruction.control) {
    case program::Control::branch: return dependent.any_source(instruction);
    case program::Control::call:
    case program::Control::ret:
    case program::Control::exit:
    case program::Control::trap: return dependent.has(instruction.guard);
    default: return false;
  }
}

}  // namespace

std::optional<trace::OrderDependence> order_dependence(const program::Kernel& kernel, std::uint32_t number,
                                                       const std::vector<bool>& received) {
  if (std::find(received.begin(), received.end(), true) == received.end()) return std::nullopt;
  const Dependent dependent(kernel, received);
  trace::OrderDependence result;
  result.kernel = number;
  for (std::uint32_t n = 0; n < kernel.instructions.size(); ++n) {
    const program::StaticInstruction& instruction = kernel.instructions[n];
    const bool control = control_depends(dependent, instruction);
    const bool address = address_depends(dependent, instruction);
    if ((control || address) && result.branches + result.addresses == 0) result.first = n;
    result.branches += control ? 1 : 0;
    result.addresses += address ? 1 : 0;
  }
  if (result.branches + result.addresses == 0) return std::nullopt;
  return result;
}

}  // namespace lockstep::exec
