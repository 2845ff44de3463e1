#pragma once
// A small GPU's memory, and SMs that do nothing but send it messages. All clocks are the same, so expected times are sums
// of the parameters below.

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "sim/gpu/memory/memory_system.hpp"

namespace lockstep::gpu::traffic {

using noc::RequestKind;

constexpr Cycle there = 20, back = 30, slice_time = 40, chip = 5;
constexpr Cycle first_read = 10 + 12;  ///< Of a closed DRAM row, to its first data.

inline GpuSpec small() {
  GpuSpec spec;
  spec.clock_mhz = 1000;
  spec.sms = 2;
  MemorySpec& memory = spec.memory;
  memory.noc = {there, back, 8, 0, 32, 32, 32, 32, 4, 64};
  memory.l2 = {
      1000, 1,    {64 << 10, 128, 32, 16, "mod", 4, 64}, cache::WritePolicy::back, slice_time, 1, 64, 4, 2, 0, 0, 0, 7,
      256,  "mod"};
  memory.dram.clock_mhz = 1000;
  memory.dram.channels = 1;
  memory.dram.banks = 16;
  memory.dram.row_bytes = 2048;
  memory.dram.bytes_per_dram_cycle = 32;
  memory.dram.queue = 64;
  memory.dram.scheduling = dram::Scheduling::first_ready_first_come;
  memory.dram.age_limit = 1000;
  memory.dram.timing = {12, 4, 10, 11, 28, 6, 2, 12, 5, 2, 0, 0};
  memory.dram.latency = chip;
  memory.dram.bank_hash = "mod";
  memory.tlb.page_bytes = 1 << 20;
  return spec;
}

struct Sent {
  std::uint32_t sm = 0;
  noc::Request request;
};

inline Sent message(RequestKind kind, Cycle cycle, std::uint64_t address, std::uint32_t sectors = 0b1111,
                    std::uint32_t sm = 0) {
  Sent sent;
  sent.sm = sm;
  sent.request.cycle = cycle;
  sent.request.address = address;
  sent.request.sectors = sectors;
  sent.request.bytes = 32 * static_cast<std::uint32_t>(std::popcount(sectors));
  sent.request.kind = kind;
  sent.request.whole_sectors = true;
  return sent;
}
inline Sent load(Cycle cycle, std::uint64_t address, std::uint32_t sectors = 0b1111, std::uint32_t sm = 0) {
  return message(RequestKind::read, cycle, address, sectors, sm);
}
inline Sent store(Cycle cycle, std::uint64_t address, std::uint32_t sectors = 0b1111, std::uint32_t sm = 0) {
  return message(RequestKind::write, cycle, address, sectors, sm);
}
/// The lanes on one word lie in one sector, each other sector has one of its own.
inline Sent atomic(Cycle cycle, std::uint64_t address, std::uint32_t sectors, std::uint32_t lanes,
                   std::uint32_t same_word) {
  Sent sent = message(RequestKind::atomic, cycle, address, sectors);
  sent.request.lanes = lanes;
  sent.request.same_word = same_word;
  sent.request.operations = static_cast<std::uint32_t>(std::popcount(sectors)) + same_word - 1;
  return sent;
}

/// When each message was answered, and when its credit came back; credits of one SM and slice are given in order.
struct Times {
  std::vector<Cycle> reply, credit;
};

/// Plays SMs that do nothing but send, in windows as a replay has them.
inline Times play(MemorySystem& memory, std::vector<Sent> sent, unsigned threads = 1, std::uint32_t sms = 2) {
  engine::WorkerPool pool(threads);
  memory.begin_launch();
  Times times{std::vector<Cycle>(sent.size(), 0), {}};
  for (std::uint32_t i = 0; i < sent.size(); ++i) sent[i].request.token = i;
  std::stable_sort(sent.begin(), sent.end(),
                   [](const Sent& a, const Sent& b) { return a.request.cycle < b.request.cycle; });
  std::size_t next = 0;
  std::vector<noc::Request> outbox;
  for (Cycle begin = 0; begin != never;) {
    const Cycle end = begin + memory.round_trip();
    const std::size_t first = next;
    while (next < sent.size() && sent[next].request.cycle < end) ++next;
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      for (std::size_t i = first; i < next; ++i)
        if (sent[i].sm == sm) outbox.push_back(sent[i].request);
      memory.collect(sm, outbox);
    }
    memory.run_until(end, pool);
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      for (const noc::Reply& reply : memory.replies(sm)) {
        REQUIRE(reply.cycle >= end);  // An SM that has run to `end` cannot have missed it.
        if (reply.credit) {
          times.credit.push_back(reply.cycle);
        } else {
          REQUIRE(times.reply.at(reply.token) == 0);
          times.reply[reply.token] = reply.cycle;
        }
      }
      memory.replies(sm).clear();
    }
    begin = memory.next_event();
    if (next < sent.size()) begin = std::min(begin, sent[next].request.cycle);
    if (begin != never) begin = std::max(begin, end);
  }
  CHECK(memory.outstanding() == 0);
  CHECK(times.credit.size() == sent.size());
  return times;
}

inline Times play(const GpuSpec& spec, const std::vector<Sent>& sent) {
  MemorySystem memory(spec);
  return play(memory, sent);
}

constexpr Cycle hit = there + slice_time + back;
/// A read of a whole line from a closed row: 128 bytes take four cycles of the data bus.
constexpr Cycle miss = there + first_read + 4 + chip + slice_time + back;

}  // namespace lockstep::gpu::traffic
