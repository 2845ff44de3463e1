#pragma once
// What an SM keeps for its R-GPU mode.

#include <cstdint>
#include <memory>

#include "isa/dataflow/access_stream.hpp"
#include "models/rgpu/fabric.hpp"
#include "models/rgpu/mapping.hpp"
#include "sim/gpu/fabric_path.hpp"

namespace lockstep::gpu {

struct RgpuMode {
  enum class Phase : std::uint8_t {
    off,     ///< Standard mode.
    enters,  ///< All warps have arrived at the barrier.
    set_up,  ///< Switching and configuration; initial values are loaded.
    runs,
    results,  ///< What is left in FIFOs is stored.
    leaves    ///< Switching back.
  };

  RgpuMode(const GpuSpec& spec, MemoryPath& memory_path, scratchpad::Scratchpad& scratchpad)
      : fabric(spec.sm.rgpu, spec.sm.l1.cache.line_bytes), path(spec, memory_path, scratchpad) {}

  rgpu::Fabric fabric;
  FabricPath path;
  Phase phase = Phase::off;
  std::shared_ptr<const dataflow::GraphRun> run;
  const rgpu::Mapping* mapping = nullptr;
  std::uint32_t block_slot = 0;
  Cycle entered = 0;            ///< When the switch began.
  Cycle configured = 0;         ///< When configuration registers and FIFOs are written.
  Cycle ended = 0;              ///< When the fabric was done.
  std::size_t words_moved = 0;  ///< Of the initial values that are loaded, or of the results.
  std::uint32_t loads = 0;      ///< In flight.
  Cycle loaded = 0;             ///< When the loads that have come back are there.
};

}  // namespace lockstep::gpu
