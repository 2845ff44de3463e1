#pragma once
// The heap that malloc and free of kernels use.

#include <cstdint>
#include <map>

#include "isa/exec/memory/device_memory.hpp"

namespace lockstep::exec {

/// One buffer of 8 MiB, the default of CUDA's cudaLimitMallocHeapSize, for all launches of a task. Which address malloc
/// gives depends only on the order of calls.
class Heap {
 public:
  static constexpr std::uint64_t size = std::uint64_t{8} << 20;
  static constexpr std::uint64_t alignment = 16;

  /// The bytes that an allocation of so many takes.
  static constexpr std::uint64_t taken(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  explicit Heap(DeviceMemory& memory);

  /// The address of so many bytes: the first gap that holds them. 0 when there is none, or none are asked for.
  std::uint64_t allocate(std::uint64_t bytes);
  /// False when malloc has not given this address, or it was freed since.
  bool release(std::uint64_t address);

 private:
  std::uint64_t base_;
  std::map<std::uint64_t, std::uint64_t> used_, gaps_;  ///< Offsets and the bytes there.
};

}  // namespace lockstep::exec
