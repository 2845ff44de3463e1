#include "models/dram/bandwidth_memory.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::dram {

BandwidthMemory::BandwidthMemory(const BandwidthSpec& spec)
    : latency_(spec.latency),
      cost_per_byte_(static_cast<double>(fraction) / spec.bytes_per_cycle),
      cost_per_atomic_(static_cast<double>(fraction) / spec.atomics_per_cycle) {}

std::uint64_t BandwidthMemory::turn(std::uint64_t& free, Cycle arrival, std::uint64_t cost) {
  const std::uint64_t start = std::max(free, arrival * fraction);
  free = start + cost;
  return start;
}

Reply BandwidthMemory::serve(const Request& request) {
  const auto bus_cost = static_cast<std::uint64_t>(std::llround(request.bytes * cost_per_byte_));
  busy_ += bus_cost;
  std::uint64_t start = turn(bus_free_, request.cycle, bus_cost);
  if (request.kind == RequestKind::atomic) {
    const auto cost = static_cast<std::uint64_t>(std::llround(request.lanes * cost_per_atomic_));
    start = std::max(start, turn(atomics_free_, request.cycle, cost));
  }
  return {start / fraction + latency_, request.token};
}

}  // namespace lockstep::dram
