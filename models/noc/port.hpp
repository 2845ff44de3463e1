#pragma once

#include "models/clock/ticks.hpp"

namespace lockstep::noc {

/// One end of the crossbar: messages pass one after the other. Times are those of a message's last byte, so that a
/// message that finds the port idle is not delayed by it.
class Port {
 public:
  explicit Port(double bytes_per_cycle) : rate_(bytes_per_cycle) {}

  /// The next message reaches the port at `arrival`; when it has passed.
  clock::Ticks pass(clock::Ticks arrival, std::uint32_t bytes) {
    const clock::Ticks cost = rate_.cost(bytes);
    busy_ += cost;
    free_ = used_ ? std::max(arrival, free_ + cost) : arrival;
    used_ = true;
    return free_;
  }
  /// Time begins at 0 again.
  void reset() { used_ = false; }
  clock::Ticks busy() const { return busy_; }

 private:
  clock::Rate rate_;
  clock::Ticks free_ = 0, busy_ = 0;  ///< free_: when the last message has passed.
  bool used_ = false;
};

}  // namespace lockstep::noc
