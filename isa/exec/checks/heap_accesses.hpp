#pragma once
// bounds and init: what is accessed of the heap is allocated, and what is read there has been written.

#include "isa/exec/checks/context.hpp"
#include "isa/exec/checks/heap_record.hpp"

namespace lockstep::exec {

/// The accesses of one thread block to the heap of malloc and free.
class HeapAccesses {
 public:
  /// `heap`: of the task.
  HeapAccesses(const CheckContext& context, HeapRecord& heap) : context_(context), heap_(heap) {}

  /// Checks the accesses of the lanes of `mask` at warp.address, and notes what they write. `bytes`: of each lane, where
  /// they are not those of `access`.
  void access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, LaneMask mask,
              const std::uint32_t* bytes = nullptr);

 private:
  /// One lane's part; `offset` from the beginning of the heap.
  struct LaneBytes {
    unsigned lane = 0;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };
  void report_outside(const Warp& warp, const Op& op, const MemoryAccess& access, const LaneBytes& at) const;
  void report_unwritten(const Warp& warp, const Op& op, const MemoryAccess& access, const LaneBytes& at) const;
  template <class Fill>
  void report(Check check, std::uint8_t kind, const ThreadAt& at, const HeapRecord::Piece& piece, bool is_free,
              Fill&& fill) const;

  const CheckContext& context_;
  HeapRecord& heap_;
};

}  // namespace lockstep::exec
