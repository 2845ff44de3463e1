#include "sim/gpu/sm/front_end/issue_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/gpu/sm/front_end/register_banks.hpp"

namespace lockstep::gpu {

using machine::Unit;

namespace {

/// 32-bit registers that an instruction reads, each once, and writes. Predicates lie elsewhere.
std::uint32_t words_of(const machine::Program& program, std::uint16_t name) {
  const std::uint32_t wide = program.register_bits[name];
  return wide == 1 ? 0 : std::max(1U, wide / 32);
}

std::uint32_t registers_of(const machine::Program& program, const machine::Instruction& i) {
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n)
    if (std::find(i.sources, i.sources + n, i.sources[n]) == i.sources + n) count += words_of(program, i.sources[n]);
  for (std::uint32_t n = 0; n < i.destination_count; ++n) count += words_of(program, i.destinations[n]);
  return count;
}

/// Those that it reads, each once, but for operands that `front`, unless null, has in the same place: ptxas marks them with
/// .reuse, and they are kept until another warp issues.
std::uint32_t reads_of(const machine::Program& program, const machine::Instruction& i,
                       const machine::Instruction* front) {
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n) {
    const std::uint16_t source = i.sources[n];
    const bool again = std::find(i.sources, i.sources + n, source) != i.sources + n;
    const bool reused = front != nullptr && n < front->source_count && front->sources[n] == source;
    if (!again && !reused && source != i.guard) count += words_of(program, source);
  }
  return count;
}

bool is_arithmetic(Unit unit) {
  return unit == Unit::core || unit == Unit::integer || unit == Unit::double_precision ||
         unit == Unit::special_function;
}

}  // namespace

void IssueTable::begin_launch(const SmSpec& spec, const FunctionalUnits& units, const machine::Program& program) {
  needs_.clear();
  for (std::size_t index = 0; index < program.instructions.size(); ++index) {
    const machine::Instruction& i = program.instructions[index];
    const Unit unit = units.timing(i.operation).unit;
    if (unit != Unit::control && spec_of(spec, unit).groups == 0)
      throw InputError(fmt::format("kernel {}: {} instructions run on {}, of which this GPU has no group",
                                   program.kernel->name, machine::name_of(i.operation), path_of(unit)));
    IssueNeeds& needs = needs_.emplace_back();
    needs.port = issue_port_of(i.operation, unit);
    needs.data_stage_uses = i.data_stage_uses;
    needs.registers = static_cast<std::uint8_t>(registers_of(program, i));
    if (spec.register_file.reads != 0 && is_arithmetic(unit)) {
      const machine::Instruction* front = index == 0 ? nullptr : &program.instructions[index - 1];
      needs.reads = static_cast<std::uint8_t>(reads_of(program, i, nullptr));
      needs.reads_behind_front = static_cast<std::uint8_t>(reads_of(program, i, front));
      if (index != 0) needs_[index - 1].reused = needs.reads_behind_front < needs.reads;
    }
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
