#include "sim/gpu/sm/front_end/warp_queue.hpp"

namespace lockstep::gpu {

void WarpQueue::reset(std::uint32_t warps) {
  *this = WarpQueue();
  warps_.assign(warps, Entry{});
}

Cycle WarpQueue::next_of(std::uint64_t among, std::uint32_t& warp) const {
  Cycle next = never;
  for (std::uint64_t rest = among; rest != 0; rest &= rest - 1) {
    const auto one = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (warps_[one].ready <= now_ || warps_[one].ready >= next) continue;
    next = warps_[one].ready;
    warp = one;
  }
  return next;
}

Cycle WarpQueue::next_later(std::uint32_t& warp) const {
  Cycle next = never;
  for (std::uint64_t rest = later_; rest != 0; rest &= rest - 1) {
    const auto one = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (warps_[one].ready >= next) continue;
    next = warps_[one].ready;
    warp = one;
  }
  return next;
}

void WarpQueue::sort_later() {
  const std::uint64_t all = later_;
  later_ = 0;
  earliest_later_ = never;
  for (std::uint64_t rest = all; rest != 0; rest &= rest - 1)
    put(warps_[static_cast<std::uint32_t>(std::countr_zero(rest))], rest & -rest);
}

Slot WarpQueue::reason_without_end(std::uint32_t& warp) const {
  Slot found = Slot::no_warp;
  for (std::uint32_t one = 0; one < warps_.size(); ++one) {
    if (warps_[one].ready != never || warps_[one].reason == Slot::no_warp) continue;
    if (found == Slot::no_warp) warp = one;
    found = Slot::barrier;
    if (warps_[one].reason == Slot::barrier) continue;
    warp = one;
    return warps_[one].reason;
  }
  return found;
}

}  // namespace lockstep::gpu
