#pragma once
// Kernels with an mbarrier object: %r1 is its address, %p1 holds in thread 0, %r40 is the warp.

#include <cstdint>
#include <string>

namespace lockstep::exec::test {

inline const std::string object =
    ".shared .align 8 .b64 bar[4]; .shared .align 4 .b32 data[256]; mov.u32 %r1, bar;\n"
    "setp.eq.u32 %p1, %r0, 0; mov.u32 %r40, %tid.x; shr.u32 %r40, %r40, 5;\n";

/// Made for so many arrivals before any thread goes on.
inline std::string init(std::uint32_t count) {
  return object + "@%p1 mbarrier.init.shared.b64 [%r1], " + std::to_string(count) + "; bar.sync 0;\n";
}

}  // namespace lockstep::exec::test
