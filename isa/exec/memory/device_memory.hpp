#pragma once
// Device memory: live allocations at deterministic device addresses, each with host bytes behind it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::exec {

/// Global memory begins here, above the windows of generic shared and local addresses.
inline constexpr std::uint64_t global_base = 0x1'0000'0000;
/// Constant variables and kernel parameters lie in [constant_base, constant_base + constant_size).
inline constexpr std::uint64_t constant_base = 0x4000'0000'0000;
inline constexpr std::uint64_t constant_size = 0x1'0000'0000;
/// Above them are functions whose address is taken.
inline constexpr std::uint64_t code_base = constant_base + constant_size, code_size = 0x10'0000'0000;

/// The next multiple of the alignment; 0 and 1 leave every value as it is.
constexpr std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

/// One live allocation. Device address a of it is host byte `host[a - base]`.
struct Allocation {
  /// array: addresses of a texture array, whose contents are those of its buffer; no load or store may touch it. code: the
  /// address of a function, which only a call takes.
  enum class Kind : std::uint8_t { buffer, variable, constant, parameters, array, code };
  std::string name;
  Kind kind = Kind::buffer;
  std::uint64_t base = 0, size = 0;
  std::byte* host = nullptr;

  bool writable() const { return kind == Kind::buffer || kind == Kind::variable; }
};

/// All allocations of a task. Addresses are multiples of 256 and depend only on the order and the sizes of the
/// allocations; between two allocations lies unmapped space, so that an overrun cannot reach the neighbour unseen.
class DeviceMemory {
 public:
  /// Zeroed bytes with a name for error messages. Constants and parameters go to the constant region. ResourceError
  /// when the host has not enough memory, InputError when the region is full.
  Allocation& allocate(Allocation::Kind kind, std::string name, std::uint64_t bytes);

  /// The allocation that holds `address`, or nullptr.
  const Allocation* find(std::uint64_t address) const;
  /// Where an address lies with respect to the allocation nearest to it, for error messages.
  std::string describe(std::uint64_t address) const;

  std::span<std::byte> bytes(const Allocation& allocation) const { return {allocation.host, allocation.size}; }

 private:
  struct Region {
    std::uint64_t next, end;
    std::vector<const Allocation*> allocations;  ///< In order of addresses.
  };
  const Region& region_of(std::uint64_t address) const;
  const Allocation* nearest(std::uint64_t address, std::uint64_t& distance, bool& before) const;

  std::deque<Allocation> allocations_;  ///< Stable addresses: decoded instructions point to allocations.
  std::vector<std::unique_ptr<std::byte[], void (*)(std::byte*)>> storage_;
  Region global_{global_base, constant_base, {}};
  Region constant_{constant_base, constant_base + constant_size, {}};
  Region code_{code_base, code_base + code_size, {}};
};

}  // namespace lockstep::exec
