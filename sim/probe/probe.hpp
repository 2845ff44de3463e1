#pragma once
// The latency of one warp access pattern: a kernel with nothing but the access, run through the real pipeline.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/analytic/warp_access.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::probe {

/// What the kernel does at the words of the pattern.
enum class AccessOperation : std::uint8_t {
  load,               ///< Until its result can be used.
  store,              ///< Until the warp can continue.
  read_modify_write,  ///< Load, add, store: Listing 4.2 of Gomez-Luna (2012).
  atomic              ///< Atomic addition.
};

/// One machine instruction on the way of a warp.
struct Step {
  machine::Operation operation{};
  std::uint32_t lanes = 0;     ///< That took part.
  std::uint32_t acquired = 0;  ///< Of a load-lock: that got their lock.
  std::uint32_t degree = 0;    ///< Bank conflict degree of a scratchpad access; 0 of others, and without lanes.
  Cycle cycles = 0;            ///< From its issue to the issue of the warp's next instruction.
};

struct Result {
  Cycle cycles = 0;                           ///< Of the pipeline.
  std::optional<Cycle> analytic_cycles;       ///< Of the closed-form model, for one warp.
  std::optional<Cycle> state_machine_cycles;  ///< Of the four-state model, for one warp's atomic.
  std::uint32_t bank_degree = 0, lock_degree = 0, position_degree = 0;  ///< Of the pattern.
  std::uint32_t iterations = 0;  ///< Of the lock loop, of the warp that took most; 1 without one.
  /// The way of the warp that ended last, and how long after the first warp's start it started.
  std::uint32_t last_warp = 0;
  Cycle last_warp_waited = 0;
  std::vector<Step> steps;
};

/// One thread block of `warps` warps accesses the pattern once, all at the same time. The cycles go from the issue of
/// the first access instruction to the cycle at which the last warp issues what depends on the access. InputError when the
/// GPU cannot run it.
Result measure(const gpu::GpuSpec& spec, AccessOperation operation, const analytic::WarpAccess& access,
               std::uint32_t warps = 1);
/// The same with several patterns, which the warps take in turn. The degrees and steps are those of the first one.
Result measure(const gpu::GpuSpec& spec, AccessOperation operation, const std::vector<analytic::WarpAccess>& accesses,
               std::uint32_t warps);

/// Words of scratchpad memory that a thread block can have on this GPU.
std::uint64_t scratchpad_words(const gpu::GpuSpec& spec);

/// Banks and locks of this GPU's scratchpad memory, as the closed-form models see them.
analytic::Layout layout_of(const gpu::GpuSpec& spec);

}  // namespace lockstep::probe
