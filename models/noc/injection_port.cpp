#include "models/noc/injection_port.hpp"

#include <algorithm>
#include <cmath>

#include "models/noc/message_size.hpp"

namespace lockstep::noc {

namespace {

/// Frees what lies before `head` once that is more than half, so that storage stays as large as what it held at most.
template <class Entry>
void compact(std::vector<Entry>& entries, std::size_t& head) {
  if (2 * head < entries.size()) return;
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(head));
  head = 0;
}

}  // namespace

InjectionPort::InjectionPort(const Spec& spec, std::uint32_t slices)
    : spec_(spec),
      queue_limit_(spec.injection_queue),
      credits_per_slice_(spec.credits),
      cost_per_byte_(static_cast<double>(fraction) / spec.sm_request_bytes),
      credits_(slices, spec.credits) {}

void InjectionPort::send(const Request& request, Cycle at) {
  const Waiting one{request, at};
  if (!blocked() && credits_[request.slice] > 0) return leave(one, at);
  if (!blocked()) ++counters_.credit_stalls;
  queue_.push_back(one);
}

std::uint64_t InjectionPort::cost(const Request& request) const {
  return static_cast<std::uint64_t>(std::llround(message_bytes(spec_, request) * cost_per_byte_));
}

void InjectionPort::leave(const Waiting& one, Cycle now) {
  --credits_[one.request.slice];
  free_ = std::max(free_, std::max(one.at, now) * fraction) + cost(one.request);
  const Cycle gone = (free_ + fraction - 1) / fraction;
  leaves_.push_back(gone);
  outbox_.push_back(one.request);
  outbox_.back().cycle = gone;
}

void InjectionPort::return_credit(std::uint16_t slice, Cycle now) {
  ++credits_[slice];
  bool moved = false;
  while (blocked() && credits_[queue_[head_].request.slice] > 0) {
    leave(queue_[head_++], now);
    moved = true;
  }
  if (moved && blocked()) ++counters_.credit_stalls;
  compact(queue_, head_);
}

void InjectionPort::advance(Cycle now) {
  while (first_ < leaves_.size() && leaves_[first_] <= now) ++first_;
  compact(leaves_, first_);
}

void InjectionPort::reset() {
  free_ = 0;
  std::fill(credits_.begin(), credits_.end(), credits_per_slice_);
  queue_.clear();
  leaves_.clear();
  outbox_.clear();
  head_ = first_ = 0;
}

}  // namespace lockstep::noc
