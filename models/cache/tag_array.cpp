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
  return hash::shared_address_map(set_hash, sets, std::has_single_bit(sets) ? std::min(square, longest) : longest);
}

}  // namespace

TagArray::TagArray(const Spec& spec) : TagArray(lines_of(spec), spec.ways, spec.set_hash, spec.replacement) {}

TagArray::TagArray(std::uint32_t lines, std::uint32_t ways, const std::string& set_hash, const std::string& replacement)
    : ways_(ways_of(lines, ways)),
      set_map_(lines == 0 ? hash::AddressMap() : set_map(set_hash, lines / ways_)),
      entries_(lines == 0 ? 0 : lines / ways_ * ways_),
      first_(lines == 0 ? 0 : sets(), none),
      replacement_(make_replacement(replacement, {lines == 0 ? 0 : sets(), ways_})),
      index_(capacity()) {
  clear();
}

/// An entry that is not in the stack of its set becomes its top.
void TagArray::put_first(std::uint32_t entry) {
  std::uint32_t& first = first_[entry / ways_];
  Entry& e = entries_[entry];
  e.goes_first = true;
  e.above = none;
  e.below = first;
  if (first != none) entries_[first].above = entry;
  first = entry;
}

/// An entry leaves the stack of its set.
void TagArray::keep(std::uint32_t entry) {
  Entry& e = entries_[entry];
  e.goes_first = false;
  (e.above == none ? first_[entry / ways_] : entries_[e.above].below) = e.below;
  if (e.below != none) entries_[e.below].above = e.above;
}

std::uint32_t TagArray::allocate(std::uint64_t line, Victim& victim) {
  is_new_ = false;
  const std::uint32_t set = set_of(line);
  std::uint32_t entry = first_[set];
  if (entry != none) {
    keep(entry);
  } else {
    entry = set * ways_ + replacement_.with([&](auto& policy) { return policy.victim(set); });
  }
  Entry& e = entries_[entry];
  victim = {};
  if (e.held) {
    victim = {index_.line(entry), e.dirty, e.valid};
    index_.erase(entry);
  }
  e.valid = e.dirty = 0;
  e.held = true;
  index_.insert(entry, line);
  replacement_.with([&](auto& policy) {
    if constexpr (requires { policy.insert(Place{}); }) policy.insert(Place{set, entry - set * ways_});
  });
  return entry;
}

void TagArray::drop(std::uint32_t entry) {
  Entry& e = entries_[entry];
  if (!e.held) return;
  index_.erase(entry);
  e.valid = e.dirty = 0;
  e.held = false;
  demote(entry);
  replacement_.with([&](auto& policy) {
    if constexpr (requires { policy.invalidate(Place{}); }) policy.invalidate(place_of(entry));
  });
}

void TagArray::clear() {
  if (is_new_) return;
  is_new_ = true;
  index_.clear();
  for (std::uint32_t set = 0, entry = 0; set < first_.size(); ++set) {
    for (std::uint32_t way = 0; way < ways_; ++way, ++entry)
      entries_[entry] = {0, 0, false, true, way + 1 < ways_ ? entry + 1 : none, way > 0 ? entry - 1 : none};
    first_[set] = entry - 1;  // The highest way is taken first.
  }
  replacement_.with([](auto& policy) { policy.clear(); });
}

}  // namespace lockstep::cache
