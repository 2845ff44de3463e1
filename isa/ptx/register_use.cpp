#include "isa/ptx/register_use.hpp"

namespace lockstep::ptx {

namespace {

void collect_sources(const Operand& operand, RegisterUse& use) {
  const bool is_register = operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
  if (is_register && operand.index != no_index) {
    use.sources.push_back(operand.index);
    if (operand.kind == Operand::Kind::address && use.address == no_index) use.address = operand.index;
  }
  if (operand.second != no_index) use.sources.push_back(operand.second);
  for (const Operand& element : operand.elements) collect_sources(element, use);
}

void collect_destinations(const Operand& operand, RegisterUse& use) {
  if (operand.kind == Operand::Kind::reg) use.destinations.push_back(operand.index);
  for (const Operand& element : operand.elements) collect_destinations(element, use);
  if (operand.second != no_index) use.destinations.push_back(operand.second);
}

}  // namespace

bool writes_first_operand(const Instruction& instruction) {
  if (instruction.operands.empty()) return false;
  const Operand::Kind kind = instruction.operands[0].kind;
  if (kind != Operand::Kind::reg && kind != Operand::Kind::vector && kind != Operand::Kind::sink) return false;
  const OpcodeRow& row = instruction.row();
  return row.traits.written_with.empty() ? row.writes_first() : instruction.has(row.traits.written_with);
}

RegisterUse register_use(const Instruction& instruction) {
  RegisterUse use;
  std::size_t first_source = 0;
  if (writes_first_operand(instruction)) {
    collect_destinations(instruction.operands[0], use);
    if (!instruction.row().traits.first_also_read) first_source = 1;
  }
  for (std::size_t i = first_source; i < instruction.operands.size(); ++i)
    collect_sources(instruction.operands[i], use);
  for (const Operand& operand : instruction.call_arguments) collect_sources(operand, use);
  for (const Operand& operand : instruction.call_results) collect_destinations(operand, use);
  if (instruction.guard != no_index) use.sources.push_back(instruction.guard);
  use.writes_carry = instruction.has("cc");
  use.reads_carry = instruction.row().traits.reads_carry;
  return use;
}

}  // namespace lockstep::ptx
