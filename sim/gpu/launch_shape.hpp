#pragma once

#include <cstdint>

#include "isa/trace/header.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// Scratchpad memory that one thread block is given, rounded up to the allocation unit. InputError when that is more than
/// it may have.
std::uint32_t scratchpad_bytes_per_block(const OccupancySpec& spec, const program::Kernel& kernel,
                                         const trace::Launch& launch);

}  // namespace lockstep::gpu
