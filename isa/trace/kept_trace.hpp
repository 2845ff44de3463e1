#pragma once
// Traces that a process keeps for itself, to replay an execution more than once.

#include <atomic>
#include <cstdint>
#include <memory>

#include "isa/trace/source.hpp"

namespace lockstep::trace {

class TraceFile;

/// Bytes that all kept traces together may take: of memory, and of temporary files in $TMPDIR (or /tmp) when memory is
/// used up.
struct TraceLimits {
  std::uint64_t memory_bytes = std::uint64_t{512} << 20, disk_bytes = std::uint64_t{4} << 30;
};

/// What is left of the limits. May be used by several threads.
class TraceBudget {
 public:
  explicit TraceBudget(const TraceLimits& limits) : memory_(limits.memory_bytes), disk_(limits.disk_bytes) {}
  TraceBudget(const TraceBudget&) = delete;
  TraceBudget& operator=(const TraceBudget&) = delete;

  enum class Place : std::uint8_t { memory, disk };
  /// False, and nothing is taken, when there is not so much left.
  bool take(Place place, std::uint64_t bytes);
  void give_back(Place place, std::uint64_t bytes) { left(place) += bytes; }

 private:
  std::atomic<std::uint64_t>& left(Place place) { return place == Place::memory ? memory_ : disk_; }
  std::atomic<std::uint64_t> memory_, disk_;
};

/// A whole trace, in the form of a trace file, in memory or in a file without a name. It gives its bytes back at its end.
class KeptTrace {
 public:
  /// Copies every thread block of `source`, in order. Null when the budget is used up or a temporary file cannot be
  /// written; then the source has been read up to somewhere. InputError as of write_file and of the source.
  static std::shared_ptr<const KeptTrace> copy_of(Source& source, TraceBudget& budget);
  ~KeptTrace();
  KeptTrace(const KeptTrace&) = delete;
  KeptTrace& operator=(const KeptTrace&) = delete;

  /// A replay's own view; any number of them, on any threads, at the same time.
  std::unique_ptr<Source> open() const;
  std::uint64_t bytes() const { return bytes_; }
  TraceBudget::Place place() const { return place_; }

 private:
  KeptTrace(TraceBudget& budget, TraceBudget::Place place, std::uint64_t bytes, std::shared_ptr<const TraceFile> file);

  TraceBudget& budget_;
  TraceBudget::Place place_;
  std::uint64_t bytes_;
  std::shared_ptr<const TraceFile> file_;
};

}  // namespace lockstep::trace
