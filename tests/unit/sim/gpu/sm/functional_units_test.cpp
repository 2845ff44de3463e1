#include <catch2/catch.hpp>

#include "sim/gpu/sm/front_end/functional_units.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::functional_units_test {

using namespace lockstep::test;
using gpu::FunctionalUnits;
using gpu::IssuePort;
using gpu::SchedulerPorts;
using machine::Operation;
using machine::Unit;

namespace {

gpu::SmSpec units(gpu::UnitSpec cores, gpu::UnitSpec special, std::uint32_t schedulers = 2) {
  gpu::SmSpec spec = gtx580().sm;
  spec.schedulers = schedulers;
  spec.cores = cores;
  spec.special_function_units = special;
  return spec;
}

}  // namespace

TEST_CASE("functional units: groups that are not shared serve their own scheduler alone") {
  FunctionalUnits all(units({2, false}, {1, false}));
  const SchedulerPorts first = all.ports_of(0), second = all.ports_of(1);
  first.unit(IssuePort::core).occupy(20, 0);
  CHECK(first.free_at(IssuePort::core) == 20);
  CHECK(second.free_at(IssuePort::core) == 0);
  CHECK_FALSE(all.shared_by_schedulers(IssuePort::core));
}

TEST_CASE("functional units: a single group serves every scheduler, shared or not") {
  FunctionalUnits all(units({2, false}, {1, false}));
  all.ports_of(0).unit(IssuePort::special_function).occupy(20, 0);
  CHECK(all.ports_of(1).free_at(IssuePort::special_function) == 20);
  CHECK(all.shared_by_schedulers(IssuePort::special_function));
}

TEST_CASE("functional units: of several shared groups the one that is free first is taken") {
  FunctionalUnits all(units({2, true}, {1, false}));
  const SchedulerPorts first = all.ports_of(0), second = all.ports_of(1);
  first.unit(IssuePort::core).occupy(20, 0);
  CHECK(second.free_at(IssuePort::core) == 0);
  second.unit(IssuePort::core).occupy(12, 0);
  CHECK(first.free_at(IssuePort::core) == 12);
  all.begin_launch();
  CHECK(first.free_at(IssuePort::core) == 0);
}

TEST_CASE(
    "functional units: the ports of the load-store unit share its groups, and each may be blocked by what lies "
    "behind") {
  FunctionalUnits all(gtx580().sm);
  const SchedulerPorts ports = all.ports_of(0);
  all.block(IssuePort::memory, never);
  CHECK(ports.free_at(IssuePort::memory) == never);
  CHECK(ports.free_at(IssuePort::scratchpad) == 0);
  ports.unit(IssuePort::scratchpad).occupy(30, 0);
  CHECK(ports.free_at(IssuePort::load_store) == 30);
  all.block(IssuePort::memory, 10);
  CHECK(ports.free_at(IssuePort::memory) == 30);
}

TEST_CASE("functional units: what has no unit of its own runs on the cores") {
  gpu::SmSpec spec = gtx580().sm;
  spec.integer_units = {0, false};
  spec.double_precision_units = {0, false};
  const FunctionalUnits all(spec);
  for (std::size_t o = 0; o < machine::operation_count; ++o) {
    CHECK(all.timing(static_cast<Operation>(o)).unit != Unit::integer);
    CHECK(all.timing(static_cast<Operation>(o)).unit != Unit::double_precision);
  }
}

TEST_CASE("issue ports: memory and texture operations need their queue, scratchpad operations their own port") {
  CHECK(gpu::issue_port_of(Operation::global_load, Unit::load_store) == IssuePort::memory);
  CHECK(gpu::issue_port_of(Operation::texture_load, Unit::texture) == IssuePort::texture_memory);
  CHECK(gpu::issue_port_of(Operation::load_lock, Unit::load_store) == IssuePort::scratchpad);
  CHECK(gpu::issue_port_of(Operation::constant_load, Unit::load_store) == IssuePort::load_store);
  CHECK(gpu::issue_port_of(Operation::branch, Unit::control) == IssuePort::control);
  for (std::size_t p = 0; p < gpu::issue_port_count; ++p) {
    const auto port = static_cast<IssuePort>(p);
    const Unit unit = gpu::unit_of(port);
    CHECK(static_cast<std::size_t>(unit) < machine::unit_count);
  }
}

}  // namespace lockstep::functional_units_test
