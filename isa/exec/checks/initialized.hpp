#pragma once
// init: what is read from scratchpad and local memory has been written.

#include "isa/exec/checks/context.hpp"

namespace lockstep::exec {

/// The bytes of one thread block's scratchpad memory and local arrays that have been written.
class InitializedBytes {
 public:
  InitializedBytes(const CheckContext& context, ThreadBlock& block);

  /// Nothing is written: a thread block begins.
  void begin();
  /// Checks what the lanes of `mask` read at warp.address, and notes what they write.
  void access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, LaneMask mask);
  /// An instruction without an access that is checked here writes bytes of the scratchpad.
  void write_shared(std::uint64_t offset, std::uint32_t bytes);

 private:
  void lane_access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, unsigned lane);

  const CheckContext& context_;
  std::uint64_t local_bytes_;                 ///< Per thread.
  std::vector<std::uint8_t> shared_, local_;  ///< 1 for each byte that is written.
};

}  // namespace lockstep::exec
