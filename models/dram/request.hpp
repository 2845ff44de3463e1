#pragma once
// Messages between an SM and the memory behind it.

#include <cstdint>

#include "isa/cycle.hpp"

namespace lockstep::dram {

enum class RequestKind : std::uint8_t { read, write, atomic };

/// One transaction that left an SM.
struct Request {
  Cycle cycle = 0;          ///< When it left.
  std::uint64_t line = 0;   ///< Address of its first byte divided by the transaction size.
  std::uint32_t bytes = 0;  ///< Transferred.
  std::uint32_t lanes = 0;  ///< Lanes served: the operations of an atomic.
  std::uint32_t token = 0;  ///< Returned with the reply.
  RequestKind kind = RequestKind::read;
};

/// The answer: data of a read or atomic, the acknowledgement of a write.
struct Reply {
  Cycle cycle = 0;  ///< When the SM sees it.
  std::uint32_t token = 0;
};

}  // namespace lockstep::dram
