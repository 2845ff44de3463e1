#include "isa/exec/checks/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lockstep::exec {

namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr std::size_t widest_access = 32;

/// Whether what races with `before` races with `stamp`, too, if that is ordered behind it: a weak access races with strong ones.
bool stands_for(const Stamp& stamp, const Stamp& before) {
  return stamp.strength <= before.strength;
}

/// Where there is no place for both, a weak access stays.
void remember(std::array<Stamp, 2>& stamps, const Stamp& stamp) {
  for (Stamp& place : stamps) {
    if (place.present() && (place.warp != stamp.warp || !stands_for(stamp, place))) continue;
    place = stamp;
    return;
  }
  if (stands_for(stamp, stamps[1])) stamps[1] = stamp;
}

}  // namespace

Races::Races(const CheckContext& context, ThreadBlock& block, LaunchHistory& launch)
    : context_(context), block_(block), launch_(launch) {}

void Races::begin() {
  const std::uint32_t warps = block_.warp_count();
  clocks_.assign(warps, WarpClock{});
  for (WarpClock& clock : clocks_) clock.now.own.assign(warps, 0);
  first_warp_ = static_cast<std::uint32_t>(block_.number() * warps);
  shared_released_ = Released();
  gatherings_.fill(Gathering{});
  mbarriers_.clear();
  waits_at_.assign(warps, std::nullopt);
}

/// A warp that waited at a barrier and goes on has been let through.
WarpClock& Races::clock(const Warp& warp) {
  if (waits_at_[warp.index]) open_barrier(*waits_at_[warp.index]);
  return clocks_[warp.index];
}

void Races::acquire(WarpClock& clock) const {
  if (clock.saw != 0) clock.acquire_lanes();
  if (!clock.seen) return;
  clock.acquire();
  if (clock.now.others == nullptr) return;
  const auto mine = clock.now.others->find(block_.number());
  if (mine != clock.now.others->end()) join(clock.now.own, mine->second);
}

void Races::enter(const Warp& warp) {
  WarpClock& mine = clock(warp);
  if (warp.active == mine.together) return;
  mine.meet(warp.active);
  if (warp.active == warp.live) mine.open_warp_barrier = false;
}

void Races::fence(const Warp& warp, bool wide) {
  WarpClock& mine = clock(warp);
  acquire(mine);
  mine.now.own[warp.index] = mine.time;
  mine.fenced = mine.now;
  if (mine.together != warp.live) mine.fence_lanes();
  if (wide) mine.fenced_wide = mine.now;
  mine.advance();
}

void Races::warp_barrier(const Warp& warp, bool open) {
  WarpClock& mine = clock(warp);
  acquire(mine);
  if (open) mine.open_warp_barrier = true;
}

void Races::arrive(const Warp& warp, std::uint32_t number, bool waits) {
  WarpClock& mine = clock(warp);
  if (number >= barrier_count) return;  // The instruction fails.
  if (block_.barriers()[number].arrived == 0) open_barrier(number);
  acquire(mine);
  mine.now.own[warp.index] = mine.time;
  Gathering& gathering = gatherings_[number];
  join(gathering.now, mine.now);
  join(gathering.fenced, mine.fenced);
  join(gathering.fenced_wide, mine.fenced_wide);
  gathering.any = true;
  mine.advance();
  if (waits) waits_at_[warp.index] = number;
}

void Races::open_barrier(std::uint32_t number) {
  if (!gatherings_[number].any) return;
  const Gathering gathering = std::exchange(gatherings_[number], Gathering{});
  for (std::uint32_t w = 0; w < waits_at_.size(); ++w) {
    if (waits_at_[w] != number) continue;
    waits_at_[w].reset();
    join(clocks_[w].now, gathering.now);
    join(clocks_[w].fenced, gathering.fenced);
    join(clocks_[w].fenced_wide, gathering.fenced_wide);
  }
}

void Races::see_released(const Warp& warp, const MemoryAccess& access, LaneMask mask) {
  if (launch_.released.empty() && shared_released_.empty()) return;
  WarpClock& mine = clocks_[warp.index];
  for_each_lane(mask, [&](unsigned lane) {
    const Located at = locate(access, warp.address[lane]);
    const Released& released = at.space == ptx::Space::shared ? shared_released_ : launch_.released;
    for (std::uint64_t word = at.address / word_bytes; word <= (at.address + access.bytes - 1) / word_bytes; ++word) {
      released.read(word, block_.number(), mine.seen, clocks_.size());
      if (const LaneTimes* of_lanes = released.read_lanes(word, first_warp_ + warp.index)) mine.see(lane, *of_lanes);
    }
  });
}

