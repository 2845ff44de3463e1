#include "models/cache/tag_array.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::cache {

namespace {

std::uint32_t lines_of(const Spec& spec) {
  return spec.bytes == 0 ? 0 : spec.bytes / spec.line_bytes;
}

std::uint32_t ways_of(std::uint32_t lines, std::uint32_t ways) {
  return ways == 0 || ways > lines ? lines : ways;
}

/// The map from the low bits of the line number to the set. Twice the bits of a set number are enough for a hash that
/// folds one field onto the other; a number of sets that is no power of two needs a long table, because the pattern
/// breaks off where the table ends.
hash::AddressMap set_map(const std::string& set_hash, std::uint32_t sets) {
  constexpr std::uint64_t longest = 1 << 16;
  const std::uint64_t square = std::uint64_t{sets} * sets;
  return hash::make_address_map(set_hash, sets, std::has_single_bit(sets) ? std::min(square, longest) : longest);
}

}  // namespace

TagArray::TagArray(const Spec& spec) : TagArray(lines_of(spec), spec.ways, spec.set_hash) {}

TagArray::TagArray(std::uint32_t lines, std::uint32_t ways, const std::string& set_hash)
    : ways_(ways_of(lines, ways)),
      set_map_(lines == 0 ? hash::AddressMap() : set_map(set_hash, lines / ways_)),
      entries_(lines == 0 ? 0 : lines / ways_ * ways_),
      newest_(sets()),
      index_(capacity()) {
  clear();
}

void TagArray::unlink(std::uint32_t entry) {
  const Entry& e = entries_[entry];
  entries_[e.newer].older = e.older;
  entries_[e.older].newer = e.newer;
}

void TagArray::link_before(std::uint32_t entry, std::uint32_t first) {
  Entry& e = entries_[entry];
  e.older = first;
  e.newer = entries_[first].newer;
  entries_[e.newer].older = entry;
  entries_[first].newer = entry;
}

void TagArray::touch(std::uint32_t entry) {
  std::uint32_t& newest = newest_[entry / ways_];
  if (newest == entry) return;
  if (entries_[newest].newer != entry) {  // Otherwise it is the oldest, and the ring need only turn.
    unlink(entry);
    link_before(entry, newest);
  }
  newest = entry;
}

std::uint32_t TagArray::allocate(std::uint64_t line, Victim& victim) {
  std::uint32_t& newest = newest_[set_of(line)];
  const std::uint32_t entry = entries_[newest].newer;  // The oldest.
  Entry& e = entries_[entry];
  victim = {};
  if (e.held) {
    victim = {index_.line(entry), e.dirty, e.valid};
    index_.erase(entry);
  }
  e.valid = e.dirty = 0;
  e.held = true;
  index_.insert(entry, line);
  newest = entry;
  return entry;
}

void TagArray::drop(std::uint32_t entry) {
  Entry& e = entries_[entry];
  if (!e.held) return;
  index_.erase(entry);
  e.valid = e.dirty = 0;
  e.held = false;
  demote(entry);  // It is taken before any line has to go.
}

void TagArray::demote(std::uint32_t entry) {
  std::uint32_t& newest = newest_[entry / ways_];
  if (newest == entry) {
    newest = entries_[entry].older;
  } else if (entries_[entry].older != newest) {
    unlink(entry);
    link_before(entry, newest);
  }
}

void TagArray::clear() {
  index_.clear();
  for (std::uint32_t entry = 0; entry < capacity(); ++entry) {
    const std::uint32_t first = entry / ways_ * ways_, way = entry - first;
    entries_[entry] = {0, 0, first + (way + ways_ - 1) % ways_, first + (way + 1) % ways_, false};
  }
  for (std::uint32_t set = 0; set < newest_.size(); ++set) newest_[set] = set * ways_;
}

}  // namespace lockstep::cache
