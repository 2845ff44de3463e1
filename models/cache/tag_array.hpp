#pragma once
// Which lines a cache holds, and of each line which sectors are there and which have been written. Knows no time.

#include <cstdint>
#include <vector>

#include "models/cache/line_index.hpp"
#include "models/cache/spec.hpp"
#include "models/hash/address_map.hpp"

namespace lockstep::cache {

/// Sets of lines in order of use. Lines are named by their number (address / line size), sectors by their bit in a mask.
/// Every operation takes constant time for any number of ways, and allocates nothing.
class TagArray {
 public:
  static constexpr std::uint32_t none = LineIndex::none;

  /// What had to go for a new line.
  struct Victim {
    std::uint64_t line = 0;
    std::uint32_t dirty = 0;  ///< Its sectors that must be written back.
    std::uint32_t valid = 0;  ///< All that it had; 0: nothing had to go.
  };

  /// A Spec of 0 bytes makes an array that holds nothing. A size that is no whole number of sets is rounded down to one.
  explicit TagArray(const Spec& spec);
  /// ways: 0 for a single set of all lines.
  TagArray(std::uint32_t lines, std::uint32_t ways, const std::string& set_hash);

  std::uint32_t sets() const { return set_map_.targets(); }
  std::uint32_t ways() const { return ways_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }  ///< Lines.
  std::uint32_t set_of(std::uint64_t line) const { return set_map_[line]; }

  /// The entry of a line, or none. Does not count as a use.
  std::uint32_t find(std::uint64_t line) const { return index_.find(line); }
  std::uint64_t line(std::uint32_t entry) const { return index_.line(entry); }
  std::uint32_t valid(std::uint32_t entry) const { return entries_[entry].valid; }
  std::uint32_t dirty(std::uint32_t entry) const { return entries_[entry].dirty; }

  /// Makes an entry the most recently used one of its set.
  void touch(std::uint32_t entry);
  /// Makes an entry the next one of its set to go.
  void demote(std::uint32_t entry);
  /// The sectors of a line that are there; a use when the line has an entry.
  std::uint32_t lookup(std::uint64_t line) {
    const std::uint32_t entry = find(line);
    if (entry == none) return 0;
    touch(entry);
    return entries_[entry].valid;
  }
  /// An entry for a line that has none, without valid sectors and most recently used: the least recently used line of
  /// its set goes when the set is full. The array must not be empty (capacity 0).
  std::uint32_t allocate(std::uint64_t line, Victim& victim);
  /// Sectors that have arrived. A use; brings the line in when it has no entry.
  Victim fill(std::uint64_t line, std::uint32_t sectors) {
    Victim victim;
    std::uint32_t entry = find(line);
    if (entry == none) {
      entry = allocate(line, victim);
    } else {
      touch(entry);
    }
    entries_[entry].valid |= sectors;
    return victim;
  }
  /// Sectors that hold data which memory does not have.
  void mark_dirty(std::uint32_t entry, std::uint32_t sectors) {
    entries_[entry].valid |= sectors;
    entries_[entry].dirty |= sectors;
  }
  /// Sectors whose data has been written back.
  void mark_clean(std::uint32_t entry, std::uint32_t sectors) { entries_[entry].dirty &= ~sectors; }
  /// Drops an entry with all it holds.
  void drop(std::uint32_t entry);
  /// Drops everything.
  void clear();
  /// Calls f(line, dirty sectors) for every line that has some, in order of entries.
  template <class F>
  void for_each_dirty(F&& f) const {
    for (std::uint32_t entry = 0; entry < capacity(); ++entry)
      if (entries_[entry].dirty != 0) f(index_.line(entry), entries_[entry].dirty);
  }

 private:
  /// A doubly linked ring per set; a set's newest entry is first, the entry before it the oldest. Entries that hold
  /// nothing stand at the old end.
  struct Entry {
    std::uint32_t valid = 0, dirty = 0;
    std::uint32_t newer = 0, older = 0;
    bool held = false;
  };
  void unlink(std::uint32_t entry);
  void link_before(std::uint32_t entry, std::uint32_t first);

  std::uint32_t ways_;
  hash::AddressMap set_map_;
  std::vector<Entry> entries_;         ///< Set s has entries [s * ways, (s + 1) * ways).
  std::vector<std::uint32_t> newest_;  ///< Per set.
  LineIndex index_;
};

}  // namespace lockstep::cache
