#include "models/l2/slice.hpp"

#include <algorithm>
#include <bit>

#include "models/noc/message_size.hpp"

namespace lockstep::l2 {

using clock::Ticks;
using noc::RequestKind;

namespace {

cache::Spec part_of(const Spec& spec) {
  cache::Spec part = spec.cache;
  part.bytes /= spec.slices;
  return part;
}

std::uint32_t count(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::popcount(mask));
}

/// Lines without a cache: the messages name sectors of up to this many bytes.
constexpr std::uint32_t uncached_line = 32 * noc::sector_bytes;

bool later(const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : a.order > b.order;
}

}  // namespace

Slice::Slice(const Spec& spec, const noc::Spec& noc, const noc::SliceMap& map, double sm_mhz, dram::Channel& channel,
             std::uint32_t place, std::uint32_t neighbours, const Place& among_all)
    : map_(map),
      channel_(channel),
      place_(place),
      neighbours_(neighbours),
      cached_(spec.cache.bytes != 0),
      write_policy_(spec.write),
      line_shift_(std::countr_zero(cached_ ? spec.cache.line_bytes : std::min(uncached_line, spec.interleave_bytes))),
      sector_shift_(std::countr_zero(cached_ ? spec.cache.sector_bytes : noc::sector_bytes)),
      piece_shift_(std::countr_zero(spec.interleave_bytes)),
      fetch_sectors_(std::max(1u, std::min(spec.fetch_bytes, 1u << line_shift_) >> sector_shift_)),
      noc_(noc),
      texture_only_(spec.texture_only),
      latency_(cached_ ? clock::to_ticks(spec.latency) : 0),
      request_interval_(clock::Rate(spec.requests_per_l2_cycle, clock::period(sm_mhz, spec.clock_mhz)).cost(1)),
      data_(spec.bytes_per_l2_cycle, clock::period(sm_mhz, spec.clock_mhz)),
      tags_(part_of(spec)),
      parts_(cached_ && spec.partial_write == PartialWrite::mask ? tags_.capacity() : 0),
      distance_(spec, among_all),
      dirty_(spec.dirty_ways, tags_.capacity()),
      mshrs_(spec.cache),
      partial_write_(ticks(spec.partial_write_l2_interval, clock::period(sm_mhz, spec.clock_mhz))),
      atomics_(spec, clock::period(sm_mhz, spec.clock_mhz)),
      request_port_(noc.slice_request_bytes),
      reply_port_(noc.slice_reply_bytes),
      trip_(std::max<Ticks>(1, spec.wait_queue * request_interval_)),
      places_(spec.wait_queue) {}

void Slice::reset() {
  request_port_.reset();
  reply_port_.reset();
  atomics_.reset();
  taken_until_ = data_free_ = retry_ = 0;
  written_.clear();
}

void Slice::clear() {
  tags_.clear();
}

void Slice::send(Ticks arrival, std::uint32_t sm, const noc::Request& request) {
  incoming_.push_back({arrival, order_++, sm, request});
}

void Slice::accept(Ticks horizon) {
  if (incoming_.empty()) return;
  const auto before = [](const Input& a, const Input& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.sm != b.sm ? a.sm < b.sm : a.order < b.order;
  };
  if (!std::is_sorted(incoming_.begin(), incoming_.end(), before))
    std::sort(incoming_.begin(), incoming_.end(), before);
  if (input_head_ != 0) {
    input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(input_head_));
    input_head_ = 0;
  }
  std::size_t n = 0;
  for (; n < incoming_.size() && incoming_[n].time < horizon; ++n) {
    Input& input = incoming_[n];
    input.time = request_port_.pass(input.time, noc::message_bytes(noc_, input.request));
    input_.push_back(input);
  }
  crossbar_.requests += n;
  incoming_.erase(incoming_.begin(), incoming_.begin() + static_cast<std::ptrdiff_t>(n));
}

Ticks Slice::next_time() const {
  if (!circling_.empty() && takes_written_first()) [[unlikely]]
    return std::max({next_written()->back, taken_until_, data_free_});
  if (blocked_ || input_head_ == input_.size()) return clock::never;
  return std::max({input_[input_head_].time, taken_until_, data_free_, retry_});
}

Ticks Slice::next_event() const {
  Ticks next = next_time();
  for (const Input& input : incoming_) next = std::min(next, input.time);
  if (!ready_.empty()) next = std::min(next, ready_.front().time);
  if (!departing_.empty()) next = std::min(next, departing_.front().time);
  return next;
}

