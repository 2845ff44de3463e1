#include "sim/gpu/warp_queue.hpp"

namespace lockstep::gpu {

Gate gate_of(machine::Operation operation) {
  using machine::Operation;
  switch (operation) {
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction: return Gate::memory;
    default: break;
  }
  switch (machine::unit_of(operation)) {
    case machine::Unit::core: return Gate::core;
    case machine::Unit::special_function: return Gate::special_function;
    case machine::Unit::load_store: return Gate::load_store;
    case machine::Unit::control: break;
  }
  return Gate::control;
}

void WarpQueue::reset(std::uint32_t warps) {
  ready_.assign(warps, never);
  gates_.assign(warps, Gate::control);
  reasons_.assign(warps, Slot::no_warp);
  ready_now_.fill(0);
  waiting_.clear();
  waiting_.reserve(std::size_t{4} * warps + 16);
}

Slot WarpQueue::reason_without_end() const {
  for (std::size_t warp = 0; warp < ready_.size(); ++warp)
    if (ready_[warp] == never && reasons_[warp] != Slot::no_warp) return reasons_[warp];
  return Slot::no_warp;
}

}  // namespace lockstep::gpu
