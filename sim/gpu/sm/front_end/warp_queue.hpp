#pragma once
// The warps of one scheduler, sorted by when their next instruction can issue and by what it needs then.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/front_end/issue_port.hpp"

namespace lockstep::gpu {

/// Warps that become ready within the next cycles stand in a wheel with a place per cycle, later ones apart; so setting
/// a warp and moving on to the next cycle cost a few instructions however many warps there are.
class WarpQueue {
 public:
  static constexpr std::uint32_t max_warps = 64;

  void reset(std::uint32_t warps);

  /// The warp's next instruction can issue at `ready`, or never until set again; `reason` names the wait until then.
  void set(std::uint32_t warp, Cycle ready, IssuePort port, Slot reason) {
    const std::uint64_t bit = std::uint64_t{1} << warp;
    Entry& entry = warps_[warp];
    const Cycle before = entry.ready;
    if (before <= now_) {
      const auto p = static_cast<std::uint32_t>(entry.port);
      if ((ready_now_[p] &= ~bit) == 0) ready_ports_ &= ~(1u << p);
    } else if ((later_ & bit) != 0) {
      later_ &= ~bit;
    } else if (before != never) {
      take_out(before, bit);
    }
    entry = {ready, port, reason};
    put(entry, bit);
  }

  /// Counts every warp whose time has come by cycle `to` among the ready ones. Cycles never go back.
  void advance(Cycle to) {
    if (to <= now_) return;
    while (now_ < to) {
      if (to - now_ <= few) {
        ++now_;
      } else {
        const std::uint32_t distance = distance_to_next();
        now_ = distance == 0 ? to : std::min(to, now_ + distance);
      }
      if (wheel_[now_ % places] != 0) take_due();
    }
    if (later_ != 0 && earliest_later_ < now_ + places) sort_later();
  }
  /// Bit mask of the ready warps that need this port.
  std::uint64_t ready(IssuePort port) const { return ready_now_[static_cast<std::size_t>(port)]; }

  /// The ports that ready warps need, one bit each.
  std::uint32_t ready_ports() const { return ready_ports_; }

  /// When the next warp becomes ready that is not yet, or never; and which one.
  Cycle next(std::uint32_t& warp) const {
    if (const std::uint32_t distance = distance_to_next(); distance != 0) {
      warp = static_cast<std::uint32_t>(std::countr_zero(wheel_[(now_ + distance) % places]));
      return now_ + distance;
    }
    return next_later(warp);
  }
  /// The same among the warps of a bit mask alone.
  Cycle next_of(std::uint64_t among, std::uint32_t& warp) const;
  /// When the warp's next instruction can issue, as it was set; and why it waits until then.
  Cycle ready_at(std::uint32_t warp) const { return warps_[warp].ready; }
  Slot reason(std::uint32_t warp) const { return warps_[warp].reason; }
  /// Whether the warp counts among the ready ones.
  bool is_ready(std::uint32_t warp) const { return warps_[warp].ready <= now_; }
  /// Why a warp waits that waits without a known end, and which; no_warp when there is none. A barrier is named only
  /// when all wait at one: it is released when the others come.
  Slot reason_without_end(std::uint32_t& warp) const;

 private:
  static constexpr std::uint32_t places = 256, words = places / 64;
  static constexpr std::uint32_t few = 4;  ///< Places that are looked at one by one sooner than the next one is found.
  struct Entry {
    Cycle ready = never;
    IssuePort port = IssuePort::control;
    Slot reason = Slot::no_warp;
  };

  void become_ready(IssuePort port, std::uint64_t bit) {
    ready_now_[static_cast<std::size_t>(port)] |= bit;
    ready_ports_ |= 1u << static_cast<std::uint32_t>(port);
  }
  void put(const Entry& entry, std::uint64_t bit) {
    const Cycle ready = entry.ready;
    if (ready <= now_) {
      become_ready(entry.port, bit);
    } else if (ready - now_ < places) {
      wheel_[ready % places] |= bit;
      occupied_[ready % places / 64] |= std::uint64_t{1} << ready % 64;
    } else if (ready != never) {
      later_ |= bit;
      earliest_later_ = std::min(earliest_later_, ready);
    }
  }
  void take_out(Cycle cycle, std::uint64_t bit) {
    if ((wheel_[cycle % places] &= ~bit) == 0) occupied_[cycle % places / 64] &= ~(std::uint64_t{1} << cycle % 64);
  }
  /// The warps of this cycle become ready.
  void take_due() {
    for (std::uint64_t due = wheel_[now_ % places]; due != 0; due &= due - 1)
      become_ready(warps_[static_cast<std::uint32_t>(std::countr_zero(due))].port, due & -due);
    wheel_[now_ % places] = 0;
    occupied_[now_ % places / 64] &= ~(std::uint64_t{1} << now_ % 64);
  }
  /// Cycles from now to the next occupied place, 0 when the wheel is empty.
  std::uint32_t distance_to_next() const {
    const auto start = static_cast<std::uint32_t>((now_ + 1) % places);
    const std::uint64_t near = occupied_[start / 64] >> start % 64;
    if (near != 0) [[likely]]
      return static_cast<std::uint32_t>(std::countr_zero(near)) + 1;
    for (std::uint32_t n = 1; n <= words; ++n) {
      const std::uint32_t word = (start / 64 + n) % words;
      if (occupied_[word] == 0) continue;
      const std::uint32_t place = word * 64 + static_cast<std::uint32_t>(std::countr_zero(occupied_[word]));
      return (place + places - start) % places + 1;
    }
    return 0;
  }
  Cycle next_later(std::uint32_t& warp) const;
  void sort_later();

  Cycle now_ = 0;
  std::uint32_t ready_ports_ = 0;
  std::array<std::uint64_t, issue_port_count> ready_now_{};
  std::array<std::uint64_t, words> occupied_{};  ///< Bit per place of the wheel.
  /// Warps by ready cycle modulo places: cycles now + 1 to now + places - 1.
  std::array<std::uint64_t, places> wheel_{};
  std::uint64_t later_ = 0;       ///< Warps that become ready beyond the wheel.
  Cycle earliest_later_ = never;  ///< Not after the earliest of them.
  std::vector<Entry> warps_;
};

}  // namespace lockstep::gpu
