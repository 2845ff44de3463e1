#include "sim/gpu/sm/front_end/issue_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/gpu/sm/front_end/register_banks.hpp"

namespace lockstep::gpu {

using machine::Unit;

namespace {

/// 32-bit registers that an instruction reads, each once, and writes. Predicates lie elsewhere.
std::uint32_t registers_of(const machine::Program& program, const machine::Instruction& i) {
  const auto words = [&bits = program.register_bits](std::uint16_t name) -> std::uint32_t {
    const std::uint32_t wide = bits[name];
    return wide == 1 ? 0 : std::max(1U, wide / 32);
  };
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n)
    if (std::find(i.sources, i.sources + n, i.sources[n]) == i.sources + n) count += words(i.sources[n]);
  for (std::uint32_t n = 0; n < i.destination_count; ++n) count += words(i.destinations[n]);
  return count;
}

}  // namespace

void IssueTable::begin_launch(const SmSpec& spec, const FunctionalUnits& units, const machine::Program& program) {
  needs_.clear();
  for (const machine::Instruction& i : program.instructions) {
    const Unit unit = units.timing(i.operation).unit;
    if (unit != Unit::control && spec_of(spec, unit).groups == 0)
      throw InputError(fmt::format("kernel {}: {} instructions run on {}, of which this GPU has no group",
                                   program.kernel->name, machine::name_of(i.operation), path_of(unit)));
    IssueNeeds& needs = needs_.emplace_back();
    needs.port = issue_port_of(i.operation, unit);
    needs.registers = static_cast<std::uint8_t>(registers_of(program, i));
    needs.awaits_guard = spec.guard_latency != 0 && i.guard != machine::Instruction::no_guard;
    const std::uint32_t operands = i.source_count + i.destination_count;
    needs.listed = operands != 0 && operands <= needs.operands.size() && !needs.awaits_guard;
    if (!needs.listed) continue;
    for (std::uint32_t n = 0; n < needs.operands.size(); ++n) {
      const std::uint32_t one = std::min(n, operands - 1);
      needs.operands[n] = one < i.source_count ? i.sources[one] : i.destinations[one - i.source_count];
    }
  }
  operand_cycles_.clear();
  if (spec.register_file.banks == 0) return;
  const RegisterBanks banks(spec.register_file, program);
  for (const machine::Instruction& i : program.instructions)
    operand_cycles_.push_back(static_cast<std::uint8_t>(banks.extra_cycles(i)));
}

}  // namespace lockstep::gpu
