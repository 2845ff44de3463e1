#pragma once
// What was read of a warp's stream before its turn: unrolled code needs the entries of several executions of a basic block,
// predicated code those of several blocks, and accesses that a compiler has reordered do not come in the order of the trace.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::gpu {

/// Block entries that wait to be executed, in order, and the accesses of those of which they are read.
class ReadAhead {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t chosen = none - 1;  ///< In place of a first access: follow() chose them.
  struct Entry {
    trace::BlockEntry block;
    std::uint32_t first_access = none;  ///< Number of its first access; none: they have not been read.
  };

  /// Of a new warp: nothing has been read.
  void clear() {
    entries_.clear();
    accesses_.clear();
    taken_ = 0;
  }
  /// Entries that have been taken and their accesses are not needed any more.
  void begin_code() {
    if (taken_ == entries_.size()) {
      clear();
    } else if (taken_ >= 64) {
      const std::uint32_t kept = entries_[taken_].first_access;
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(taken_));
      taken_ = 0;
      if (kept == none) return accesses_.clear();
      accesses_.erase(accesses_.begin(), accesses_.begin() + kept);
      for (Entry& entry : entries_)
        if (entry.first_access != none) entry.first_access -= kept;
    }
  }

  std::size_t waiting() const { return entries_.size() - taken_; }
  const Entry& first() const { return entries_[taken_]; }
  const Entry& last() const { return entries_.back(); }
  /// Of those that wait.
  const Entry& waiting(std::size_t number) const { return entries_[taken_ + number]; }
  /// The last `count` that were taken, until the next code begins.
  std::span<const Entry> executed(std::size_t count) const {
    return std::span(entries_).subspan(taken_ - count, count);
  }

  /// Reads the next block entry; false at the end of the stream. The accesses of the last one must have been read.
  bool read_block(trace::StreamCursor& cursor) {
    trace::BlockEntry block;
    if (!cursor.next_block(block)) return false;
    entries_.push_back({block});
    return true;
  }
  /// The `count` accesses of the last block entry, unless they have been read.
  void read_accesses(trace::StreamCursor& cursor, std::uint32_t count) {
    Entry& entry = entries_.back();
    if (entry.first_access != none) return;
    entry.first_access = static_cast<std::uint32_t>(accesses_.size());
    accesses_.resize(accesses_.size() + count);
    for (std::uint32_t n = 0; n < count; ++n) cursor.next_access(accesses_[entry.first_access + n]);
  }

  /// The first `count` entries are executed.
  void take(std::size_t count) { taken_ += count; }
  const trace::AccessEntry& access(std::uint32_t number) const { return accesses_[number]; }

  /// How many of the waiting entries the code of a path executes that begins with the first of them, where the lanes meet as
  /// the code expects; 0: they go other ways. Reads the stream as far as that needs, and chooses the accesses. `blocks` are
  /// the basic blocks of the program.
  std::uint32_t follow(trace::StreamCursor& cursor, std::span<const machine::Code> blocks, const machine::Path& path);
  /// An access of the code that was followed: that of a waiting entry, or an access of no lane.
  const trace::AccessEntry& choice(std::uint32_t number) const {
    static constexpr trace::AccessEntry of_no_lane{};
    return choice_[number] == none ? of_no_lane : accesses_[choice_[number]];
  }

 private:
  void choose(const Entry& entry, std::uint32_t count) {
    for (std::uint32_t n = 0; n < count; ++n) choice_.push_back(entry.first_access + n);
  }
  void choose_none(std::uint32_t count) { choice_.resize(choice_.size() + count, none); }

  std::vector<Entry> entries_;
  std::vector<trace::AccessEntry> accesses_;
  std::vector<std::uint32_t> choice_;  ///< Numbers of accesses, or none.
  /// Of each block of a path: the waiting entry that executes it; 0: no lane does. A member, so that following
  /// code allocates nothing.
  std::vector<std::uint32_t> places_;
  std::size_t taken_ = 0;
};

}  // namespace lockstep::gpu
