#pragma once
// What all checks of a launch know, and how they report.

#include <fmt/format.h>

#include "isa/exec/checks/findings.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// An address in the memory where it lies.
struct Located {
  ptx::Space space = ptx::Space::global;  ///< shared, local or global.
  std::uint64_t address = 0;              ///< Offset in scratchpad or local memory, or device address.
};

/// Resolves a generic address; the others lie where the access says.
inline Located locate(const MemoryAccess& access, std::uint64_t address) {
  constexpr program::AddressWindows windows;
  if (access.space != ptx::Space::generic) return {access.space, address};
  if (address - windows.shared_base < windows.shared_size) return {ptx::Space::shared, address - windows.shared_base};
  if (address - windows.local_base < windows.local_size) return {ptx::Space::local, address - windows.local_base};
  return {ptx::Space::global, address};
}

struct CheckContext {
  const Kernel& kernel;
  const KernelLaunch& launch;
  const DeviceMemory& memory;
  Findings& findings;

  ThreadAt thread(const Warp& warp, const Op& op, unsigned lane) const {
    return {op.instruction, warp.owner->number(), warp.index * lanes + lane};
  }
  std::string name(const Located& at) const {
    const std::uint64_t reserved = reserved_shared_offset(kernel, launch);
    if (at.space == ptx::Space::shared && kernel.uses_reserved_shared && at.address >= reserved)
      return fmt::format("byte {} of the reserved scratchpad memory", at.address - reserved);
    return name_of_address(kernel, memory, at.space, at.address);
  }
  /// Counts an error; `fill` completes the finding when it is the first at these lines.
  template <class Fill>
  void report(Check check, std::uint8_t kind, const ThreadAt& at, const ThreadAt* other, Fill&& fill) const {
    if (!findings.count(check, kind, kernel, at.instruction, other == nullptr ? ptx::no_index : other->instruction))
      return;
    Finding finding;
    finding.check = check;
    finding.kernel = kernel.name;
    finding.place = place_of(kernel, launch.grid, launch.block, at);
    if (other != nullptr) finding.other = place_of(kernel, launch.grid, launch.block, *other);
    fill(finding);
    findings.add(std::move(finding));
  }
};

}  // namespace lockstep::exec
