#include "sim/gpu/memory/memory_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/error.hpp"

namespace lockstep::gpu {

using clock::Ticks;

MemorySystem::MemorySystem(const GpuSpec& spec)
    : spec_(spec),
      flushes_(spec.memory.flush_before_launch),
      request_latency_(spec.memory.noc.request_latency),
      reply_latency_(spec.memory.noc.reply_latency),
      slices_(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
      tlb_(spec.memory.tlb),
      page_table_(spec.memory.page_table),
      events_(spec.memory.dram.channels),
      slices_of_partition_(spec.memory.l2.slices / spec.memory.dram.channels),
      sm_ports_(spec.sms, noc::Port(spec.memory.noc.sm_reply_bytes)),
      arriving_(spec.sms),
      replies_(spec.sms) {
  partitions_.reserve(spec.memory.dram.channels);
  for (std::uint32_t i = 0; i < spec.memory.dram.channels; ++i) partitions_.emplace_back(spec, slices_, i);
}

void MemorySystem::begin_launch() {
  if (outstanding() != 0 || next_event() != never)
    throw Bug("memory system", 0, fmt::format("{} requests are left from the launch before", outstanding()));
  for (MemoryPartition& partition : partitions_) partition.reset();
  if (flushes_)
    for (MemoryPartition& partition : partitions_) partition.clear();
  for (noc::Port& port : sm_ports_) port.reset();
  walks_.clear();
  last_reply_ = 0;
}

void MemorySystem::collect(std::uint32_t sm, std::vector<noc::Request>& outbox) {
  for (const noc::Request& request : outbox) {
    if (request.translated) {
      send(request, sm, 0);
    } else {
      untranslated_.push_back({request, sm});
    }
  }
  collected_ += outbox.size();
  outbox.clear();
}

void MemorySystem::send(const noc::Request& request, std::uint32_t sm, Cycle delay) {
  const std::uint32_t slice = slices_.slice_of(request.address);
  const auto partitions = static_cast<std::uint32_t>(partitions_.size());
  const std::uint32_t partition = slice % partitions;
  const Ticks arrival = clock::to_ticks(request.cycle + delay + request_latency_);
  partitions_[partition].slice(slice / partitions).send(arrival, sm, request);
  events_.add(partition, arrival);
}

/// Requests that missed the SM's translation buffer look up the GPU's, in order of cycle and SM.
void MemorySystem::translate(Cycle end) {
  if (untranslated_.empty()) return;
  std::stable_sort(untranslated_.begin(), untranslated_.end(), [](const Collected& a, const Collected& b) {
    return a.request.cycle != b.request.cycle ? a.request.cycle < b.request.cycle : a.sm < b.sm;
  });
  std::size_t n = 0;
  for (; n < untranslated_.size() && untranslated_[n].request.cycle < end; ++n) {
    const Collected& one = untranslated_[n];
    const std::uint64_t page = tlb_.page_of(one.request.address);
    const Cycle now = one.request.cycle;
    Cycle delay = spec_.sm.tlb.miss_latency;
    ++translation_.lookups;
    std::erase_if(walks_, [&](const auto& walk) { return walk.second <= now; });
    if (!tlb_.lookup(one.request.address)) {
      ++translation_.misses;
      delay += spec_.memory.tlb.miss_latency;
      if (!page_table_.lookup(one.request.address)) {
        delay += spec_.memory.page_table.miss_latency;
        page_table_.fill(one.request.address);
      }
      tlb_.fill(one.request.address);
      walks_.emplace_back(page, now + delay);
    } else {
      for (const auto& [walked, ready] : walks_)
        if (walked == page) delay = std::max(delay, ready - now);
    }
    send(one.request, one.sm, delay);
  }
  untranslated_.erase(untranslated_.begin(), untranslated_.begin() + static_cast<std::ptrdiff_t>(n));
}

void MemorySystem::run_until(Cycle end, engine::WorkerPool& pool) {
  translate(end);
  const Ticks horizon = clock::to_ticks(end + request_latency_);
  due_.clear();
  events_.for_each_before(horizon, [&](std::uint32_t i) { due_.push_back(i); });
  pool.for_each(
      due_.size(), [&](std::size_t i) { partitions_[due_[i]].run_until(horizon); }, outstanding());
  hand_back(horizon);
  for (const std::uint32_t i : due_) events_.set(i, partitions_[i].next_event());
}

void MemorySystem::warm(std::span<const UntimedRequest> requests, engine::WorkerPool& pool) {
  std::uint64_t page = ~std::uint64_t{0};
  warming_.resize(partitions_.size());
  for (const UntimedRequest& one : requests) {
    const std::uint32_t slice = slices_.slice_of(one.address);
    warming_[slice % partitions_.size()].push_back({&one, slice});
    if (std::exchange(page, tlb_.page_of(one.address)) == page || tlb_.lookup(one.address)) continue;
    if (!page_table_.lookup(one.address)) page_table_.fill(one.address);
    tlb_.fill(one.address);
  }
  pool.for_each(
      partitions_.size(),
      [&](std::size_t p) {
        for (const auto& [one, slice] : warming_[p]) {
          noc::Request request;
          request.address = one->address;
          request.sectors = one->sectors;
          request.written = one->written;
          request.kind = one->kind;
          request.whole_sectors = one->whole_sectors;
          request.texture = one->texture;
          partitions_[p].slice(slice / static_cast<std::uint32_t>(partitions_.size())).warm(one->sm, request);
        }
        warming_[p].clear();
      },
      requests.size());
}

/// Replies pass the SMs' ports in order of arrival and slice. They come from partitions that had something to do.
void MemorySystem::hand_back(Ticks horizon) {
  const auto partitions = static_cast<std::uint32_t>(partitions_.size());
  answered_sms_.clear();
  for (std::uint32_t number = 0; number < slices_of_partition_; ++number) {
    for (const std::uint32_t partition : due_) {
      const auto slice = static_cast<std::uint16_t>(number * partitions + partition);
      partitions_[partition].slice(number).drain(horizon, [&](const l2::Outgoing& message) {
        if (arriving_[message.sm].empty()) answered_sms_.push_back(message.sm);
        arriving_[message.sm].push_back({message.time + clock::to_ticks(reply_latency_), message.token, message.bytes,
                                         slice, message.credit, message.words});
      });
    }
  }
  std::sort(answered_sms_.begin(), answered_sms_.end());
  for (const std::uint32_t sm : answered_sms_) {
    std::vector<Arriving>& arriving = arriving_[sm];
    std::stable_sort(arriving.begin(), arriving.end(),
                     [](const Arriving& a, const Arriving& b) { return a.time < b.time; });
    for (const Arriving& one : arriving) {
      const Ticks time = one.credit ? one.time : sm_ports_[sm].pass(one.time, one.bytes);
      const Cycle cycle = clock::cycle_after(time);
      replies_[sm].push_back({cycle, one.token, one.slice, one.credit, one.words});
      if (one.credit) continue;
      ++answered_;
      last_reply_ = std::max(last_reply_, cycle);
    }
    arriving.clear();
  }
}

Cycle MemorySystem::next_event() const {
  Cycle next = never;
  for (const Collected& one : untranslated_) next = std::min(next, one.request.cycle);
  const Ticks time = events_.earliest();
  if (time == clock::never) return next;
  const Cycle cycle = clock::cycle_of(time);
  return std::min(next, cycle > request_latency_ ? cycle - request_latency_ : 0);
}

std::string MemorySystem::describe_waits() const {
  const auto partitions = static_cast<std::uint32_t>(partitions_.size());
  std::string text;
  for (std::uint32_t slice = 0; slice < slices_.slices(); ++slice) {
    const std::string waits = partitions_[slice % partitions].slices()[slice / partitions].describe_waits();
    if (!waits.empty()) text += fmt::format("\n  in slice {} of the L2 cache:{}", slice, waits);
  }
  return text;
}

MemoryCounters MemorySystem::counters() const {
  MemoryCounters sum;
  for (const MemoryPartition& partition : partitions_) {
    counter::add(sum.dram, partition.channel().counters());
    for (const l2::Slice& slice : partition.slices()) {
      counter::add(sum.l2, slice.counters());
      counter::add(sum.noc, slice.crossbar_counters());
    }
  }
  for (const noc::Port& port : sm_ports_) sum.noc.sm_reply_ticks += port.busy();
  sum.tlb = translation_;
  return sum;
}

}  // namespace lockstep::gpu
