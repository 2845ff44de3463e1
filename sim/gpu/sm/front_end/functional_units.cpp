#include "sim/gpu/sm/front_end/functional_units.hpp"

#include "isa/error.hpp"

namespace lockstep::gpu {

using machine::Operation;
using machine::Unit;

const UnitSpec& spec_of(const SmSpec& sm, Unit unit) {
  switch (unit) {
    case Unit::core: return sm.cores;
    case Unit::integer: return sm.integer_units;
    case Unit::double_precision: return sm.double_precision_units;
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
                                                                              "sm.special_function_units",
                                                                              "sm.load_store_units",
                                                                              "sm.texture_units",
                                                                              "control"};
  return paths[static_cast<std::size_t>(unit)];
}

/// Group g of a unit that is not shared serves scheduler g modulo schedulers; where a unit has fewer groups than there
/// are schedulers, scheduler s uses group s modulo groups.
FunctionalUnits::FunctionalUnits(const SmSpec& sm) : pool_of_(sm.schedulers) {
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

  const auto set = [&](Operation operation, const OperationTiming& timing) {
    timing_[static_cast<std::size_t>(operation)] = timing;
  };
  for (std::size_t o = 0; o < machine::operation_count; ++o)
    timing_[o].unit = machine::unit_of(static_cast<Operation>(o));
  set(Operation::integer, sm.integer);
  set(Operation::integer_multiply, sm.integer_multiply);
  set(Operation::shift, sm.shift);
  set(Operation::compare, sm.compare);
  set(Operation::min_max, sm.min_max);
  set(Operation::bit_count, sm.bit_count);
  set(Operation::bit_find, sm.bit_find);
  set(Operation::floating, sm.floating);
  set(Operation::floating_multiply, sm.floating_multiply);
  set(Operation::half_precision, sm.half_precision);
  set(Operation::double_precision, sm.double_precision);
  set(Operation::conversion, sm.conversion);
  set(Operation::special_function, sm.special_function);
  set(Operation::range_reduction, sm.range_reduction);
  set(Operation::special_register, sm.special_register);
  set(Operation::exchange, sm.exchange);
  // What has no unit of its own runs on the cores.
  for (OperationTiming& timing : timing_)
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
