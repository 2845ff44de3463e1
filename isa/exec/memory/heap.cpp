#include "isa/exec/memory/heap.hpp"

#include <algorithm>
#include <iterator>

namespace lockstep::exec {

Heap::Heap(DeviceMemory& memory)
    : base_(memory.allocate(Allocation::Kind::buffer, "heap of malloc", size).base), gaps_{{0, size}} {}

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > size) return 0;
  const std::uint64_t needed = taken(bytes);
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& one) { return one.second >= needed; });
  if (gap == gaps_.end()) return 0;
  const auto [offset, length] = *gap;
  gaps_.erase(gap);
  if (length > needed) gaps_.emplace(offset + needed, length - needed);
  used_.emplace(offset, bytes);
  return base_ + offset;
}

bool Heap::release(std::uint64_t address) {
  const auto used = used_.find(address - base_);
  if (used == used_.end()) return false;
  auto gap = gaps_.emplace(used->first, taken(used->second)).first;
  used_.erase(used);
  if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return true;
  if (const auto before = std::prev(gap); before->first + before->second == gap->first) {
    before->second += gap->second;
    gaps_.erase(gap);
  }
  return true;
}

}  // namespace lockstep::exec
