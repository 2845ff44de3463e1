#include "sim/gpu/memory/memory_partition.hpp"

#include <algorithm>

namespace lockstep::gpu {

using clock::Ticks;

namespace {

bool later(const dram::Done& a, const dram::Done& b) {
  return a.time != b.time ? a.time > b.time : a.id > b.id;
}

}  // namespace

MemoryPartition::MemoryPartition(const GpuSpec& spec, const noc::SliceMap& map, std::uint32_t number)
    : channel_(std::make_unique<dram::Channel>(spec.memory.dram, spec.clock_mhz,
                                               static_cast<double>(number) / spec.memory.dram.channels)) {
  const std::uint32_t slices = spec.memory.l2.slices / spec.memory.dram.channels;
  slices_.reserve(slices);
  for (std::uint32_t i = 0; i < slices; ++i)
    slices_.emplace_back(spec.memory.l2, spec.memory.noc, map, spec.clock_mhz, *channel_, i, slices,
                         l2::Place{number * slices + i, spec.memory.l2.slices, spec.sms});
}

void MemoryPartition::reset() {
  channel_->reset();
  for (l2::Slice& slice : slices_) slice.reset();
}

/// Slices take turns in being first, so that none always gets the one place that has become free.
void MemoryPartition::wake_slices(Ticks time) {
  const auto count = static_cast<std::uint32_t>(slices_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    l2::Slice& slice = slices_[(first_woken_ + i) % count];
    slice.wake(time);
    if (slice.next_time() <= time) slice.take();
  }
  first_woken_ = (first_woken_ + 1) % count;
}

void MemoryPartition::run_until(Ticks horizon) {
  for (l2::Slice& slice : slices_) slice.accept(horizon);
  for (;;) {
    const Ticks arrival = under_way_.empty() ? clock::never : under_way_.front().time;
    const Ticks command = channel_->next_time();
    Ticks next = std::min(arrival, command);
    l2::Slice* taker = nullptr;
    for (l2::Slice& slice : slices_) {
      const Ticks time = slice.next_time();
      if (time >= next) continue;
      next = time;
      taker = &slice;
    }
    if (next >= horizon) break;
    if (taker != nullptr) {
      taker->take();
    } else if (arrival <= command) {
      const dram::Done done = under_way_.front();
      std::pop_heap(under_way_.begin(), under_way_.end(), later);
      under_way_.pop_back();
      slices_[done.id % slices_.size()].arrive(done.time, done.id);
      wake_slices(done.time);
    } else {
      dram::Done done;
      if (!channel_->step(done)) continue;
      under_way_.push_back(done);
      std::push_heap(under_way_.begin(), under_way_.end(), later);
      wake_slices(command);
    }
  }
  for (l2::Slice& slice : slices_) slice.reply(horizon);
}

Ticks MemoryPartition::next_event() {
  Ticks next = channel_->next_time();
  if (!under_way_.empty()) next = std::min(next, under_way_.front().time);
  for (const l2::Slice& slice : slices_) next = std::min(next, slice.next_event());
  return next;
}

}  // namespace lockstep::gpu