void Slice::wake(Ticks time) {
  now_ = time;
  if (!write_backs_.empty()) flush_write_backs();
  if (!blocked_) return;
  blocked_ = false;
  retry_ = time;
}

void Slice::take() {
  const Ticks time = next_time();
  now_ = time;
  if (!circling_.empty()) [[unlikely]] {
    const bool written = takes_written_first();
    circle(time, written ? next_written()->back : input_[input_head_].time);
    if (taken_until_ > time) return;  // The access is theirs.
    if (written) return take_written(time);
  }
  const Input& input = input_[input_head_];
  const bool waits = input.request.kind == RequestKind::wait;
  const Stall stall =
      waits && !is_written(input.request) ? go_round(time, input) : serve(time, input.sm, input.request);
  account_stall(time, stall);
  if (stall != Stall::none) {
    blocked_ = stall != Stall::atomic;
    return;
  }
  counters_.waits += waits ? 1 : 0;
  taken_until_ = time + request_interval_;
  credits_.push_back({time, input.sm, 0, 0, true, 0});
  ++input_head_;
}

/// Why the next request of the input cannot be taken, from `time` on.
void Slice::account_stall(Ticks time, Stall stall) {
  if (stall_ != Stall::none && stall != stall_) {  // Its present reason ends here.
    std::uint64_t& sum = stall_ == Stall::mshr      ? counters_.stall_mshr
                         : stall_ == Stall::channel ? counters_.stall_dram
                         : stall_ == Stall::wait    ? counters_.stall_wait
                                                    : counters_.stall_atomic;
    sum += time - stalled_since_;
  }
  if (stall != stall_) stalled_since_ = time;
  stall_ = stall;
}

/// The bits of a cache line's sectors that a message covers.
std::uint32_t Slice::sectors_of(const noc::Request& request) const {
  const std::uint32_t at = static_cast<std::uint32_t>(request.address & ((std::uint64_t{1} << line_shift_) - 1));
  constexpr int message_shift = std::countr_zero(noc::sector_bytes);
  if (sector_shift_ == message_shift) return request.sectors << (at >> sector_shift_);
  std::uint32_t sectors = 0;
  for (std::uint32_t rest = request.sectors; rest != 0; rest &= rest - 1) {
    const std::uint32_t offset = at + (static_cast<std::uint32_t>(std::countr_zero(rest)) << message_shift);
    sectors |= 1u << (offset >> sector_shift_);
  }
  return sectors;
}

std::uint32_t Slice::bytes_of(std::uint32_t sectors) const {
  return count(sectors) << sector_shift_;
}

std::uint64_t Slice::channel_address(std::uint64_t line) const {
  const std::uint64_t local = line << line_shift_, piece = local >> piece_shift_;
  return ((piece * neighbours_ + place_) << piece_shift_) | (local & ((std::uint64_t{1} << piece_shift_) - 1));
}

Slice::Stall Slice::serve(Ticks time, std::uint32_t sm, const noc::Request& asked) {
  const bool waited = asked.kind == RequestKind::wait;
  noc::Request read;
  if (waited) [[unlikely]]
    read = as_read(asked);
  const noc::Request& request = waited ? read : asked;
  Waiter waiter;
  waiter.line = map_.local_address(request.address) >> line_shift_;
  waiter.sm = sm;
  waiter.token = request.token;
  waiter.bytes = request.bytes;
  waiter.lanes = request.lanes;
  waiter.same_word = request.same_word;
  waiter.operations = request.operations;
  waiter.floating = request.floating;
  waiter.whole = request.whole_sectors;
  waiter.sectors = sectors_of(request);
  waiter.kind = request.kind;
  waiter.words = waited ? request.words : 0;
  if (!write_backs_.empty()) return Stall::channel;
  waiter.cached = cached_ && (request.texture || !texture_only_);
  const Stall stall = !waiter.cached                       ? serve_uncached(waiter)
                      : request.kind == RequestKind::write ? serve_write(time, waiter, request)
                                                           : serve_read(time, waiter);
  if (stall != Stall::none) return stall;
  if (request.words != 0 && !waited) [[unlikely]]
    mark_written(request);
  if (request.kind == RequestKind::write) {
    ++counters_.writes;
    counters_.write_sectors += count(request.sectors);
    crossbar_.write_bytes += request.bytes;
  } else if (waiter.kind == RequestKind::read) {
    ++counters_.reads;
    counters_.read_sectors += count(request.sectors);
    crossbar_.read_bytes += request.bytes;
  } else {
    ++counters_.atomics;
    crossbar_.atomic_lanes += request.lanes;
  }
  return stall;
}

