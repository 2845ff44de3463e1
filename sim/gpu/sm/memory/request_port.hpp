#pragma once
// Where requests leave an SM and replies come back: translation buffer, the port with its credits, and what every request
// without a reply is for.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/cache/tlb.hpp"
#include "models/noc/injection_port.hpp"
#include "models/noc/message.hpp"
#include "models/noc/slice_map.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/memory/pending_request.hpp"
#include "sim/gpu/sm/memory/store_buffer.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class RequestPort {
 public:
  RequestPort(const GpuSpec& spec, const noc::SliceMap& slices, MemoryUnitCounters& counters);

  /// Nothing is in flight; translations stay.
  void begin_launch();

  /// The first cycle at which another request can be handed over; never while a credit must come first.
  Cycle free_at() const {
    return stores_.excess() == 0 ? port_.free_at() : std::max(port_.free_at(), stores_leave_at());
  }
  /// Forgets requests that have left wholly by cycle `now`, and sends stores that have waited long enough.
  void advance(Cycle now) {
    port_.advance(now);
    if (!stores_.empty()) send_stores(now);
  }
  /// A request that may leave from cycle `at` on, behind those handed over before.
  void send(noc::Request request, PendingRequest pending, Cycle at);
  /// A request of an access that others overtake: it reaches the port at its own time, `at`.
  void send_later(const noc::Request& request, const PendingRequest& pending, Cycle at);
  /// A write of `bytes` of the block of 128 in which request.address lies, which may be merged with others. Returns whether it
  /// joins one that waits: then it has no reply of its own.
  bool store(const noc::Request& request, const coalescer::ByteMask& bytes, const PendingRequest& pending, Cycle at);
  /// Whether stores are merged.
  bool merges_stores() const { return stores_.exists(); }
  /// Asks for sectors of a cache's line, or writes them back: one request for every piece that lies in one slice.
  void send_line(const cache::Spec& spec, std::uint64_t line, std::uint32_t sectors, noc::RequestKind kind,
                 PendingRequest pending, Cycle at, bool later = false);

  /// What has come back to the SM; taken at its cycle by receive().
  void deliver(const noc::Reply& reply);
  /// The cycle of the next reply or of a request that leaves later than its access, or never.
  Cycle next_event() const {
    Cycle next = inbox_head_ < inbox_.size() ? inbox_[inbox_head_].cycle : never;
    if (!stores_.empty()) next = std::min(next, stores_.next(port_.idle_at()));
    return later_.empty() ? next : std::min(next, later_.front().at);
  }
  /// Up to cycle `now`: sends what is due and takes replies, calling on_reply(PendingRequest, noc::Reply) for each that
  /// is no credit. Returns whether there was one.
  template <class F>
  bool receive(Cycle now, F&& on_reply) {
    port_.advance(now);
    send_due(now);
    bool any = false;
    while (inbox_head_ < inbox_.size() && inbox_[inbox_head_].cycle <= now) {
      const noc::Reply reply = inbox_[inbox_head_++];
      if (reply.credit) {
        port_.return_credit(reply.slice, reply.cycle);
      } else {
        on_reply(accept(reply), reply);
        any = true;
      }
    }
    if (2 * inbox_head_ >= inbox_.size()) {
      inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(inbox_head_));
      inbox_head_ = 0;
    }
    if (!stores_.empty()) send_stores(now);
    return any;
  }

  /// Requests that have left, or will leave at their cycle, since it was last cleared.
  std::vector<noc::Request>& outbox() { return port_.outbox(); }
  const noc::InjectionCounters& counters() const { return port_.counters(); }

  /// Requests that have been handed over and whose reply has not been taken.
  std::uint32_t pending() const { return pending_count_; }
  /// Of these, those that have been taken out of the outbox and whose reply has not been delivered: the memory has them.
  std::uint64_t in_memory() const;
  /// Whether a request waits for a credit that a slice must give back.
  bool waits_for_credit() const { return port_.blocked(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Later {
    Cycle at = 0;
    std::uint64_t order = 0;
    noc::Request request;
    PendingRequest pending;
    static bool is_after(const Later& a, const Later& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  void send_due(Cycle now);
  void send_stores(Cycle now);
  Cycle stores_leave_at() const;
  PendingRequest accept(const noc::Reply& reply);

  const MemorySpec& memory_;
  const noc::SliceMap& slices_;
  MemoryUnitCounters& counters_;
  cache::Tlb tlb_;
  noc::InjectionPort port_;
  StoreBuffer stores_;
  std::vector<PendingRequest> pending_;  ///< By token of the request.
  std::uint32_t free_pending_ = none;
  std::uint32_t pending_count_ = 0;
  std::vector<noc::Reply> inbox_;  ///< In order of cycles from inbox_head_ on.
  std::size_t inbox_head_ = 0;
  std::vector<Later> later_;  ///< A heap: the next first.
  std::uint64_t sent_later_ = 0;
};

}  // namespace lockstep::gpu
