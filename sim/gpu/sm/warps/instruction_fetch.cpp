#include "sim/gpu/sm/warps/instruction_fetch.hpp"

#include <algorithm>

namespace lockstep::gpu {

InstructionFetch::InstructionFetch(const FetchSpec& spec)
    : spec_(spec),
      tags_(spec.cache),
      fills_(tags_.capacity()),
      registers_(std::max(1u, spec.cache.mshrs)),
      ports_free_(spec.ports) {}

void InstructionFetch::begin_launch(std::uint32_t instructions) {
  if (!on()) return;
  tags_.clear();
  std::fill(fills_.begin(), fills_.end(), Fill{});
  std::fill(registers_.begin(), registers_.end(), 0);
  groups_ = (instructions + spec_.buffer - 1) / spec_.buffer;
  std::fill(ports_free_.begin(), ports_free_.end(), 0);
}

Cycle InstructionFetch::change(Buffer& buffer, std::uint32_t group, Cycle now) {
  Cycle there = now;
  if (buffer.group == none) {  // Its time is part of the thread block's launch.
    Cycle port_free = ports_free_[buffer.port];
    fetch(group, port_free, 0);
  } else {
    there = group == buffer.ahead ? buffer.ahead_at : fetch(group, ports_free_[buffer.port], now);
  }
  buffer = {group, group * spec_.buffer, none, 0, false, buffer.port};
  return there;
}

void InstructionFetch::fetch_ahead(Buffer& buffer, Cycle now) {
  if (buffer.group + 1 >= groups_) return;
  buffer.ahead = buffer.group + 1;
  buffer.ahead_at = fetch(buffer.ahead, ports_free_[buffer.port], now);
}

Cycle InstructionFetch::fetch(std::uint32_t group, Cycle& port_free, Cycle now) {
  const Cycle start = std::max(now, port_free);
  port_free = start + spec_.interval;
  const cache::Spec& cache = spec_.cache;
  if (tags_.capacity() == 0) return start + spec_.latency + spec_.miss_latency;
  const std::uint64_t bytes = std::uint64_t{spec_.buffer} * spec_.instruction_bytes;
  const std::uint64_t first = group * bytes, end = first + bytes;
  Cycle there = start;
  for (std::uint64_t line = first / cache.line_bytes; line * cache.line_bytes < end; ++line) {
    std::uint32_t sectors = 0;
    for (std::uint32_t sector = 0; sector < cache.line_bytes / cache.sector_bytes; ++sector) {
      const std::uint64_t at = line * cache.line_bytes + std::uint64_t{sector} * cache.sector_bytes;
      if (at < end && at + cache.sector_bytes > first) sectors |= 1u << sector;
    }
    there = std::max(there, from_line(line, sectors, start));
  }
  return there;
}

/// When these sectors of a line are in the buffer. A fetch that finds as many others waiting for a line as may wait
/// looks again when the line is there.
Cycle InstructionFetch::from_line(std::uint64_t line, std::uint32_t sectors, Cycle start) {
  std::uint32_t entry = tags_.find(line);
  if (entry == cache::TagArray::none) {
    cache::TagArray::Victim victim;
    entry = tags_.allocate(line, victim);
    fills_[entry] = {};
  } else {
    tags_.touch(entry);
  }
  Fill& fill = fills_[entry];
  if ((tags_.valid(entry) & sectors) == sectors) {
    if (fill.at <= start + spec_.latency) return start + spec_.latency;
    return ++fill.waiters <= spec_.cache.mshr_merges ? fill.at : fill.at + spec_.latency;
  }
  Cycle& free = *std::min_element(registers_.begin(), registers_.end());
  fill = {std::max(start, free) + spec_.latency + spec_.miss_latency, 1};
  free = fill.at;
  tags_.fill(line, sectors);
  return fill.at;
}

}  // namespace lockstep::gpu
