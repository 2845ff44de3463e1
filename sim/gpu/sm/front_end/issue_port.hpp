#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/machine/instruction.hpp"

namespace lockstep::gpu {

/// What an instruction must find free in order to issue.
enum class IssuePort : std::uint8_t {
  core,  ///< A group of the unit: one port per machine::Unit, in its order.
  integer,
  double_precision,
  tensor,
  special_function,
  load_store,
  texture,
  control,         ///< Always free.
  memory,          ///< The load-store unit and a place in the queue to the memory.
  texture_memory,  ///< The texture unit and a place in the queue to the memory.
  scratchpad       ///< The load-store unit, and no native atomic in flight.
};
inline constexpr std::size_t issue_port_count = static_cast<std::size_t>(IssuePort::scratchpad) + 1;

/// Of an operation that runs on this unit.
constexpr IssuePort issue_port_of(machine::Operation operation, machine::Unit unit) {
  using machine::Operation;
  switch (operation) {
    case Operation::async_copy:
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction: return IssuePort::memory;
    case Operation::texture_load: return IssuePort::texture_memory;
    case Operation::mbarrier:
    case Operation::scratchpad_load:
    case Operation::scratchpad_store:
    case Operation::load_lock:
    case Operation::store_unlock:
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction: return IssuePort::scratchpad;
    default: return static_cast<IssuePort>(unit);
  }
}

/// The unit of which the port needs a group.
constexpr machine::Unit unit_of(IssuePort port) {
  if (port == IssuePort::memory || port == IssuePort::scratchpad) return machine::Unit::load_store;
  return port == IssuePort::texture_memory ? machine::Unit::texture : static_cast<machine::Unit>(port);
}

/// The ports of the load-store unit, a bit each.
inline constexpr std::uint32_t load_store_ports = [] {
  std::uint32_t ports = 0;
  for (std::uint32_t p = 0; p < issue_port_count; ++p)
    if (unit_of(static_cast<IssuePort>(p)) == machine::Unit::load_store) ports |= 1u << p;
  return ports;
}();
constexpr bool is_load_store(IssuePort port) {
  return (load_store_ports >> static_cast<unsigned>(port) & 1) != 0;
}

}  // namespace lockstep::gpu
