#pragma once
// The simplest memory: every transaction takes its turn on one data bus and is answered a fixed latency later.

#include <cstdint>

#include "models/dram/request.hpp"

namespace lockstep::dram {

/// Parameters of a BandwidthMemory.
struct BandwidthSpec {
  Cycle latency{};             ///< From leaving the SM to the reply, on an idle bus.
  double bytes_per_cycle{};    ///< Of the data bus.
  double atomics_per_cycle{};  ///< Operations that the atomic units perform.
};

/// Service in order of arrival. Time on the bus is kept in fractions of a cycle as integers, so that results do not
/// depend on the order of floating-point operations.
class BandwidthMemory {
 public:
  explicit BandwidthMemory(const BandwidthSpec& spec);

  /// Takes the next request in order of cycles and returns its reply: never earlier than `latency` after it left.
  Reply serve(const Request& request);

  std::uint64_t busy_cycles() const { return busy_ / fraction; }

 private:
  static constexpr std::uint64_t fraction = 4096;
  static std::uint64_t turn(std::uint64_t& free, Cycle arrival, std::uint64_t cost);

  Cycle latency_;
  double cost_per_byte_, cost_per_atomic_;  ///< In fractions of a cycle.
  std::uint64_t bus_free_ = 0, atomics_free_ = 0, busy_ = 0;
};

}  // namespace lockstep::dram
