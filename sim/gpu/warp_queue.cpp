#include "sim/gpu/warp_queue.hpp"

namespace lockstep::gpu {

Gate gate_of(machine::Operation operation) {
  using machine::Operation;
  switch (operation) {
    case Operation::texture_load:
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction: return Gate::memory;
    default: break;
  }
  switch (machine::unit_of(operation)) {
    case machine::Unit::core:
    case machine::Unit::integer:
    case machine::Unit::double_precision: return Gate::core;
    case machine::Unit::texture:
    case machine::Unit::special_function: return Gate::special_function;
    case machine::Unit::load_store: return Gate::load_store;
    case machine::Unit::control: break;
  }
  return Gate::control;
}

void WarpQueue::reset(std::uint32_t warps) {
  *this = WarpQueue();
  ready_.assign(warps, never);
  gates_.assign(warps, Gate::control);
  reasons_.assign(warps, Slot::no_warp);
}

Cycle WarpQueue::next_later(std::uint32_t& warp) const {
  Cycle next = never;
  for (std::uint64_t rest = later_; rest != 0; rest &= rest - 1) {
    const auto one = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (ready_[one] >= next) continue;
    next = ready_[one];
    warp = one;
  }
  return next;
}

void WarpQueue::sort_later() {
  const std::uint64_t all = later_;
  later_ = 0;
  earliest_later_ = never;
  for (std::uint64_t rest = all; rest != 0; rest &= rest - 1)
    put(static_cast<std::uint32_t>(std::countr_zero(rest)), rest & -rest);
}

Slot WarpQueue::reason_without_end(std::uint32_t& warp) const {
  Slot found = Slot::no_warp;
  for (std::uint32_t one = 0; one < ready_.size(); ++one) {
    if (ready_[one] != never || reasons_[one] == Slot::no_warp) continue;
    if (found == Slot::no_warp) warp = one;
    found = Slot::barrier;
    if (reasons_[one] == Slot::barrier) continue;
    warp = one;
    return reasons_[one];
  }
  return found;
}

}  // namespace lockstep::gpu
