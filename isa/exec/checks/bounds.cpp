#include "isa/exec/checks/bounds.hpp"

#include <fmt/format.h>

#include <cstring>

namespace lockstep::exec {

Bounds::Bounds(const CheckContext& context, std::uint64_t shared_bytes, const Allocation& parameters)
    : context_(context) {
  const Kernel& kernel = context.kernel;
  ranges_.resize(kernel.program.instruction_count);
  for (const Op& op : kernel.ops) {
    if (op.memory == nullptr) continue;
    for (unsigned number = 0; number < 2; ++number) {
      const ArrayBase& base = kernel.checked->bases[op.instruction][number];
      if (base.variable != nullptr)
        ranges_[op.instruction][number] = range_of(base, op.memory[number], shared_bytes, parameters);
    }
  }
}

Bounds::Range Bounds::range_of(const ArrayBase& base, const MemoryAccess& access, std::uint64_t shared_bytes,
                               const Allocation& parameters) const {
  constexpr program::AddressWindows windows;
  if (base.variable->space == ptx::Space::param) {
    const ptx::Function& entry = *context_.kernel.program.functions[0];
    const auto index = static_cast<std::size_t>(base.variable - entry.parameters.data());
    const Argument& argument = context_.launch.arguments[index];
    if (!std::holds_alternative<BufferAddress>(argument) && !std::holds_alternative<VariableAddress>(argument))
      return {};
    std::uint64_t address = 0;
    std::memcpy(&address, parameters.host + context_.kernel.parameter_offsets[index], sizeof address);
    const Allocation* allocation = context_.memory.find(address);
    return allocation == nullptr ? Range{} : Range{allocation->base, allocation->size};
  }
  const std::uint64_t bytes = base.variable->is_extern ? shared_bytes - base.place.address : base.variable->bytes;
  std::uint64_t first = base.place.address;
  if (access.space == ptx::Space::generic && base.place.space == ptx::Space::shared) first += windows.shared_base;
  if (access.space == ptx::Space::generic && base.place.space == ptx::Space::local) first += windows.local_base;
  return {first, bytes, base.place.space == ptx::Space::local};
}

void Bounds::report(const Warp& warp, const Op& op, const MemoryAccess& access, unsigned number, LaneMask mask) const {
  const Range& range = ranges_[op.instruction][number];
  const std::uint64_t first = first_of(range, warp);
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t address = warp.address[lane], offset = address - first;
    if (offset < range.size && access.bytes <= range.size - offset) return;
    context_.report(Check::bounds, 0, context_.thread(warp, op, lane), nullptr, [&](Finding& finding) {
      const ArrayBase& base = context_.kernel.checked->bases[op.instruction][number];
      const bool parameter = base.variable->space == ptx::Space::param;
      const std::string array = parameter ? fmt::format("what parameter '{}' points to", base.variable->name)
                                          : fmt::format("'{}'", base.variable->name);
      const std::string distance = address < first ? fmt::format("{} bytes before its first byte", first - address)
                                                   : fmt::format("at its byte {}", offset);
      finding.what = fmt::format("{} of {} byte{} whose address is computed from {} leaves it: it begins {}, of {}",
                                 access.kind, access.bytes, access.bytes == 1 ? "" : "s", array, distance, range.size);
      finding.place.target = context_.name(locate(access, address));
      finding.remedy = fmt::format("an access of {} bytes must begin at byte 0 to {} of {}", access.bytes,
                                   range.size >= access.bytes ? range.size - access.bytes : 0, array);
    });
  });
}

}  // namespace lockstep::exec
