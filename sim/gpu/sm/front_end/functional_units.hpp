#pragma once
// The functional units of an SM: how long each operation takes, which groups of a unit a scheduler may use, and when
// an issue port is free.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "sim/gpu/sm/front_end/issue_port.hpp"
#include "sim/gpu/sm/front_end/unit_pool.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// The issue ports as one scheduler sees them.
class SchedulerPorts {
 public:
  /// The groups of the unit behind a port.
  UnitPool& unit(IssuePort port) const { return *pools_[static_cast<std::size_t>(port)]; }
  /// The first cycle at which an instruction of this scheduler can take the port; never while a reply must come first.
  Cycle free_at(IssuePort port) const {
    const auto p = static_cast<std::size_t>(port);
    return std::max(dispatch_free_at(port), (*blocked_until_)[p]);
  }
  /// The same as far as the unit and the scheduler's way to it go.
  Cycle dispatch_free_at(IssuePort port) const {
    const auto p = static_cast<std::size_t>(port);
    return std::max(pools_[p]->free_at(), dispatches_until_[p]);
  }
  /// Until then the scheduler sends the load-store units nothing more.
  void hold_load_store(Cycle until) {
    for (std::size_t p = 0; p < issue_port_count; ++p)
      if (is_load_store(static_cast<IssuePort>(p))) dispatches_until_[p] = until;
  }

 private:
  friend class FunctionalUnits;
  std::array<UnitPool*, issue_port_count> pools_{};
  const std::array<Cycle, issue_port_count>* blocked_until_ = nullptr;
  std::array<Cycle, issue_port_count> dispatches_until_{};
};

class FunctionalUnits {
 public:
  explicit FunctionalUnits(const SmSpec& spec);
  FunctionalUnits(const FunctionalUnits&) = delete;  // Schedulers refer to its pools.
  FunctionalUnits& operator=(const FunctionalUnits&) = delete;

  /// All groups are free.
  void begin_launch();
  /// Those of a scheduler: valid as long as this object.
  SchedulerPorts ports_of(std::uint32_t scheduler);
  const OperationTiming& timing(machine::Operation operation) const { return timings_[operation]; }
  /// Whether all schedulers take the same groups at this port.
  bool shared_by_schedulers(IssuePort port) const { return (shared_ports_ >> static_cast<unsigned>(port) & 1) != 0; }
  /// What lies behind the unit takes nothing at this port before cycle `until`, which may be never. For the scratchpad
  /// that is when the last native atomic has passed, for the memory MemoryUnit::free_at().
  void block(IssuePort port, Cycle until) { blocked_until_[static_cast<std::size_t>(port)] = until; }

 private:
  OperationTimings timings_;
  std::vector<UnitPool> pools_;
  std::vector<std::array<std::size_t, issue_port_count>> pool_of_;  ///< By scheduler and port, into pools_.
  std::uint32_t shared_ports_ = 0;                                  ///< Bit per port.
  std::array<Cycle, issue_port_count> blocked_until_{};
};

/// The number of groups of a unit and who may use them. Of control instructions there are none.
const UnitSpec& spec_of(const SmSpec& spec, machine::Unit unit);
/// The unit's path among the parameters.
std::string_view path_of(machine::Unit unit);

}  // namespace lockstep::gpu