void Races::release(const Warp& warp, const MemoryAccess& access, const MemoryOrder& order, LaneMask mask) {
  WarpClock& mine = clocks_[warp.index];
  std::optional<Clock> fenced = mine.fenced, wide = mine.fenced_wide;
  if (order.releases) {
    mine.now.own[warp.index] = mine.time;
    fenced = mine.now;
    if (order.wide) wide = mine.now;
  }
  if (!fenced) return;
  const bool apart = mine.together != warp.live && (order.releases || !mine.fenced_lanes.empty());
  for_each_lane(mask, [&](unsigned lane) {
    const Located at = locate(access, warp.address[lane]);
    const bool is_shared = at.space == ptx::Space::shared;
    Released& released = is_shared ? shared_released_ : launch_.released;
    for (std::uint64_t word = at.address / word_bytes; word <= (at.address + access.bytes - 1) / word_bytes; ++word) {
      released.write(word, block_.number(), fenced, is_shared ? std::nullopt : wide);
      if (apart)
        released.write_lane(word, first_warp_ + warp.index,
                            order.releases ? mine.known[lane] : mine.fenced_lanes[lane]);
    }
  });
  if (order.releases) mine.advance();
}

Stamp Races::stamp_of(const Warp& warp, const Op& op, std::uint32_t strength) const {
  Stamp stamp;
  stamp.warp = first_warp_ + warp.index;
  stamp.time = clocks_[warp.index].time;
  stamp.strength = strength & 3;
  stamp.instruction = op.instruction & 0x1ff'ffff;
  return stamp;
}

void Races::access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, LaneMask mask, bool copies) {
  WarpClock& mine = clock(warp);
  const MemoryOrder& order = context_.kernel.checked->orders[op.instruction];
  if (order.strong && reads) {
    see_released(warp, access, mask);
    if (order.acquires) acquire(mine);
  }
  std::byte values[lanes * widest_access];
  const bool known = access.writes && !order.strong && !copies;
  if (known) {
    std::byte* to[lanes];
    for (unsigned lane = 0; lane < lanes; ++lane) to[lane] = values + lane * widest_access;
    for (unsigned e = 0; e < access.elements; ++e)
      access.transfer(warp.frame, access.planes[e], to, mask, e * access.element_bytes);
    check_same_instruction(warp, op, access, mask, values);
  }
  LaneAccess one;
  one.stamp = stamp_of(warp, op,
                       !order.strong ? Stamp::weak
                       : order.wide  ? Stamp::strong_everywhere
                                     : Stamp::strong_in_block);
  one.bytes = access.bytes;
  one.reads = reads;
  one.writes = access.writes;
  for_each_lane(mask, [&](unsigned lane) {
    one.at = locate(access, warp.address[lane]);
    if (one.at.space != ptx::Space::shared && one.at.space != ptx::Space::global) return;
    one.stamp.lane = lane & 31;
    one.value = known ? values + lane * widest_access : nullptr;
    check_lane(warp, op, one);
  });
  if (order.strong && access.writes) release(warp, access, order, mask);
}

/// Lanes that write different values to one place; accesses of one width are aligned, so that they meet whole or not.
void Races::check_same_instruction(const Warp& warp, const Op& op, const MemoryAccess& access, LaneMask mask,
                                   const std::byte* values) const {
  std::array<std::pair<std::uint64_t, unsigned>, lanes> order;
  std::size_t count = 0;
  bool rises = true;
  for_each_lane(mask, [&](unsigned lane) {
    // Local memory is of one thread each.
    const ptx::Space space = locate(access, warp.address[lane]).space;
    if (space != ptx::Space::shared && space != ptx::Space::global) return;
    rises = rises && (count == 0 || order[count - 1].first < warp.address[lane]);
    order[count++] = {warp.address[lane], lane};
  });
  if (rises) return;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 1; i < count; ++i) {
    const unsigned a = order[i - 1].second, b = order[i].second;
    if (order[i - 1].first != order[i].first) continue;
    if (std::memcmp(values + a * widest_access, values + b * widest_access, access.bytes) == 0) continue;
    report(same_instruction, context_.thread(warp, op, b), context_.thread(warp, op, a),
           locate(access, warp.address[a]));
  }
}

bool Races::is_ordered(const Stamp& before, const WarpClock& clock, const LaneAccess& lane) const {
  if (!before.present()) return true;
  if (before.warp == lane.stamp.warp) {
    return before.lane == lane.stamp.lane || clock.open_warp_barrier ||
           clock.known[lane.stamp.lane][before.lane] >= before.time;
  }
  const std::uint32_t warps = block_.warp_count();
  if (before.warp - first_warp_ < warps) return clock.now.own[before.warp - first_warp_] >= before.time;
  if (lane.at.space == ptx::Space::shared) return true;  // Of a thread block that was here before.
  if (clock.now.others == nullptr) return false;
  const auto other = clock.now.others->find(before.warp / warps);
  return other != clock.now.others->end() && other->second[before.warp % warps] >= before.time;
}

