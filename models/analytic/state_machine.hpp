#pragma once
// The atomic addition as a finite-state machine of four states: section 5.2 of Van den Braak (2015). Read and Write take
// a time per bank conflict level, Update and Branch a fixed one; Branch goes back to Read while lanes are left.

#include <cstdint>
#include <optional>

#include "models/analytic/spec.hpp"
#include "models/analytic/warp_access.hpp"

namespace lockstep::analytic {

class AtomicStateMachine {
 public:
  enum class State : std::uint8_t { read, update, write, branch, done };

  AtomicStateMachine(const StateMachineSpec& spec, const Layout& layout, const WarpAccess& access);

  State state() const { return state_; }
  /// Spends the time of the current state and moves on to the next.
  void step();
  Cycle cycles() const { return cycles_; }  ///< Spent so far.
  std::uint32_t lanes_left() const { return left_.mask; }

 private:
  const StateMachineSpec& spec_;
  const Layout& layout_;
  WarpAccess left_, locked_;  ///< Lanes not yet updated, and those of them that got their lock in this iteration.
  State state_;
  Cycle cycles_ = 0;
};

/// From the first Read until the machine is done. Nothing when there is no such model of this GPU.
std::optional<Cycle> state_machine_latency(const StateMachineSpec& spec, const Layout& layout,
                                           const WarpAccess& access);

}  // namespace lockstep::analytic
