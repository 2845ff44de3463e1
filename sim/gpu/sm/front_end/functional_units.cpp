#include "sim/gpu/sm/front_end/functional_units.hpp"

#include "isa/error.hpp"

namespace lockstep::gpu {

using machine::Unit;

const UnitSpec& spec_of(const SmSpec& sm, Unit unit) {
  switch (unit) {
    case Unit::core: return sm.cores;
    case Unit::integer: return sm.integer_units;
    case Unit::double_precision: return sm.double_precision_units;
    case Unit::tensor: return sm.tensor_cores;
    case Unit::special_function: return sm.special_function_units;
    case Unit::load_store: return sm.load_store_units;
    case Unit::texture: return sm.texture_units;
    case Unit::control: break;
  }
  throw Bug("control instructions need no unit");
}

std::string_view path_of(Unit unit) {
  static constexpr std::array<std::string_view, machine::unit_count> paths = {"sm.cores",
                                                                              "sm.integer_units",
                                                                              "sm.double_precision_units",
                                                                              "sm.tensor_cores",
                                                                              "sm.special_function_units",
                                                                              "sm.load_store_units",
                                                                              "sm.texture_units",
                                                                              "control"};
  return paths[static_cast<std::size_t>(unit)];
}

/// Group g of a unit that is not shared serves scheduler g modulo schedulers; where a unit has fewer groups than there
/// are schedulers, scheduler s uses group s modulo groups.
FunctionalUnits::FunctionalUnits(const SmSpec& sm) : timings_(sm.operations), pool_of_(sm.schedulers) {
  std::vector<std::array<std::size_t, machine::unit_count>> by_unit(sm.schedulers);
  pools_.emplace_back(1);  // Of control instructions: never taken.
  for (std::size_t u = 0; u < machine::unit_count; ++u) {
    const auto unit = static_cast<Unit>(u);
    if (unit == Unit::control) continue;
    const UnitSpec& own = spec_of(sm, unit);
    if (own.groups == 0) continue;  // Its operations run elsewhere or not at all.
    const std::uint32_t pools = own.shared ? 1 : std::min(own.groups, sm.schedulers);
    for (std::size_t p = 0; p < issue_port_count && pools == 1; ++p)
      if (unit_of(static_cast<IssuePort>(p)) == unit) shared_ports_ |= 1u << p;
    for (std::uint32_t s = 0; s < sm.schedulers; ++s) by_unit[s][u] = pools_.size() + s % pools;
    for (std::uint32_t p = 0; p < pools; ++p) pools_.emplace_back((own.groups + pools - 1 - p) / pools);
  }
  for (std::uint32_t s = 0; s < sm.schedulers; ++s)
    for (std::size_t p = 0; p < issue_port_count; ++p)
      pool_of_[s][p] = by_unit[s][static_cast<std::size_t>(unit_of(static_cast<IssuePort>(p)))];

  // What has no unit of its own runs on the cores.
  for (OperationTiming& timing : timings_)
    if ((timing.unit == Unit::integer && sm.integer_units.groups == 0) ||
        (timing.unit == Unit::double_precision && sm.double_precision_units.groups == 0))
      timing.unit = Unit::core;
}

void FunctionalUnits::begin_launch() {
  for (UnitPool& pool : pools_) pool.reset();
  blocked_until_.fill(0);
}

SchedulerPorts FunctionalUnits::ports_of(std::uint32_t scheduler) {
  SchedulerPorts ports;
  for (std::size_t p = 0; p < issue_port_count; ++p) ports.pools_[p] = &pools_[pool_of_[scheduler][p]];
  ports.blocked_until_ = &blocked_until_;
  return ports;
}

}  // namespace lockstep::gpu
