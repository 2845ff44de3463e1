// Which unit runs what: functional units, their groups by scheduler, and what every instruction must find free.

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

using machine::Operation;
using machine::Unit;

namespace {

constexpr std::array<std::string_view, machine::unit_count> unit_paths = {"sm.cores",
                                                                          "sm.integer_units",
                                                                          "sm.double_precision_units",
                                                                          "sm.special_function_units",
                                                                          "sm.load_store_units",
                                                                          "sm.texture_units",
                                                                          "control"};

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

}  // namespace

/// Group g of a unit that is not shared serves scheduler g modulo schedulers; where a unit has fewer groups than there
/// are schedulers, scheduler s uses group s modulo groups.
void Sm::make_units() {
  const SmSpec& sm = spec_.sm;
  std::vector<std::array<std::size_t, gate_count>> pools_of(schedulers_.size());  // Into unit_pools_, by unit.
  unit_pools_.emplace_back(1);  // Of control instructions: never taken.
  for (std::size_t u = 0; u < machine::unit_count; ++u) {
    const auto unit = static_cast<Unit>(u);
    if (unit == Unit::control) continue;
    const UnitSpec& own = spec_of(sm, unit);
    if (own.groups == 0) continue;  // Its operations run elsewhere or not at all: see unit_for().
    const std::uint32_t pools = own.shared ? 1 : std::min(own.groups, sm.schedulers);
    for (std::size_t g = 0; g < gate_count && pools == 1; ++g)
      if (unit_behind(static_cast<Gate>(g)) == unit) shared_gates_ |= 1u << g;
    for (const Scheduler& s : schedulers_) pools_of[s.id][u] = unit_pools_.size() + s.id % pools;
    for (std::uint32_t p = 0; p < pools; ++p) unit_pools_.emplace_back((own.groups + pools - 1 - p) / pools);
  }
  for (Scheduler& s : schedulers_)
    for (std::size_t g = 0; g < gate_count; ++g)
      s.pools[g] = &unit_pools_[pools_of[s.id][static_cast<std::size_t>(unit_behind(static_cast<Gate>(g)))]];

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

namespace {

/// 32-bit registers that an instruction reads, each once, and writes. Predicates lie elsewhere.
std::uint32_t registers_of(const machine::Program& program, const machine::Instruction& i) {
  const auto words = [&bits = program.kernel->register_bits](std::uint16_t name) -> std::uint32_t {
    const std::uint32_t wide = name < bits.size() ? bits[name] : 32;  // Behind the kernel's registers come temporaries.
    return wide == 1 ? 0 : std::max(1U, wide / 32);
  };
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n)
    if (std::find(i.sources, i.sources + n, i.sources[n]) == i.sources + n) count += words(i.sources[n]);
  for (std::uint32_t n = 0; n < i.destination_count; ++n) count += words(i.destinations[n]);
  return count;
}

}  // namespace

/// What every instruction of the launch's program must find free, and how long it waits for its operands.
void Sm::map_program() {
  const machine::Program& program = *launch_.program;
  needs_.clear();
  for (const machine::Instruction& i : program.instructions) {
    const Unit unit = timing_[static_cast<std::size_t>(i.operation)].unit;
    if (unit != Unit::control && spec_of(spec_.sm, unit).groups == 0)
      throw InputError(fmt::format("kernel {}: {} instructions run on {}, of which this GPU has no group",
                                   program.kernel->name, machine::name_of(i.operation),
                                   unit_paths[static_cast<std::size_t>(unit)]));
    Needs& needs = needs_.emplace_back();
    needs.gate = gate_of(i.operation, unit);
    needs.registers = static_cast<std::uint8_t>(registers_of(program, i));
    const std::uint32_t operands = i.source_count + i.destination_count;
    needs.listed = operands != 0 && operands <= needs.operands.size();
    if (!needs.listed) continue;
    for (std::uint32_t n = 0; n < needs.operands.size(); ++n) {
      const std::uint32_t one = std::min(n, operands - 1);
      needs.operands[n] = one < i.source_count ? i.sources[one] : i.destinations[one - i.source_count];
    }
  }
  operand_cycles_.clear();
  if (spec_.sm.register_file.banks == 0) return;
  const RegisterBanks banks(spec_.sm.register_file, program);
  for (const machine::Instruction& i : program.instructions)
    operand_cycles_.push_back(static_cast<std::uint8_t>(banks.extra_cycles(i)));
}

}  // namespace lockstep::gpu
