#pragma once
// The accesses of an SM that have parts in flight in its caches or beyond.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"

namespace lockstep::gpu {

/// An access whose last part has arrived or been acknowledged. `ready` may lie ahead.
struct Completion {
  std::uint32_t token = 0;  ///< The name that whoever began the access gave it.
  std::uint32_t words = 0;  ///< Of a request of kind wait: noc::Reply::words.
  Cycle ready = 0;
};

/// A line that a load looked up in a cache.
struct LineLookup {
  std::uint32_t token = 0;  ///< Of its access.
  bool hit = false;
};

/// An access is complete when each of its parts is done and it has been closed. Storage grows to the most that was ever
/// in flight and is used again.
class OpenAccesses {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void clear() {
    entries_.clear();
    free_ = none;
    count_ = 0;
    completed_.clear();
  }
  /// A new access; it stays open until close() although it has no part yet.
  std::uint32_t begin(std::uint32_t token) {
    std::uint32_t number = free_;
    if (number == none) {
      number = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      free_ = entries_[number].next_free;
    }
    entries_[number] = {token, 1, 0, none, 0};
    ++count_;
    return number;
  }
  std::uint32_t token(std::uint32_t number) const { return entries_[number].token; }
  void add_part(std::uint32_t number) { ++entries_[number].parts; }
  /// The access is not ready before this.
  void delay(std::uint32_t number, Cycle ready) { entries_[number].ready = std::max(entries_[number].ready, ready); }
  void set_words(std::uint32_t number, std::uint32_t words) { entries_[number].words = words; }
  /// A part is there at `ready`. With the last one the access is complete.
  void part_done(std::uint32_t number, Cycle ready) {
    Entry& one = entries_[number];
    one.ready = std::max(one.ready, ready);
    if (--one.parts > 0) return;
    completed_.push_back({one.token, one.words, one.ready});
    release(number);
  }
  /// No part will be added. Returns when the access is ready if nothing of it is in flight, otherwise never: it will be
  /// among completed().
  Cycle close(std::uint32_t number) {
    Entry& one = entries_[number];
    if (--one.parts > 0) return never;
    release(number);
    return one.ready;
  }

  /// What has completed since it was last cleared.
  std::vector<Completion>& completed() { return completed_; }
  /// Accesses that have begun and are not complete.
  std::uint32_t under_way() const { return count_; }

 private:
  struct Entry {
    std::uint32_t token = 0, parts = 0;
    Cycle ready = 0;  ///< When the parts that are done are there.
    std::uint32_t next_free = none;
    std::uint32_t words = 0;
  };
  void release(std::uint32_t number) {
    entries_[number].next_free = free_;
    free_ = number;
    --count_;
  }

  std::vector<Entry> entries_;
  std::uint32_t free_ = none;
  std::uint32_t count_ = 0;
  std::vector<Completion> completed_;
};

}  // namespace lockstep::gpu