Slice::Stall Slice::serve_uncached(const Waiter& waiter) {
  if (!channel_.has_room()) return Stall::channel;
  if (waiter.kind == RequestKind::write) {
    push(waiter, TransferKind::acknowledged_write, true);
  } else {
    push(waiter, TransferKind::direct_read, false);
  }
  return Stall::none;
}

/// Reads, and atomics: both need what they name in the cache.
Slice::Stall Slice::serve_read(Ticks time, const Waiter& waiter) {
  if (distance_.is_far(waiter.sm) && serve_copy(time, waiter)) return Stall::none;
  const std::uint32_t missing = waiter.sectors & ~tags_.lookup(waiter.line);
  const bool read = waiter.kind == RequestKind::read;
  if (missing != 0) {
    const Stall stall = wait_for_fill(waiter, missing);
    if (stall == Stall::none) ++(read ? counters_.read_misses : counters_.atomic_misses);
    return stall;
  }
  if (!read) {
    const Ticks start = atomics_.start_time(time, first_sector(waiter.line), waiter.sectors);
    if (start > time) {
      retry_ = start;
      return Stall::atomic;
    }
  }
  ++(read ? counters_.read_hits : counters_.atomic_hits);
  finish(use_data(time, waiter.bytes), waiter);
  return Stall::none;
}

Slice::Stall Slice::wait_for_fill(const Waiter& waiter, std::uint32_t missing) {
  const std::uint32_t brought = fetched_with(waiter.line, missing);
  if (mshrs_.refusal(waiter.line) != cache::Mshrs<Waiter>::Refusal::none) return Stall::mshr;
  if ((brought & ~mshrs_.pending(waiter.line)) != 0 && !channel_.has_room()) return Stall::channel;
  Waiter fill;
  fill.line = waiter.line;
  Waiter waiting = waiter;
  if (waiter.kind == RequestKind::write) waiting.sectors = missing;
  fill.sectors = mshrs_.wait(waiter.line, brought, waiting);
  if (fill.sectors != 0) {
    ++counters_.fills;
    push(fill, TransferKind::fill, false);
  } else {
    ++counters_.merges;
  }
  return Stall::none;
}

/// All that a miss of these sectors brings.
std::uint32_t Slice::fetched_with(std::uint64_t line, std::uint32_t missing) const {
  if (fetch_sectors_ == 1) return missing;
  const std::uint32_t group = (fetch_sectors_ < 32 ? 1u << fetch_sectors_ : 0u) - 1, entry = tags_.find(line);
  std::uint32_t all = missing;
  for (std::uint32_t first = 0; first < 1u << (line_shift_ - sector_shift_); first += fetch_sectors_) {
    if ((missing >> first & group) != 0) all |= group << first;
  }
  return entry == cache::TagArray::none ? all : all & ~tags_.valid(entry);
}

/// Serves a read of a far SM from the copy near to it, if that has all.
bool Slice::serve_copy(Ticks time, const Waiter& waiter) {
  if (waiter.kind != RequestKind::read) return false;
  const std::uint32_t entry = tags_.find(distance_.copy_for(waiter.sm, waiter.line));
  if (entry == cache::TagArray::none || (waiter.sectors & ~tags_.valid(entry)) != 0) return false;
  tags_.touch(entry);
  ++counters_.read_hits;
  answer(use_data(time, waiter.bytes) + latency_, waiter);
  return true;
}

/// A far SM's part gets a line for what the SM reads or writes, of which these sectors can be read there.
void Slice::copy(const Waiter& waiter, std::uint32_t sectors) {
  if (distance_.is_far(waiter.sm)) put_back(tags_.fill(distance_.copy_for(waiter.sm, waiter.line), sectors));
}

void Slice::forget_copies(std::uint64_t line, std::uint32_t sectors) {
  distance_.for_each_copy(line, [&](std::uint64_t copy) {
    const std::uint32_t entry = tags_.find(copy);
    if (entry != cache::TagArray::none) tags_.invalidate(entry, sectors);
  });
}

Ticks Slice::use_data(Ticks time, std::uint32_t bytes) {
  const Ticks start = std::max(time, data_free_), cost = data_.cost(bytes);
  data_free_ = start + cost;
  counters_.data_ticks += cost;
  return start;
}

