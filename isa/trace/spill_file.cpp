#include "isa/trace/spill_file.hpp"

#include <algorithm>
#include <mutex>

#include "isa/error.hpp"
#include "isa/trace/posix_file.hpp"

namespace lockstep::trace {

namespace {
constexpr std::uint64_t segment_bytes = std::uint64_t{256} << 10;
}  // namespace

/// One unlinked file in segments of equal size. It lives as long as any part of it.
class SpillFile {
 public:
  /// The one that is in use in this process, or a new one.
  static std::shared_ptr<SpillFile> current() {
    static std::mutex mutex;
    static std::weak_ptr<SpillFile> existing;
    const std::scoped_lock lock(mutex);
    std::shared_ptr<SpillFile> file = existing.lock();
    if (!file) existing = file = std::make_shared<SpillFile>();
    return file;
  }

  std::uint64_t take_segment() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) {
      free_.reserve(segments_ + 1);  // Returning a segment, in a destructor, must not fail.
      return segments_++;
    }
    const std::uint64_t segment = free_.back();
    free_.pop_back();
    return segment;
  }

  void return_segments(const std::vector<std::uint64_t>& segments) {
    for (const std::uint64_t segment : segments) file_.discard(segment * segment_bytes, segment_bytes);
    const std::scoped_lock lock(mutex_);
    free_.insert(free_.end(), segments.begin(), segments.end());
  }

  void write(std::uint64_t segment, std::uint64_t offset, std::span<const std::byte> bytes) {
    file_.write_at(segment * segment_bytes + offset, bytes);
  }

  void read(std::uint64_t segment, std::uint64_t offset, std::span<std::byte> bytes) const {
    if (file_.read_at(segment * segment_bytes + offset, bytes) != bytes.size()) {
      throw ResourceError(file_.name() + ": it has become shorter than what was written");
    }
  }

 private:
  PosixFile file_ = PosixFile::create_anonymous();
  std::mutex mutex_;
  std::vector<std::uint64_t> free_;
  std::uint64_t segments_ = 0;
};

SpillPart::SpillPart() : file_(SpillFile::current()) {}

SpillPart::~SpillPart() {
  file_->return_segments(segments_);
}

std::uint64_t SpillPart::append(std::span<const std::byte> bytes) {
  const std::uint64_t begin = size_;
  while (!bytes.empty()) {
    const std::uint64_t within = size_ % segment_bytes;
    if (within == 0) segments_.push_back(file_->take_segment());
    const std::size_t count = std::min<std::size_t>(bytes.size(), segment_bytes - within);
    file_->write(segments_.back(), within, bytes.first(count));
    bytes = bytes.subspan(count);
    size_ += count;
  }
  return begin;
}

void SpillPart::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const std::uint64_t within = offset % segment_bytes;
    const std::size_t count = std::min<std::size_t>(bytes.size(), segment_bytes - within);
    file_->read(segments_[offset / segment_bytes], within, bytes.first(count));
    bytes = bytes.subspan(count);
    offset += count;
  }
}

}  // namespace lockstep::trace
