#pragma once
// A memory path with a memory of one latency behind it.

#include <numeric>
#include <optional>
#include <vector>

#include "sim/gpu/memory_path.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::test {

/// Answers every request a fixed time after it left, and gives its credit back at another.
struct PathAndMemory {
  explicit PathAndMemory(const gpu::GpuSpec& gpu, Cycle reply = 500, Cycle credit = 100)
      : spec(gpu),
        slices(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
        path(spec, slices),
        reply_after(reply),
        credit_after(credit) {}

  using Path = gpu::MemoryPath;

  Path::Outcome access(Path::Kind kind, const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0,
                       machine::CacheOperator op = machine::CacheOperator::normal, std::uint32_t bytes = 4) {
    Path::Access a = lanes(address, bytes);
    a.kind = kind;
    a.cache_operator = op;
    return path.access(a, now, 0, token);
  }
  Path::Outcome load(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0,
                     machine::CacheOperator op = machine::CacheOperator::normal) {
    return access(Path::Kind::load, address, now, token, op);
  }
  Path::Outcome store(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0) {
    return access(Path::Kind::store, address, now, token);
  }
  Path::Outcome local(Path::Kind kind, const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0,
                      machine::CacheOperator op = machine::CacheOperator::normal) {
    Path::Access a = lanes(address, 4);
    a.kind = kind;
    a.cache_operator = op;
    std::swap(a.global_lanes, a.local_lanes);
    return path.access(a, now, 0, token);
  }
  Path::Outcome constant(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0) {
    return path.constant(lanes(address, 4), now, token);
  }
  Path::Outcome texture(const std::vector<std::uint64_t>& address, Cycle now, std::uint32_t token = 0) {
    return path.texture(lanes(address, 4), now, token);
  }

  /// Lets everything that happens up to `end` happen.
  void run(Cycle end) {
    for (;;) {
      for (const noc::Request& request : path.outbox()) {
        sent.push_back(request);
        path.deliver({request.cycle + credit_after, 0, request.slice, true});
        path.deliver({request.cycle + reply_after, request.token, request.slice, false});
      }
      path.outbox().clear();
      const Cycle next = path.next_event();
      if (next > end) return;
      path.advance(next);
      for (const Path::Completion& c : path.completed()) completions.push_back(c);
      path.completed().clear();
    }
  }
  /// When the access completed, if it did.
  std::optional<Cycle> completed(std::uint32_t token) const {
    for (const Path::Completion& c : completions)
      if (c.token == token) return c.ready;
    return std::nullopt;
  }

  gpu::GpuSpec spec;
  noc::SliceMap slices;
  Path path;
  Cycle reply_after, credit_after;
  std::vector<noc::Request> sent;
  std::vector<Path::Completion> completions;

 private:
  Path::Access lanes(const std::vector<std::uint64_t>& address, std::uint32_t bytes) {
    std::copy(address.begin(), address.end(), lane_address);
    Path::Access a;
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

/// A GPU whose path has round numbers: L1 cache of 16 lines in 4 ways, hits in 30 cycles, one cycle per 32 bytes.
inline gpu::GpuSpec path_gpu() {
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
