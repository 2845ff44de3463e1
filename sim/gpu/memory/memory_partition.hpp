#pragma once
// One DRAM channel with the slices of the L2 cache in front of it. Partitions share nothing.

#include <memory>
#include <vector>

#include "models/dram/channel.hpp"
#include "models/l2/slice.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class MemoryPartition {
 public:
  /// `number` of the channels: they are not refreshed at one time, but one after the other.
  MemoryPartition(const GpuSpec& spec, const noc::SliceMap& map, std::uint32_t number);

  /// Slices are numbered within the partition.
  l2::Slice& slice(std::uint32_t number) { return slices_[number]; }
  const std::vector<l2::Slice>& slices() const { return slices_; }
  const dram::Channel& channel() const { return *channel_; }

  /// Works on everything that happens before `horizon`; all requests that arrive before it have been sent.
  void run_until(clock::Ticks horizon);
  /// The earliest time at which anything happens without a new request.
  clock::Ticks next_event();
  /// Time begins at 0 again. The partition must be at rest.
  void reset();
  /// The slices hold nothing. At rest only.
  void clear() {
    for (l2::Slice& slice : slices_) slice.clear();
  }

 private:
  void wake_slices(clock::Ticks time);

  std::unique_ptr<dram::Channel> channel_;  ///< The slices refer to it.
  std::vector<l2::Slice> slices_;
  std::vector<dram::Done> under_way_;  ///< A heap of what the channel has done: the earliest first.
  std::uint32_t first_woken_ = 0;
};

}  // namespace lockstep::gpu
