#pragma once
// How many lines of a set may hold data that memory does not have.

#include <cstdint>
#include <vector>

#include "models/cache/tag_array.hpp"

namespace lockstep::l2 {

/// Of one slice. A cache that writes lines back before their turn to go comes keeps them as clean ones.
class DirtyLines {
 public:
  /// `ways`: of a set that may be dirty; 0: all. `entries`: of the cache.
  DirtyLines(std::uint32_t ways, std::uint32_t entries) : ways_(ways), written_(ways == 0 ? 0 : entries) {}

  /// An entry has been written. Returns the entry of its set, written longest ago, that has to be written back now, or
  /// TagArray::none.
  std::uint32_t beyond(const cache::TagArray& tags, std::uint32_t entry) {
    if (ways_ == 0) return cache::TagArray::none;
    written_[entry] = ++now_;
    const std::uint32_t first = entry / tags.ways() * tags.ways();
    std::uint32_t dirty = 0, oldest = entry;
    for (std::uint32_t other = first; other < first + tags.ways(); ++other) {
      if (tags.dirty(other) == 0) continue;
      ++dirty;
      if (written_[other] < written_[oldest]) oldest = other;
    }
    return dirty > ways_ ? oldest : cache::TagArray::none;
  }

 private:
  std::uint32_t ways_;
  std::uint64_t now_ = 0;
  std::vector<std::uint64_t> written_;  ///< By entry: when last, counted in writes.
};

}  // namespace lockstep::l2
