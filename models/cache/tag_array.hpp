#pragma once
// Which lines a cache holds, and of each line which sectors are there and which have been written. Knows no time.

#include <cstdint>
#include <vector>

#include "models/cache/line_index.hpp"
#include "models/cache/replacement_policies.hpp"
#include "models/cache/spec.hpp"
#include "models/hash/address_map.hpp"

namespace lockstep::cache {

/// Sets of lines. Lines are named by their number (address / line size), sectors by their bit in a mask. Nothing is
/// allocated after construction, and whatever the replacement policy does not search takes constant time for any number of
/// ways.
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
  TagArray(std::uint32_t lines, std::uint32_t ways, const std::string& set_hash,
           const std::string& replacement = "lru");

  std::uint32_t sets() const { return set_map_.targets(); }
  std::uint32_t ways() const { return ways_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }  ///< Lines.
  std::uint32_t set_of(std::uint64_t line) const { return set_map_[line]; }

  /// The entry of a line, or none. Does not count as a use.
  std::uint32_t find(std::uint64_t line) const { return index_.find(line); }
  std::uint64_t line(std::uint32_t entry) const { return index_.line(entry); }
  std::uint32_t valid(std::uint32_t entry) const { return entries_[entry].valid; }
  std::uint32_t dirty(std::uint32_t entry) const { return entries_[entry].dirty; }

  /// A use of the line in an entry.
  void touch(std::uint32_t entry) {
    if (entries_[entry].goes_first) [[unlikely]]
      keep(entry);
    replacement_.with([&](auto& policy) {
      if constexpr (requires { policy.hit(Place{}); }) policy.hit(place_of(entry));
    });
  }
  /// Makes an entry the next one of its set to go, unless it is used before.
  void demote(std::uint32_t entry) {
    if (entries_[entry].goes_first) keep(entry);
    put_first(entry);
  }
  /// The sectors of a line that are there; a use when the line has an entry.
  std::uint32_t lookup(std::uint64_t line) {
    const std::uint32_t entry = find(line);
    if (entry == none) return 0;
    touch(entry);
    return entries_[entry].valid;
  }
  /// An entry for a line that has none, without valid sectors. When the set is full, a line goes that was demoted, or the
  /// one that the replacement policy names. The array must not be empty (capacity 0).
  std::uint32_t allocate(std::uint64_t line, Victim& victim);
  /// Sectors that have arrived; brings the line in when it has no entry.
  Victim fill(std::uint64_t line, std::uint32_t sectors) {
    Victim victim;
    std::uint32_t entry = find(line);
    if (entry == none) {
      entry = allocate(line, victim);
    } else {
      if (entries_[entry].goes_first) [[unlikely]]
        keep(entry);
      replacement_.with([&](auto& policy) {
        if constexpr (requires { policy.arrive(Place{}); }) policy.arrive(place_of(entry));
      });
    }
    entries_[entry].valid |= sectors;
    return victim;
  }
  /// Sectors that hold data which memory does not have.
  void mark_dirty(std::uint32_t entry, std::uint32_t sectors) {
    entries_[entry].valid |= sectors;
    entries_[entry].dirty |= sectors;
  }
  /// Sectors that were written in part, and are not there: the rest is in memory.
  void mark_written_in_part(std::uint32_t entry, std::uint32_t sectors) { entries_[entry].dirty |= sectors; }
  /// Sectors whose data has been written back.
  void mark_clean(std::uint32_t entry, std::uint32_t sectors) { entries_[entry].dirty &= ~sectors; }
  /// Clean sectors whose data is not up to date any more.
  void invalidate(std::uint32_t entry, std::uint32_t sectors) { entries_[entry].valid &= ~sectors; }
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
  struct Entry {
    std::uint32_t valid = 0, dirty = 0;
    bool held = false;
    bool goes_first = false;                   ///< Empty or demoted: taken before the policy is asked.
    std::uint32_t above = none, below = none;  ///< In the set's stack of such entries.
  };
  Place place_of(std::uint32_t entry) const {
    const std::uint32_t set = entry / ways_;
    return {set, entry - set * ways_};
  }
  void put_first(std::uint32_t entry);
  void keep(std::uint32_t entry);

  std::uint32_t ways_;
  hash::AddressMap set_map_;
  std::vector<Entry> entries_;        ///< Set s has entries [s * ways, (s + 1) * ways).
  std::vector<std::uint32_t> first_;  ///< Per set, the top of the stack of entries that go first, or none.
  Replacement replacement_;
  bool is_new_ = false;  ///< Nothing has happened since clear().
  LineIndex index_;
};

}  // namespace lockstep::cache
