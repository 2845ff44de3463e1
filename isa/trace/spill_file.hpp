#pragma once
// The temporary file that recorders of long thread blocks share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::trace {

class SpillFile;

/// One recorder's part of the spill file: bytes are appended and later read back by their offset. The part's disk
/// space is used again by others after its end. One part belongs to one thread at a time; different parts are
/// independent.
class SpillPart {
 public:
  SpillPart();
  ~SpillPart();
  SpillPart(const SpillPart&) = delete;
  SpillPart& operator=(const SpillPart&) = delete;

  /// Returns the offset of the bytes within the part.
  std::uint64_t append(std::span<const std::byte> bytes);
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::shared_ptr<SpillFile> file_;
  std::vector<std::uint64_t> segments_;  ///< Segment numbers in the file, in the order of the part's bytes.
  std::uint64_t size_ = 0;
};

}  // namespace lockstep::trace