void Slice::arrive(Ticks time, std::uint32_t id) {
  now_ = time;
  const std::uint32_t at = id / neighbours_;
  const Waiter waiter = transfers_[at].waiter;
  const TransferKind kind = transfers_[at].kind;
  transfers_[at].next_free = free_transfer_;
  free_transfer_ = at;
  switch (kind) {
    case TransferKind::silent_read:
    case TransferKind::silent_write: return;
    case TransferKind::acknowledged_write: answer(time, waiter); return;
    case TransferKind::direct_read: finish(time, waiter); return;
    case TransferKind::fill: break;
  }
  const Ticks start = use_data(time, bytes_of(waiter.sectors));
  const bool there = tags_.find(waiter.line) != cache::TagArray::none;
  const cache::TagArray::Victim victim = tags_.fill(waiter.line, waiter.sectors);
  if (!there) parts_.forget(tags_.find(waiter.line));
  put_back(victim);
  mshrs_.arrive(waiter.line, waiter.sectors, [&](const Waiter& waiting) { finish(start, waiting); });
}

/// All that a request needs is there at `time`.
void Slice::finish(Ticks time, const Waiter& waiter) {
  switch (waiter.kind) {
    case RequestKind::wait:  // A read by now.
    case RequestKind::read:
      if (!waiter.cached) return answer(time + distance_.of(waiter.sm), waiter);
      copy(waiter, waiter.sectors);
      return answer(
          atomics_.settled_time(time, first_sector(waiter.line), waiter.sectors) + latency_ + distance_.of(waiter.sm),
          waiter);
    case RequestKind::write: {  // Answered when it was taken.
      const std::uint32_t entry = tags_.find(waiter.line);
      if (entry != cache::TagArray::none) {
        tags_.mark_dirty(entry, waiter.sectors);
        clean_beyond(entry);
      } else {
        put_back(waiter.line, waiter.sectors);
      }
      return;
    }
    case RequestKind::atomic:
    case RequestKind::reduction: perform_atomic(time, waiter); return;
  }
}

void Slice::perform_atomic(Ticks time, const Waiter& waiter) {
  const std::uint64_t first = first_sector(waiter.line);
  const Ticks start = atomics_.start_time(time, first, waiter.sectors);
  const Ticks there = atomics_.perform(start, first, waiter.sectors, waiter.lanes, waiter.same_word, waiter.operations,
                                       waiter.floating, waiter.whole);
  const std::uint32_t entry = waiter.cached ? tags_.find(waiter.line) : cache::TagArray::none;
  if (entry != cache::TagArray::none && write_policy_ == cache::WritePolicy::back) {
    tags_.mark_dirty(entry, waiter.sectors);
    clean_beyond(entry);
  } else {
    put_back(waiter.line, waiter.sectors);
  }
  forget_copies(waiter.line, waiter.sectors);
  answer(there + (waiter.cached ? latency_ : 0) + distance_.of(waiter.sm), waiter);
}

void Slice::answer(Ticks time, const Waiter& waiter) {
  const bool data = waiter.kind == RequestKind::read || waiter.kind == RequestKind::atomic;
  ready_.push_back(
      {time, order_++, waiter.sm, waiter.token, noc::reply_bytes(noc_, data ? waiter.bytes : 0), waiter.words});
  std::push_heap(ready_.begin(), ready_.end(), [](const Ready& a, const Ready& b) { return later(a, b); });
}

void Slice::reply(Ticks horizon) {
  while (!ready_.empty() && ready_.front().time < horizon) {
    const Ready next = ready_.front();
    std::pop_heap(ready_.begin(), ready_.end(), [](const Ready& a, const Ready& b) { return later(a, b); });
    ready_.pop_back();
    departing_.push_back({reply_port_.pass(next.time, next.bytes), next.sm, next.token, next.bytes, false, next.words});
  }
}

void Slice::push(const Waiter& waiter, TransferKind kind, bool write) {
  std::uint32_t at = free_transfer_;
  if (at == ~0u) {
    at = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
  } else {
    free_transfer_ = transfers_[at].next_free;
  }
  transfers_[at] = {waiter, kind, ~0u};
  // A write that is passed on moves the bytes of its message; sectors are moved as a whole.
  const std::uint32_t bytes = kind == TransferKind::acknowledged_write ? waiter.bytes : bytes_of(waiter.sectors);
  channel_.push(now_, {channel_address(waiter.line), bytes, at * neighbours_ + place_, write});
}

noc::Counters Slice::crossbar_counters() const {
  noc::Counters counters = crossbar_;
  counters.request_ticks = request_port_.busy();
  counters.reply_ticks = reply_port_.busy();
  return counters;
}

}  // namespace lockstep::l2