/// Whether the bytes to write are in memory already: then the order with an earlier write does not matter.
bool Races::changes_nothing(const LaneAccess& lane, std::uint64_t address, std::uint32_t bytes) const {
  if (lane.value == nullptr) return false;
  const std::byte* host = nullptr;
  if (lane.at.space == ptx::Space::shared) {
    host = block_.shared_at(address, bytes);
  } else if (const Allocation* allocation = context_.memory.find(address); allocation != nullptr) {
    host = allocation->host + (address - allocation->base);
  }
  return host != nullptr && std::memcmp(host, lane.value + (address - lane.at.address), bytes) == 0;
}

void Races::check_lane(const Warp& warp, const Op& op, const LaneAccess& lane) {
  const WarpClock& mine = clocks_[warp.index];
  Shadow& shadow = lane.at.space == ptx::Space::shared ? shared_ : launch_.memory;
  shadow.visit(lane.at.address, lane.bytes, [&](Cell& cell, std::uint64_t address, std::uint32_t bytes) {
    const auto look_at = [&](Stamp& before, Kind kind) {
      if (!before.present()) return;
      const bool ordered = is_ordered(before, mine, lane);
      const bool one_block = before.warp / block_.warp_count() == lane.stamp.warp / block_.warp_count();
      const std::uint32_t needed = one_block ? Stamp::strong_in_block : Stamp::strong_everywhere;
      const bool both_strong = std::min<std::uint32_t>(before.strength, lane.stamp.strength) >= needed;
      if (!ordered && !both_strong && (kind != write_after_write || !changes_nothing(lane, address, bytes))) {
        const std::uint32_t warps = block_.warp_count();
        report(kind, context_.thread(warp, op, lane.stamp.lane),
               {before.instruction, before.warp / warps, before.warp % warps * lanes + before.lane},
               {lane.at.space, address});
      }
      // What races with an access before this one, and comes later, races with this one, too. So it does where an atomic has seen
      // the atomics before it: what its thread does next comes behind all of them (PTX: causality order, by observation).
      const bool seen = lane.reads && both_strong && kind == write_after_write;
      if (lane.writes && (ordered || seen) && stands_for(lane.stamp, before)) before = Stamp{};
    };
    if (lane.writes) {
      for (Stamp& before : cell.writes) look_at(before, write_after_write);
      for (Stamp& before : cell.reads) look_at(before, write_after_read);
      remember(cell.writes, lane.stamp);
    } else {
      for (Stamp& before : cell.writes) look_at(before, read_after_write);
      for (Stamp& before : cell.reads)
        if (before.present() && is_ordered(before, mine, lane) && stands_for(lane.stamp, before)) before = Stamp{};
      remember(cell.reads, lane.stamp);
    }
  });
}

void Races::report(Kind kind, const ThreadAt& at, const ThreadAt& before, const Located& where) const {
  // Of a read and a write, either may have come first.
  context_.report(Check::race, kind == write_after_read ? read_after_write : kind, at, &before, [&](Finding& finding) {
    finding.place.target = finding.other->target = context_.name(where);
    const bool one_block = at.block == before.block, one_warp = one_block && at.thread / lanes == before.thread / lanes;
    if (is_mbarrier(at.instruction) && is_mbarrier(before.instruction)) {
      finding.what =
          "two threads use an mbarrier object, one of them to initialise or invalidate it, and nothing orders the two";
      finding.remedy = one_warp ? "the lanes have diverged: they must meet between the two"
                                : "put a barrier (__syncthreads()) behind the initialisation, and one in front of the "
                                  "invalidation, of the object";
      return;
    }
    switch (kind) {
      case same_instruction:
        finding.what = "two lanes of a warp write different values to the same bytes in one instruction";
        finding.remedy = "which value stays is not defined: let one lane write, or use an atomic";
        return;
      case write_after_write: finding.what = "two threads write the same bytes"; break;
      case read_after_write: finding.what = "a thread reads bytes that another one writes"; break;
      case write_after_read: finding.what = "a thread writes bytes that another one reads"; break;
    }
    finding.what += ", and nothing orders the two";
    finding.remedy =
        one_warp    ? "the lanes have diverged: they must meet between the two, or __syncwarp() must order them"
        : one_block ? "put a barrier (__syncthreads()) between them, or make both atomic"
                    : "thread blocks are ordered by a fence (__threadfence()) and an atomic or volatile write after "
                      "the one, and "
                      "an atomic or volatile read of it and a fence or barrier before the other; or make both atomic";
  });
}

}  // namespace lockstep::exec
