#include "isa/exec/memory/addressing.hpp"

#include <fmt/format.h>

#include <bit>

namespace lockstep::exec {

namespace {

constexpr program::AddressWindows windows;

struct Range {
  std::uint64_t base, size;
};

/// Whether every lane's [address, address + bytes) lies in the range and is aligned. Sizes are below 2^63, so that the
/// sign bits of two differences tell, and the loop needs no comparison.
bool all_within(const std::uint64_t* address, LaneMask mask, Range range, const MemoryAccess& access) {
  const std::uint64_t limit = range.size - access.bytes;
  std::uint64_t outside = limit, low = 0;
  if (mask == ~LaneMask{0}) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::uint64_t offset = address[lane] - range.base;
      outside |= offset | (limit - offset);
      low |= address[lane];
    }
  } else {
    for_each_lane(mask, [&](unsigned lane) {
      const std::uint64_t offset = address[lane] - range.base;
      outside |= offset | (limit - offset);
      low |= address[lane];
    });
  }
  return (outside >> 63) == 0 && (low & (access.bytes - 1)) == 0;
}

void add_to_host(Warp& warp, std::byte* host, std::uint64_t base) {
  const std::uintptr_t delta = reinterpret_cast<std::uintptr_t>(host) - base;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    warp.host[lane] = reinterpret_cast<std::byte*>(delta + warp.address[lane]);  // NOLINT(performance-no-int-to-ptr)
  }
}

std::string access_text(const MemoryAccess& access, std::string_view space, std::uint64_t address) {
  return fmt::format("{} of {} byte{} at {} address {:#x}", access.kind, access.bytes, access.bytes == 1 ? "" : "s",
                     space, address);
}

/// Resolves one lane, or fails for it.
std::byte* resolve_lane(Warp& warp, const Op& op, const MemoryAccess& access, unsigned lane) {
  ThreadBlock& block = *warp.owner;
  const std::uint64_t address = warp.address[lane];
  ptx::Space space = access.space;
  std::uint64_t offset = address;
  if (space == ptx::Space::generic) {
    if (address - windows.shared_base < windows.shared_size) {
      space = ptx::Space::shared;
      offset = address - windows.shared_base;
    } else if (address - windows.local_base < windows.local_size) {
      space = ptx::Space::local;
      offset = address - windows.local_base;
    } else {
      space = ptx::Space::global;
    }
  }
  const std::string_view named = ptx::name_of(access.space);
  const auto misaligned = [&]() {
    block.fail(
        warp, op, lane,
        fmt::format("misaligned {}: it must be a multiple of {}; {}", access_text(access, named, address), access.bytes,
                    space == ptx::Space::global || space == ptx::Space::constant
                        ? block.context().memory->describe(address)
                        : fmt::format("byte {} of the {} memory", offset, ptx::name_of(space))));
  };
  const auto inside = [&](std::uint64_t size, const std::string& what) {
    if (size < access.bytes || offset > size - access.bytes) {
      block.fail(warp, op, lane,
                 fmt::format("{} is out of bounds: {} has {} bytes", access_text(access, named, address), what, size));
    }
    if ((offset & (access.bytes - 1)) != 0) misaligned();
  };

  switch (space) {
    case ptx::Space::shared:
      if (block.shared_at(offset, access.bytes) == nullptr) {
        inside(block.shared_bytes(),
               fmt::format("the thread block's scratchpad memory ({} static, {} dynamic)",
                           block.kernel().static_shared_bytes, block.context().launch->dynamic_shared_bytes));
      } else if ((offset & (access.bytes - 1)) != 0) {
        misaligned();
      }
      return block.shared() + offset;
    case ptx::Space::local:
      inside(warp.local_bytes, "the thread's local memory");
      return block.local(warp, lane) + offset;
    case ptx::Space::param:
      inside(block.kernel().parameter_bytes, "the parameter space of the kernel");
      return block.context().parameters->host + offset;
    default: break;
  }

  const Allocation* allocation = block.context().memory->find(address);
  if (allocation == nullptr || address + access.bytes > allocation->base + allocation->size) {
    block.fail(warp, op, lane,
               fmt::format("{} is out of bounds: {}", access_text(access, named, address),
                           block.context().memory->describe(address)));
  }
  if ((address & (access.bytes - 1)) != 0) misaligned();
  if (allocation->kind == Allocation::Kind::array) {
    block.fail(warp, op, lane,
               fmt::format("{} lies in an array, which only texture fetches and surface accesses reach: {}",
                           access_text(access, named, address), block.context().memory->describe(address)));
  }
  if (allocation->kind == Allocation::Kind::code) {
    block.fail(warp, op, lane,
               fmt::format("{} is that of a function, which can only be called: {}",
                           access_text(access, named, address), block.context().memory->describe(address)));
  }
  if (access.writes && !allocation->writable()) {
    block.fail(warp, op, lane,
               fmt::format("{} writes to memory that is read-only: {}", access_text(access, named, address),
                           block.context().memory->describe(address)));
  }
  if (access.constant_only && allocation->kind != Allocation::Kind::constant) {
    block.fail(warp, op, lane,
               fmt::format("{} reads no constant variable: {}", access_text(access, named, address),
                           block.context().memory->describe(address)));
  }
  access.last = allocation;
  return allocation->host + (address - allocation->base);
}

}  // namespace

