// Calls of the CUDA device runtime that are errors when a thread gets to them.

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>

#include "isa/exec/steps.hpp"
#include "isa/exec/thread_block.hpp"
#include "isa/ptx/runtime_functions.hpp"

namespace lockstep::exec {

namespace {

/// The string at a device address as far as it can be read and shown, or "".
std::string string_at(const DeviceMemory& memory, std::uint64_t address) {
  constexpr std::size_t longest = 400;
  const Allocation* const allocation = memory.find(address);
  std::string text;
  if (allocation == nullptr) return text;
  for (std::uint64_t at = address - allocation->base; at < allocation->size && text.size() < longest; ++at) {
    const auto c = static_cast<char>(allocation->host[at]);
    if (c == 0) break;
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return text;
}

/// The value of a call's first argument, an address.
std::uint64_t first_argument(Warp& warp, const CallSite& site, unsigned lane) {
  if (site.arguments.empty()) return 0;
  const CallSite::Copy& argument = site.arguments.front();
  if (argument.from_plane != no_plane) return plane<std::uint64_t>(warp.frame, argument.from_plane)[lane];
  std::uint64_t value;
  std::memcpy(&value, warp.owner->local(warp, lane) + argument.from, sizeof value);
  return value;
}

}  // namespace

Outcome call_unsupported(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  using ptx::RuntimeFunction;
  ThreadBlock& block = *warp.owner;
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  const ptx::Instruction& call = block.kernel().program.instruction(op.instruction);
  switch (ptx::runtime_function(*block.kernel().module, call)) {
    case RuntimeFunction::assertion: {
      const CallSite& site = block.kernel().calls[op.arithmetic.control];
      const std::string assertion = string_at(*block.context().memory, first_argument(warp, site, lane));
      block.fail(warp, op, lane,
                 fmt::format("an assertion failed{}{} (call of '{}')", assertion.empty() ? "" : ": ", assertion,
                             call.call_target));
    }
    case RuntimeFunction::allocation:
      block.fail(warp, op, lane,
                 fmt::format("call of '{}': memory cannot be allocated or freed in a kernel here", call.call_target));
    default:
      block.fail(warp, op, lane, fmt::format("call of '{}': a kernel cannot launch kernels here", call.call_target));
  }
}

}  // namespace lockstep::exec
