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

/// Those that go to the load-store units, one at least. Addresses of the scratchpad have 32 bits, and what lanes exchange: of a wider
/// register the lower half goes.
std::uint32_t sent_registers(const machine::Program& program, const machine::Instruction& i, IssuePort port) {
  const std::uint32_t most = port == IssuePort::memory ? 2 : std::max(1, i.element_bytes / 4);
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < i.source_count; ++n)
    if (i.sources[n] != i.guard && std::find(i.sources, i.sources + n, i.sources[n]) == i.sources + n)
      count += std::min(most, words_of(program, i.sources[n]));
  return std::max(1U, count);
}

/// The pipelines that what an operation writes reaches later: of the cores the integer units, of these the cores, of either the
/// load-store unit. A wide product takes its time wherever its result goes.
std::uint8_t crosses_to(machine::Operation operation, Unit unit) {
  if (operation == machine::Operation::wide_multiply) return 0;
  if (unit == Unit::core) return Crossing::integer_units | Crossing::load_store;
  return unit == Unit::integer ? Crossing::cores | Crossing::load_store : 0;
}

/// The one of these that an instruction takes through this port, or 0.
std::uint8_t pipeline_of(IssuePort port) {
  if (port == IssuePort::core) return Crossing::cores;
  if (port == IssuePort::integer) return Crossing::integer_units;
  return is_load_store(port) ? Crossing::load_store : 0;
}

/// By register: all that its writers cross to.
std::vector<std::uint8_t> crossings_of(const FunctionalUnits& units, const machine::Program& program) {
  std::vector<std::uint8_t> crossings(program.register_bits.size());
  for (const machine::Instruction& i : program.instructions)
    for (std::uint32_t n = 0; n < i.destination_count; ++n)
      crossings[i.destinations[n]] |= crosses_to(i.operation, units.timing(i.operation).unit);
  return crossings;
}

bool is_arithmetic(Unit unit) {
  return unit == Unit::core || unit == Unit::integer || unit == Unit::double_precision ||
         unit == Unit::special_function;
}

/// Fills what the scoreboard looks at where there are no more operands than it has places for.
void list_operands(const SmSpec& spec, const machine::Instruction& i, IssueNeeds& needs) {
  std::uint32_t count = 0;
  const auto list = [&](std::uint16_t reg, bool late, std::uint8_t crossing) {
    if (count < needs.operands.size()) {
      needs.operands[count] = reg;
      needs.longer[count] = static_cast<std::uint32_t>(late ? spec.guard_latency : 0);
      needs.crossings[count] = crossing;
    }
    ++count;
  };
  if (needs.awaits_guard) list(i.guard, true, 0);
  for (std::uint32_t n = 0; n < i.source_count; ++n)
    if (!needs.awaits_guard || i.sources[n] != i.guard)
      list(i.sources[n], (needs.late >> n & 1) != 0, (needs.crossing >> n & 1) != 0 ? needs.pipeline : 0);
  for (std::uint32_t n = 0; n < i.destination_count; ++n) list(i.destinations[n], false, 0);
  if (count == 0 || count > needs.operands.size()) return;
  needs.delayed = needs.awaits_guard || (needs.late | needs.crossing) != 0;
  needs.listed = !needs.delayed;
  for (std::uint32_t n = count; n < needs.operands.size(); ++n) {
    needs.operands[n] = needs.operands[0];
    needs.longer[n] = needs.longer[0];
    needs.crossings[n] = needs.crossings[0];
  }
}

}  // namespace

void IssueTable::begin_launch(const SmSpec& spec, const FunctionalUnits& units, const machine::Program& program) {
  needs_.clear();
  const auto crossings = spec.crossing_latency != 0 ? crossings_of(units, program) : std::vector<std::uint8_t>();
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
    if (is_load_store(needs.port))
      needs.load_store_operands = static_cast<std::uint8_t>(sent_registers(program, i, needs.port));
    if (spec.register_file.reads != 0 && is_arithmetic(unit)) {
      const machine::Instruction* front = index == 0 ? nullptr : &program.instructions[index - 1];
      needs.reads = static_cast<std::uint8_t>(reads_of(program, i, nullptr));
      needs.reads_behind_front = static_cast<std::uint8_t>(reads_of(program, i, front));
      if (index != 0) needs_[index - 1].reused = needs.reads_behind_front < needs.reads;
    }
    needs.awaits_guard = spec.guard_latency != 0 && i.guard != machine::Instruction::no_guard;
    if (!crossings.empty()) {
      needs.pipeline = pipeline_of(needs.port);
      needs.crosses_to = crosses_to(i.operation, unit);
    }
    for (std::uint32_t n = 0; n < i.source_count; ++n) {
      if (i.sources[n] == i.guard) continue;
      if (!crossings.empty() && (crossings[i.sources[n]] & needs.pipeline) != 0) needs.crossing |= 1u << n;
      if (spec.guard_latency != 0 && i.late_predicates && program.register_bits[i.sources[n]] == 1)
        needs.late |= 1u << n;
    }
    list_operands(spec, i, needs);
  }
  operand_cycles_.clear();
  if (spec.register_file.banks == 0) return;
  const RegisterBanks banks(spec.register_file, program);
  for (const machine::Instruction& i : program.instructions)
    operand_cycles_.push_back(static_cast<std::uint8_t>(banks.extra_cycles(i)));
}

}  // namespace lockstep::gpu
