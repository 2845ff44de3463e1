#include "sim/gpu/memory_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::gpu {

using clock::Ticks;

MemorySystem::MemorySystem(const GpuSpec& spec)
    : spec_(spec),
      request_latency_(spec.memory.noc.request_latency),
      reply_latency_(spec.memory.noc.reply_latency),
      slices_(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
      tlb_(spec.memory.tlb),
      page_table_(spec.memory.page_table),
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
  partitions_[slice % partitions]
      .slice(slice / partitions)
      .send(clock::to_ticks(request.cycle + delay + request_latency_), sm, request);
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
    ++tlb_lookups_;
    std::erase_if(walks_, [&](const auto& walk) { return walk.second <= now; });
    if (!tlb_.lookup(one.request.address)) {
      ++tlb_misses_;
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
  pool.for_each(partitions_.size(), [&](std::size_t i) {
    if (partitions_[i].next_event() < horizon) partitions_[i].run_until(horizon);
  });
  hand_back(horizon);
}

/// Replies pass the SMs' ports in order of arrival and slice.
void MemorySystem::hand_back(Ticks horizon) {
  const auto partitions = static_cast<std::uint32_t>(partitions_.size());
  for (std::uint32_t slice = 0; slice < slices_.slices(); ++slice)
    partitions_[slice % partitions].slice(slice / partitions).drain(horizon, [&](const l2::Outgoing& message) {
      arriving_[message.sm].push_back({message.time + clock::to_ticks(reply_latency_), message.token, message.bytes,
                                       static_cast<std::uint16_t>(slice), message.credit, message.words});
    });
  for (std::size_t sm = 0; sm < arriving_.size(); ++sm) {
    std::vector<Arriving>& arriving = arriving_[sm];
    if (arriving.empty()) continue;
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

Cycle MemorySystem::next_event() {
  Cycle next = never;
  for (const Collected& one : untranslated_) next = std::min(next, one.request.cycle);
  for (MemoryPartition& partition : partitions_) {
    const Ticks time = partition.next_event();
    if (time == clock::never) continue;
    const Cycle cycle = clock::cycle_of(time);
    next = std::min(next, cycle > request_latency_ ? cycle - request_latency_ : 0);
  }
  return next;
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
  Ticks bus = 0, queue = 0, data = 0, request_ports = 0, reply_ports = 0, stall_mshr = 0, stall_channel = 0,
        stall_atomic = 0, stall_wait = 0;
  for (const MemoryPartition& partition : partitions_) {
    const dram::Counters& d = partition.channel().counters();
    sum.dram_reads += d.reads;
    sum.dram_writes += d.writes;
    sum.dram_read_bytes += d.read_bytes;
    sum.dram_write_bytes += d.write_bytes;
    sum.row_hits += d.row_hits;
    sum.row_misses += d.row_misses;
    sum.activates += d.activates;
    sum.precharges += d.precharges;
    sum.refreshes += d.refreshes;
    sum.turnarounds += d.turnarounds;
    bus += d.bus_ticks;
    queue += d.queue_ticks;
    for (const l2::Slice& slice : partition.slices()) {
      const l2::Counters& c = slice.counters();
      sum.transactions += c.requests_in;
      sum.replies += c.replies_out;
      sum.read_bytes += c.read_bytes;
      sum.write_bytes += c.write_bytes;
      sum.atomic_lanes += c.atomic_lanes;
      sum.l2_reads += c.reads;
      sum.l2_read_hits += c.read_hits;
      sum.l2_read_misses += c.read_misses;
      sum.l2_writes += c.writes;
      sum.l2_write_hits += c.write_hits;
      sum.l2_write_misses += c.write_misses;
      sum.l2_atomics += c.atomics;
      sum.l2_atomic_hits += c.atomic_hits;
      sum.l2_atomic_misses += c.atomic_misses;
      sum.l2_read_sectors += c.read_sectors;
      sum.l2_write_sectors += c.write_sectors;
      sum.l2_merges += c.merges;
      sum.l2_fills += c.fills;
      sum.l2_write_backs += c.write_backs;
      sum.l2_waits += c.waits;
      sum.l2_wait_trips += c.wait_trips;
      data += c.data_busy;
      stall_mshr += c.stall_mshr;
      stall_channel += c.stall_channel;
      stall_atomic += c.stall_atomic;
      stall_wait += c.stall_wait;
      request_ports += slice.request_port().busy();
      reply_ports += slice.reply_port().busy();
    }
  }
  sum.busy_cycles = clock::cycle_of(bus);
  sum.dram_queue_cycles = clock::cycle_of(queue);
  sum.l2_data_cycles = clock::cycle_of(data);
  sum.l2_stall_mshr = clock::cycle_of(stall_mshr);
  sum.l2_stall_dram = clock::cycle_of(stall_channel);
  sum.l2_stall_atomic = clock::cycle_of(stall_atomic);
  sum.l2_stall_wait = clock::cycle_of(stall_wait);
  sum.noc_request_cycles = clock::cycle_of(request_ports);
  sum.noc_reply_cycles = clock::cycle_of(reply_ports);
  Ticks sm_ports = 0;
  for (const noc::Port& port : sm_ports_) sm_ports += port.busy();
  sum.noc_sm_reply_cycles = clock::cycle_of(sm_ports);
  sum.tlb_lookups = tlb_lookups_;
  sum.tlb_misses = tlb_misses_;
  return sum;
}

}  // namespace lockstep::gpu
