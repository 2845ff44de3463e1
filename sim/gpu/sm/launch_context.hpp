#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/trace/source.hpp"
#include "models/rgpu/mapping.hpp"
#include "models/scratchpad/scratchpad.hpp"

namespace lockstep::gpu {

/// What an SM must know about the launch it works on.
struct LaunchContext {
  const machine::Program* program = nullptr;
  program::AddressWindows windows;
  std::uint32_t warps_per_block = 0;
  std::uint32_t resident_blocks = 0;  ///< Occupancy limit.
  std::uint32_t scratchpad_bytes_per_block = 0;
  std::shared_ptr<const scratchpad::Maps> maps;  ///< The kernel's hash functions.
  /// Of the kernel's graphs, in their order; null: it has none. One thread block is resident then.
  const std::vector<rgpu::Mapping>* mappings = nullptr;
  bool communicates = false;  ///< A graph waits for words that another stores.
};

}  // namespace lockstep::gpu
