#pragma once
// bounds: accesses stay inside the array from which their address is computed.

#include <array>
#include <vector>

#include "isa/exec/checks/checked_kernel.hpp"
#include "isa/exec/checks/context.hpp"

namespace lockstep::exec {

/// The arrays of one launch.
class Bounds {
 public:
  /// `shared_bytes`: of a thread block, static and dynamic.
  Bounds(const CheckContext& context, std::uint64_t shared_bytes, const Allocation& parameters);

  /// Checks warp.address in the lanes of `mask`; `number`: 1 for the second access of a copy.
  void check(const Warp& warp, const Op& op, const MemoryAccess& access, unsigned number, LaneMask mask) const {
    const Range& range = ranges_[op.instruction][number];
    if (range.size == 0) return;
    // As in all_within of memory/addressing.cpp: the sign bits of differences tell.
    const std::uint64_t limit = range.size - access.bytes, first = first_of(range, warp);
    std::uint64_t outside = limit;
    if (mask == ~LaneMask{0}) {
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const std::uint64_t offset = warp.address[lane] - first;
        outside |= offset | (limit - offset);
      }
    } else {
      for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t offset = warp.address[lane] - first;
        outside |= offset | (limit - offset);
      });
    }
    if (outside >> 63 != 0) report(warp, op, access, number, mask);
  }

 private:
  /// Addresses as the instruction forms them; size 0: not known.
  struct Range {
    std::uint64_t first = 0, size = 0;
    bool in_frame = false;  ///< Counted from the local memory of the function's activation.
  };
  static std::uint64_t first_of(const Range& range, const Warp& warp) {
    return range.first + (range.in_frame ? warp.activations[warp.stack.back().activation].local : 0);
  }
  void report(const Warp& warp, const Op& op, const MemoryAccess& access, unsigned number, LaneMask mask) const;
  Range range_of(const ArrayBase& base, const MemoryAccess& access, std::uint64_t shared_bytes,
                 const Allocation& parameters) const;

  const CheckContext& context_;
  std::vector<std::array<Range, 2>> ranges_;  ///< Per instruction.
};

}  // namespace lockstep::exec
