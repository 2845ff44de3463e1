#include "isa/exec/memory/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "isa/error.hpp"

namespace lockstep::exec {

namespace {

constexpr std::uint64_t allocation_alignment = 256;
constexpr std::uint64_t guard_bytes = 1 << 20;

void release(std::byte* bytes) {
  std::free(bytes);
}

std::string_view name_of(Allocation::Kind kind) {
  switch (kind) {
    case Allocation::Kind::buffer: return "buffer";
    case Allocation::Kind::variable: return "variable";
    case Allocation::Kind::constant: return "constant variable";
    case Allocation::Kind::parameters: return "kernel parameters";
    case Allocation::Kind::array: return "texture array";
    case Allocation::Kind::code: return "function";
  }
  return "";
}

}  // namespace

Allocation& DeviceMemory::allocate(Allocation::Kind kind, std::string name, std::uint64_t bytes) {
  const bool code = kind == Allocation::Kind::code;
  const bool global = kind != Allocation::Kind::constant && kind != Allocation::Kind::parameters && !code;
  Region& region = code ? code_ : global ? global_ : constant_;
  if (bytes > region.end - region.next || region.end - region.next - bytes < 2 * guard_bytes) {
    throw InputError(fmt::format("{} '{}' of {} bytes does not fit into the {} address space", name_of(kind), name,
                                 bytes,
                                 code     ? "code"
                                 : global ? "global"
                                          : "constant"));
  }
  // calloc leaves untouched pages unmapped, so a large buffer costs only what the program uses of it.
  auto* host = static_cast<std::byte*>(std::calloc(aligned(bytes, allocation_alignment) + allocation_alignment, 1));
  if (host == nullptr) throw ResourceError(fmt::format("no memory for buffer '{}' of {} bytes", name, bytes));
  storage_.emplace_back(host, release);
  const std::uint64_t skip =
      aligned(reinterpret_cast<std::uintptr_t>(host), allocation_alignment) - reinterpret_cast<std::uintptr_t>(host);
  allocations_.push_back({std::move(name), kind, region.next, bytes, host + skip});
  region.allocations.push_back(&allocations_.back());
  region.next = aligned(region.next + bytes + guard_bytes, allocation_alignment);
  return allocations_.back();
}

const DeviceMemory::Region& DeviceMemory::region_of(std::uint64_t address) const {
  return address < constant_base ? global_ : address < code_base ? constant_ : code_;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  const Region& region = region_of(address);
  const auto above = std::upper_bound(region.allocations.begin(), region.allocations.end(), address,
                                      [](std::uint64_t a, const Allocation* b) { return a < b->base; });
  if (above == region.allocations.begin()) return nullptr;
  const Allocation* candidate = *(above - 1);
  return address - candidate->base < candidate->size ? candidate : nullptr;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address, std::uint64_t& distance, bool& before) const {
  const Allocation* best = nullptr;
  for (const Allocation& allocation : allocations_) {
    const bool is_before = address < allocation.base;
    const std::uint64_t end = allocation.base + allocation.size;
    const std::uint64_t away = is_before ? allocation.base - address : address >= end ? address - end : 0;
    if (best == nullptr || away < distance) {
      best = &allocation;
      distance = away;
      before = is_before;
    }
  }
  return best;
}

std::string DeviceMemory::describe(std::uint64_t address) const {
  std::uint64_t distance = 0;
  bool before = false;
  const Allocation* allocation = nearest(address, distance, before);
  if (allocation == nullptr) return "there is no allocation";
  const std::uint64_t end = allocation->base + allocation->size;
  const std::string range = fmt::format("{} '{}' [{:#x}, {:#x}), {} bytes", name_of(allocation->kind), allocation->name,
                                        allocation->base, end, allocation->size);
  if (before) return fmt::format("nearest is {}; the address is {} bytes before it", range, distance);
  if (address >= end) return fmt::format("nearest is {}; the address is {} bytes past its end", range, distance);
  return fmt::format("it lies in {} at byte {}", range, address - allocation->base);
}

}  // namespace lockstep::exec
