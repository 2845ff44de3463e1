#include "sim/gpu/memory_system.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::gpu {

namespace {

constexpr std::uint64_t fraction = 4096;

}  // namespace

MemorySystem::MemorySystem(const GpuSpec& spec)
    : spec_(spec.memory),
      slices_(spec_.l2.slice_hash, spec_.l2.slices, spec_.l2.interleave_bytes),
      bus_cost_(fraction * spec.clock_mhz /
                (spec_.dram.channels * spec_.dram.bytes_per_dram_cycle * spec_.dram.clock_mhz)),
      atomic_cost_(fraction * spec.clock_mhz / (spec_.l2.slices * spec_.l2.atomics_per_l2_cycle * spec_.l2.clock_mhz)),
      replies_(spec.sms) {}

void MemorySystem::begin_launch() {
  bus_free_ = atomics_free_ = 0;
  last_reply_ = 0;
}

void MemorySystem::collect(std::uint32_t sm, std::vector<noc::Request>& outbox) {
  for (const noc::Request& request : outbox) in_flight_.push_back({request, sm});
  outbox.clear();
}

void MemorySystem::run_until(Cycle end, engine::WorkerPool&) {
  std::stable_sort(in_flight_.begin(), in_flight_.end(), [](const InFlight& a, const InFlight& b) {
    return a.request.cycle != b.request.cycle ? a.request.cycle < b.request.cycle : a.sm < b.sm;
  });
  std::size_t served = 0;
  for (; served < in_flight_.size() && in_flight_[served].request.cycle < end; ++served) {
    const noc::Request& request = in_flight_[served].request;
    const auto turn = [&](std::uint64_t& free, double cost) {
      const std::uint64_t start = std::max(free, request.cycle * fraction);
      free = start + static_cast<std::uint64_t>(std::llround(cost));
      return start;
    };
    bus_busy_ += static_cast<std::uint64_t>(std::llround(request.bytes * bus_cost_));
    std::uint64_t start = turn(bus_free_, request.bytes * bus_cost_);
    ++counters_.transactions;
    if (request.kind == noc::RequestKind::read) {
      counters_.read_bytes += request.bytes;
    } else if (request.kind == noc::RequestKind::write) {
      counters_.write_bytes += request.bytes;
    } else {
      start = std::max(start, turn(atomics_free_, request.lanes * atomic_cost_));
      counters_.atomic_lanes += request.lanes;
    }
    const Cycle cycle = start / fraction + round_trip() + spec_.l2.latency + spec_.dram.latency;
    last_reply_ = std::max(last_reply_, cycle);
    std::vector<noc::Reply>& replies = replies_[in_flight_[served].sm];
    replies.push_back({request.cycle + round_trip(), 0, request.slice, true});
    replies.push_back({cycle, request.token, request.slice, false});
  }
  in_flight_.erase(in_flight_.begin(), in_flight_.begin() + static_cast<std::ptrdiff_t>(served));
  for (std::vector<noc::Reply>& replies : replies_)
    std::stable_sort(replies.begin(), replies.end(),
                     [](const noc::Reply& a, const noc::Reply& b) { return a.cycle < b.cycle; });
  counters_.busy_cycles = bus_busy_ / fraction;
}

Cycle MemorySystem::next_event() const {
  Cycle next = never;
  for (const InFlight& one : in_flight_) next = std::min(next, one.request.cycle);
  return next;
}

}  // namespace lockstep::gpu
