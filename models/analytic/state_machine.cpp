#include "models/analytic/state_machine.hpp"

namespace lockstep::analytic {

AtomicStateMachine::AtomicStateMachine(const StateMachineSpec& spec, const Layout& layout, const WarpAccess& access)
    : spec_(spec),
      layout_(layout),
      left_(access),
      locked_(access),
      state_(access.mask != 0 ? State::read : State::done) {}

void AtomicStateMachine::step() {
  switch (state_) {
    case State::read:
      cycles_ += bank_conflict_degree(layout_, left_) * spec_.read;
      locked_.mask = lock_conflicts(layout_, left_).winners;
      state_ = State::update;
      break;
    case State::update:
      cycles_ += spec_.update;
      state_ = State::write;
      break;
    case State::write:
      cycles_ += bank_conflict_degree(layout_, locked_) * spec_.write;
      left_.mask &= ~locked_.mask;
      state_ = State::branch;
      break;
    case State::branch:
      cycles_ += spec_.branch;
      state_ = left_.mask != 0 ? State::read : State::done;
      break;
    case State::done: break;
  }
}

std::optional<Cycle> state_machine_latency(const StateMachineSpec& spec, const Layout& layout,
                                           const WarpAccess& access) {
  if (spec.read == 0) return std::nullopt;
  AtomicStateMachine machine(spec, layout, access);
  while (machine.state() != AtomicStateMachine::State::done) machine.step();
  return machine.cycles();
}

}  // namespace lockstep::analytic
