#include "sim/gpu/sm/warps/instruction_fetch.hpp"

#include <algorithm>

namespace lockstep::gpu {

namespace {

cache::TagArray l0_of(const FetchSpec& spec) {
  return spec.l0_groups == 0 ? cache::TagArray(cache::Spec{}) : cache::TagArray(spec.l0_groups, 0, "mod");
}

}  // namespace

InstructionFetch::InstructionFetch(const FetchSpec& spec)
    : spec_(spec),
      tags_(spec.cache),
      fills_(tags_.capacity()),
      registers_(std::max(1u, spec.cache.mshrs)),
      ports_(spec.ports, Port{0, l0_of(spec), std::vector<L0Group>(spec.l0_groups)}) {}

void InstructionFetch::begin_launch(std::uint32_t places) {
  if (!on()) return;
  tags_.clear();
  std::fill(fills_.begin(), fills_.end(), Fill{});
  std::fill(registers_.begin(), registers_.end(), 0);
  last_fill_ = 0;
  groups_ = (places + spec_.buffer - 1) / spec_.buffer;
  for (Port& port : ports_) {
    port.free = 0;
    port.tags.clear();
  }
}

Cycle InstructionFetch::change(Buffer& buffer, std::uint32_t place, Cycle now) {
  Port& port = ports_[buffer.port];
  const std::uint32_t group = place / spec_.buffer;
  const bool has_l0 = spec_.l0_groups != 0;
  Cycle there = now;
  if (buffer.group == none) {  // Its time is part of the thread block's launch, which may be over later than now.
    if (has_l0)
      into_l0_with_next(port, group, port.free, 0);
    else
      fetch(group, port.free);
  } else if (has_l0) {
    there = through_l0(buffer, place, now);
  } else {
    there = group == buffer.ahead ? buffer.ahead_at : fetch(group, begin(port, spec_.interval, now));
  }
  buffer = {group, group * spec_.buffer, none, 0, has_l0, buffer.port};
  return there;
}

void InstructionFetch::fetch_ahead(Buffer& buffer, Cycle now) {
  if (buffer.group + 1 >= groups_) return;
  buffer.ahead = buffer.group + 1;
  buffer.ahead_at = fetch(buffer.ahead, begin(ports_[buffer.port], spec_.interval, now));
}

/// When the port begins a fetch, which occupies it for an interval.
Cycle InstructionFetch::begin(Port& port, Cycle interval, Cycle now) {
  const Cycle start = std::max(now, port.free);
  port.free = start + interval;
  return start;
}

/// When the warp can issue the instruction at this place in another group. What follows its last group streams into the buffer as
/// soon as the instruction cache has it; a jump waits until the L0 cache has its target.
Cycle InstructionFetch::through_l0(const Buffer& buffer, std::uint32_t place, Cycle now) {
  Port& port = ports_[buffer.port];
  const Cycle start = begin(port, place < buffer.first ? spec_.l0_back_interval : spec_.interval, now);
  const bool follows = place == buffer.first + spec_.buffer;
  L0Group& group = into_l0_with_next(port, place / spec_.buffer, start, follows ? 0 : spec_.l0_prefetch_interval);
  return std::max(start, follows ? group.streams : group.there);
}

/// As into_l0, and the prefetch behind that group, each an interval later. The cache holds more groups than that.
InstructionFetch::L0Group& InstructionFetch::into_l0_with_next(Port& port, std::uint32_t group, Cycle start,
                                                               Cycle interval) {
  L0Group& first = into_l0(port, group, start, 0);
  const std::uint32_t behind = std::min(groups_ - group - 1, spec_.l0_prefetch);
  for (std::uint32_t i = 1; i <= behind; ++i) into_l0(port, group + i, start, i * interval);
  return first;
}

/// A group that the L0 cache holds afterwards: from now on, or `delay` cycles later than it could.
InstructionFetch::L0Group& InstructionFetch::into_l0(Port& port, std::uint32_t group, Cycle start, Cycle delay) {
  std::uint32_t entry = port.tags.find(group);
  if (entry == cache::TagArray::none) {
    cache::TagArray::Victim victim;
    entry = port.tags.allocate(group, victim);
    const Cycle there = fetch(group, start);
    return port.groups[entry] = {there - spec_.latency, there + delay};
  }
  port.tags.touch(entry);
  L0Group& found = port.groups[entry];
  found.there = std::min(found.there, std::max(start, found.streams) + spec_.latency + delay);
  return found;
}

std::uint32_t InstructionFetch::all_sectors() const {
  return static_cast<std::uint32_t>((std::uint64_t{1} << (spec_.cache.line_bytes / spec_.cache.sector_bytes)) - 1);
}

/// When a group is there that the instruction cache is asked for in cycle `start`.
Cycle InstructionFetch::fetch(std::uint32_t group, Cycle start) {
  const cache::Spec& cache = spec_.cache;
  if (tags_.capacity() == 0) return start + spec_.latency + spec_.miss_latency;
  const std::uint64_t bytes = std::uint64_t{spec_.buffer} * spec_.instruction_bytes;
  const std::uint64_t first = group * bytes, end = first + bytes;
  Cycle there = start;
  std::uint64_t line = first / cache.line_bytes;
  for (; line * cache.line_bytes < end; ++line) {
    std::uint32_t sectors = 0;
    for (std::uint32_t sector = 0; sector < cache.line_bytes / cache.sector_bytes; ++sector) {
      const std::uint64_t at = line * cache.line_bytes + std::uint64_t{sector} * cache.sector_bytes;
      if (at < end && at + cache.sector_bytes > first) sectors |= 1u << sector;
    }
    there = std::max(there, from_line(line, sectors, start));
  }
  for (std::uint32_t i = 0; i < spec_.prefetch && line * cache.line_bytes < groups_ * bytes; ++i, ++line)
    from_line(line, all_sectors(), start);
  return there;
}

/// When these sectors of a line are there. A fetch that finds as many others waiting for a line as may wait looks again when the
/// line is there.
Cycle InstructionFetch::from_line(std::uint64_t line, std::uint32_t sectors, Cycle start) {
  std::uint32_t entry = tags_.find(line);
  if (entry == cache::TagArray::none) {
    cache::TagArray::Victim victim;
    entry = tags_.allocate(line, victim);
    fills_[entry] = {};
    if (spec_.warm && victim.valid == 0)
      tags_.fill(line, all_sectors());  // Nothing has had to go for it since an earlier launch.
  } else {
    tags_.touch(entry);
  }
  Fill& fill = fills_[entry];
  if ((tags_.valid(entry) & sectors) == sectors) {
    if (fill.at <= start + spec_.latency) return start + spec_.latency;
    return ++fill.waiters <= spec_.cache.mshr_merges ? fill.at : fill.at + spec_.latency;
  }
  Cycle& free = *std::min_element(registers_.begin(), registers_.end());
  const Cycle asked = std::max(start, free) + spec_.latency + spec_.miss_latency;
  fill = {std::max(asked, last_fill_ + spec_.fill_interval), 1};
  free = last_fill_ = fill.at;
  tags_.fill(line, sectors);
  return fill.at;
}

}  // namespace lockstep::gpu
