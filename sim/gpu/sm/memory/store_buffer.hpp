#pragma once
// Lines of stores that wait in an SM to leave it, which later stores to the same lines join.
//
// Measured on an H200 (micro-records, micro-global-atomic-rate): stores of a few warps to up to 24 lines again and again reach the L2
// cache as one request for each line; of 32 lines nearly each store is one.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "models/coalescer/coalescer.hpp"
#include "models/noc/message.hpp"
#include "sim/gpu/sm/memory/pending_request.hpp"

namespace lockstep::gpu {

/// First in, first out. A line leaves when no store has joined it for `hold` cycles and the port is idle. While there are more
/// than `lines`, the first ones leave and cannot be joined any more.
class StoreBuffer {
 public:
  struct Line {
    noc::Request request;
    PendingRequest pending;
    coalescer::ByteMask bytes;  ///< Of its block of 128.
    Cycle since = 0;            ///< When it came, or the last store joined it.
  };

  /// No line waits in a buffer of 0 `lines`.
  StoreBuffer(std::uint32_t lines, Cycle hold) : most_(lines), hold_(hold) {}

  bool exists() const { return most_ != 0; }
  bool empty() const { return head_ == lines_.size(); }
  void clear() {
    lines_.clear();
    head_ = 0;
  }

  /// A write of `bytes` of the block of 128 in which request.address lies joins a line that waits, at cycle `at`. Returns
  /// whether there is one.
  bool join(const noc::Request& request, const coalescer::ByteMask& bytes, Cycle at) {
    for (std::size_t n = head_ + excess(); n < lines_.size(); ++n) {
      Line& line = lines_[n];
      if (line.request.address != request.address) continue;
      line.since = std::max(line.since, at);
      line.bytes.low |= bytes.low;
      line.bytes.high |= bytes.high;
      line.request.sectors |= request.sectors;
      line.request.bytes = static_cast<std::uint32_t>(std::popcount(line.request.sectors)) * noc::sector_bytes;
      const auto first = static_cast<std::uint32_t>(request.address % coalescer::block_bytes / noc::sector_bytes);
      line.request.written = line.bytes.whole_parts(noc::word_bytes);
      const std::uint32_t whole = line.bytes.whole_parts(noc::sector_bytes) >> first;
      line.request.whole_sectors = (whole & line.request.sectors) == line.request.sectors;
      return true;
    }
    return false;
  }
  /// It waits from cycle `at` on.
  void push(const noc::Request& request, const PendingRequest& pending, const coalescer::ByteMask& bytes, Cycle at) {
    lines_.push_back({request, pending, bytes, at});
  }

  /// Lines that must leave before a further store can be taken.
  std::size_t excess() const { return std::max<std::size_t>(lines_.size() - head_, most_) - most_; }
  /// When the first line may leave a port that is idle from cycle `idle` on; never where there is none.
  Cycle next(Cycle idle) const {
    if (empty()) return never;
    return std::max(idle, lines_[head_].since + (excess() > 0 ? 0 : hold_));
  }
  const Line& line(std::size_t number) const { return lines_[head_ + number]; }
  void pop() {
    if (2 * ++head_ < lines_.size()) return;
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

 private:
  std::uint32_t most_;
  Cycle hold_;
  std::vector<Line> lines_;  ///< From head_ on.
  std::size_t head_ = 0;
};

}  // namespace lockstep::gpu
