#pragma once
// The heap that malloc and free of kernels use.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "isa/exec/memory/device_memory.hpp"

namespace lockstep::exec {

struct Op;
struct Warp;

/// Is told of the memory that a lane has got by malloc, or given back by free.
class HeapObserver {
 public:
  virtual ~HeapObserver() = default;
  virtual void allocated(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address, std::uint64_t bytes) = 0;
  virtual void freed(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address) = 0;
};

/// One buffer of 8 MiB, the default of CUDA's cudaLimitMallocHeapSize, for all launches of a task. Which address malloc
/// gives depends only on the order of calls.
class Heap {
 public:
  static constexpr std::uint64_t size = std::uint64_t{8} << 20;
  static constexpr std::uint64_t alignment = 16;
  /// Behind each allocation, so that an access just past its end does not reach the next one.
  static constexpr std::uint64_t guard = 16;

  /// The bytes that an allocation of so many takes.
  static constexpr std::uint64_t taken(std::uint64_t bytes) { return aligned(bytes, alignment) + guard; }

  explicit Heap(DeviceMemory& memory);

  /// The address of so many bytes: the first gap that holds them. 0 when there is none, or none are asked for.
  std::uint64_t allocate(std::uint64_t bytes);
  /// False when malloc has not given this address, or it was freed since.
  bool release(std::uint64_t address);

  /// The device address of its first byte.
  std::uint64_t base() const { return base_; }
  /// What malloc has given: where it lies from base() on, and the bytes that were asked for.
  const std::map<std::uint64_t, std::uint64_t>& allocations() const { return used_; }

  /// Null where nobody wants to know. Those who call allocate() and release() for a lane tell it.
  HeapObserver* observer() const { return observer_.get(); }
  void observe(std::unique_ptr<HeapObserver> observer) { observer_ = std::move(observer); }

 private:
  std::uint64_t base_;
  std::map<std::uint64_t, std::uint64_t> used_, gaps_;  ///< Offsets and the bytes there; of `used_` without padding.
  std::unique_ptr<HeapObserver> observer_;
};

}  // namespace lockstep::exec
