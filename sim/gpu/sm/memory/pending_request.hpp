#pragma once

#include <cstdint>

#include "isa/machine/instruction.hpp"

namespace lockstep::gpu {

/// What the reply to a request of an SM does.
struct PendingRequest {
  enum class Purpose : std::uint8_t { l1_fill, texture_fill, constant_fill, part, wait, write_back };
  Purpose purpose = Purpose::part;
  machine::CacheOperator cache_operator = machine::CacheOperator::normal;
  bool translated = true;
  std::uint32_t sectors = 0;  ///< Of the cache's line.
  std::uint32_t open = 0;     ///< The access whose part it is: Purpose::part and wait.
  std::uint64_t line = 0, address = 0;
  std::uint32_t next_free = 0;
};

}  // namespace lockstep::gpu
