#pragma once
// A memory unit with a memory of one latency behind it.

#include <numeric>
#include <optional>
#include <vector>

#include "sim/gpu/sm/memory/memory_unit.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::test {

/// Answers every request a fixed time after it left, and gives its credit back at another.
struct UnitAndMemory {
  explicit UnitAndMemory(const gpu::GpuSpec& gpu, Cycle reply = 500, Cycle credit = 100)
      : spec(gpu),
        slices(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
        unit(spec, slices),
        reply_after(reply),
        credit_after(credit) {}

  using Unit = gpu::MemoryUnit;

  Unit::Outcome access(Unit::Kind kind, const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0,
                       machine::CacheOperator op = machine::CacheOperator::normal, std::uint32_t bytes = 4) {
    Unit::Access a = lanes(address, bytes);
    a.kind = kind;
    a.cache_operator = op;
    return unit.access(a, now, 0, token);
  }
  Unit::Outcome load(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0,
                     machine::CacheOperator op = machine::CacheOperator::normal) {
    return access(Unit::Kind::load, address, now, token, op);
  }
  Unit::Outcome store(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0) {
    return access(Unit::Kind::store, address, now, token);
  }
  Unit::Outcome local(Unit::Kind kind, const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0,
                      machine::CacheOperator op = machine::CacheOperator::normal) {
    Unit::Access a = lanes(address, 4);
    a.kind = kind;
    a.cache_operator = op;
    std::swap(a.global_lanes, a.local_lanes);
    return unit.access(a, now, 0, token);
  }
  Unit::Outcome constant(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0) {
    return unit.constant(lanes(address, 4), now, token);
  }
  Unit::Outcome texture(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0) {
    return unit.texture(lanes(address, 4), now, token);
  }
  /// Of `texels` texels of `bytes` for each lane.
  Unit::Outcome texture(const std::vector<std::uint64_t>& address, Cycle now, std::uint8_t bytes, std::uint8_t texels) {
    Unit::Access a = lanes(address, bytes);
    a.vector_elements = texels;
    return unit.texture(a, now, 0);
  }

  /// Lets everything that happens up to `end` happen.
  void run(Cycle end) {
    for (;;) {
      for (const noc::Request& request : unit.outbox()) {
        sent.push_back(request);
        unit.deliver({request.cycle + credit_after, 0, request.slice, true});
        unit.deliver({request.cycle + reply_after, request.token, request.slice, false});
      }
      unit.outbox().clear();
      const Cycle next = unit.next_event();
      if (next > end) return;
      unit.advance(next);
      for (const gpu::Completion& c : unit.completed()) completions.push_back(c);
      unit.completed().clear();
    }
  }
  /// When the access completed, if it did.
  std::optional<Cycle> completed(std::uint32_t token) const {
    for (const gpu::Completion& c : completions)
      if (c.token == token) return c.ready;
    return std::nullopt;
  }

  gpu::GpuSpec spec;
  noc::SliceMap slices;
  Unit unit;
  Cycle reply_after, credit_after;
  std::vector<noc::Request> sent;
  std::vector<gpu::Completion> completions;

 private:
  Unit::Access lanes(const std::vector<std::uint64_t>& address, std::uint32_t bytes) {
    std::copy(address.begin(), address.end(), lane_address);
    Unit::Access a;
    a.address = lane_address;
    a.global_lanes = address.size() == 32 ? ~0u : (1u << address.size()) - 1;
    a.element_bytes = bytes;
    return a;
  }
  std::uint64_t lane_address[32] = {};
};

/// Words of 32 lanes from `first` on.
inline std::vector<std::uint64_t> line_at(std::uint64_t first, std::uint32_t lanes = 32, std::uint64_t stride = 4) {
  std::vector<std::uint64_t> all(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) all[lane] = first + lane * stride;
  return all;
}

/// A GPU whose memory unit has round numbers: L1 cache of 16 lines in 4 ways, hits in 30 cycles, one cycle per 32 bytes.
inline gpu::GpuSpec memory_unit_gpu() {
  gpu::GpuSpec spec = gtx580();
  spec.sm.coalescer = coalescer::Rule::warp_lines;
  spec.sm.address_interval = 1;
  spec.sm.l1.cache = {2048, 128, 32, 4, "mod", 4, 3};
  spec.sm.l1.unified_bytes = 0;
  spec.sm.l1.global = spec.sm.l1.local = true;
  spec.sm.l1.global_write = cache::WritePolicy::evict;
  spec.sm.l1.local_write = cache::WritePolicy::back;
  spec.sm.l1.latency = 30;
  spec.sm.l1.bytes_per_cycle = 128;
  spec.sm.tlb = {0, 0, 4096, 0};
  spec.memory.noc.header_bytes = 8;
  spec.memory.noc.sm_request_bytes = 8;
  spec.memory.noc.credits = 100;
  spec.memory.noc.injection_queue = 1000;
  spec.memory.l2.slices = 1;
  spec.memory.l2.interleave_bytes = 256;
  spec.memory.l2.slice_hash = "mod";
  return spec;
}

}  // namespace lockstep::test