void resolve_addresses(Warp& warp, const Op& op, const MemoryAccess& access, LaneMask mask) {
  ThreadBlock& block = *warp.owner;
  switch (access.space) {
    case ptx::Space::shared:
      if (!all_within(warp.address, mask, {0, block.shared_bytes()}, access)) break;
      add_to_host(warp, block.shared(), 0);
      return;
    case ptx::Space::local: {
      if (!all_within(warp.address, mask, {0, warp.local_bytes}, access)) break;
      std::byte* at = block.local(warp, 0);
      for (unsigned lane = 0; lane < lanes; ++lane, at += warp.local_stride) warp.host[lane] = at + warp.address[lane];
      return;
    }
    case ptx::Space::generic:
    case ptx::Space::global:
    case ptx::Space::constant: {
      const Allocation* last = access.last;
      if (last != nullptr && all_within(warp.address, mask, {last->base, last->size}, access)) {
        add_to_host(warp, last->host, last->base);
        return;
      }
      if (access.space == ptx::Space::generic && block.shared_bytes() > 0 &&
          all_within(warp.address, mask, {windows.shared_base, block.shared_bytes()}, access)) {
        add_to_host(warp, block.shared(), windows.shared_base);
        return;
      }
      break;
    }
    default: break;
  }
  for_each_lane(mask, [&](unsigned lane) { warp.host[lane] = resolve_lane(warp, op, access, lane); });
}

void note_order(Warp& warp, const Op& op, LaneMask mask) {
  const MemoryAccess& access = *op.memory;
  if (access.space != ptx::Space::global && access.space != ptx::Space::generic) return;
  const ThreadBlock& block = *warp.owner;
  OrderRecord& order = *block.context().order;
  // Of the lane before: all lanes of a loop that waits ask for one word.
  const Allocation* allocation = nullptr;
  std::uint64_t noted = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t address = warp.address[lane];
    if (allocation != nullptr && address == noted) return;
    noted = address;
    if (allocation == nullptr || address - allocation->base >= allocation->size)
      allocation = block.context().memory->find(address);
    if (allocation == nullptr) return;  // Scratchpad or local memory, by a generic address.
    if ((op.receives || !access.writes) &&
        order.writers.written_by_other(*allocation, address, access.bytes, block.number())) {
      (*order.received)[op.instruction] = true;
    }
    if (op.sends) order.writers.write(*allocation, address, access.bytes, block.number());
  });
}

}  // namespace lockstep::exec
