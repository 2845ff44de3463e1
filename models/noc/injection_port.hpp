#pragma once
// How requests leave an SM: one after the other, in order, each with a credit of its slice.

#include <cstdint>
#include <vector>

#include "models/noc/counters.hpp"
#include "models/noc/message.hpp"
#include "models/noc/spec.hpp"

namespace lockstep::noc {

/// The request port of one SM. Requests are handed over in the order in which they shall leave; a request that needs a
/// credit which its slice has not given back holds up those behind it.
class InjectionPort {
 public:
  InjectionPort(const Spec& spec, std::uint32_t slices);

  /// A request that may leave from cycle `at` on.
  void send(const Request& request, Cycle at);
  /// At cycle `now`, a place at a slice has become free.
  void return_credit(std::uint16_t slice, Cycle now);

  /// Forgets requests that have left wholly by cycle `now`.
  void advance(Cycle now);
  /// The first cycle at which fewer than Spec::injection_queue requests have not left wholly; never when a credit must
  /// come first. Cycles before the last advance() count as that one.
  Cycle free_at() const {
    const std::size_t leaving = leaves_.size() - first_, all = leaving + queue_.size() - head_;
    if (all < queue_limit_) [[likely]]
      return 0;
    const std::size_t must_leave = all - queue_limit_ + 1;
    return must_leave > leaving ? never : leaves_[first_ + must_leave - 1];
  }
  /// The first cycle at which nothing is left to leave; never when a credit must come first.
  Cycle idle_at() const { return blocked() ? never : (free_ + fraction - 1) / fraction; }
  /// For how many cycles, rounded up, a request takes the port.
  Cycle cycles(const Request& request) const { return (cost(request) + fraction - 1) / fraction; }
  /// Whether requests wait for a credit.
  bool blocked() const { return head_ < queue_.size(); }
  /// How many do, those behind the first included.
  std::size_t waiting() const { return queue_.size() - head_; }
  const InjectionCounters& counters() const { return counters_; }

  /// What has left since it was last cleared, in order.
  std::vector<Request>& outbox() { return outbox_; }
  const std::vector<Request>& outbox() const { return outbox_; }
  /// Nothing waits, all credits are there, and time begins at 0.
  void reset();

 private:
  struct Waiting {
    Request request;
    Cycle at = 0;
  };
  void leave(const Waiting& one, Cycle now);
  std::uint64_t cost(const Request& request) const;

  static constexpr std::uint64_t fraction = 4096;  ///< Of a cycle: port time is kept as an integer.
  Spec spec_;
  std::uint32_t queue_limit_, credits_per_slice_;
  double cost_per_byte_;
  std::uint64_t free_ = 0;  ///< When the port is free, in fractions.
  std::vector<std::uint32_t> credits_;
  std::vector<Waiting> queue_;  ///< For a credit, from head_ on.
  std::size_t head_ = 0;
  std::vector<Cycle> leaves_;  ///< Of those that are leaving, from first_ on.
  std::size_t first_ = 0;
  std::vector<Request> outbox_;
  InjectionCounters counters_;
};

}  // namespace lockstep::noc
