#include "isa/ptx/wmma/writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <utility>

#include "isa/ptx/register_use.hpp"

namespace lockstep::ptx::wmma {

Operand register_operand(RegisterId id) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = id;
  return operand;
}

Operand number_operand(std::uint64_t value) {
  Operand operand;
  operand.kind = Operand::Kind::integer;
  operand.bits = value;
  return operand;
}

Operand address_operand(RegisterId base, std::int64_t offset) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  operand.index = base;
  operand.offset = offset;
  return operand;
}

Operand list_operand(std::vector<Operand> elements) {
  if (elements.size() == 1) return elements[0];
  Operand operand;
  operand.kind = Operand::Kind::vector;
  operand.elements = std::move(elements);
  return operand;
}

Writer::Writer(const Function& function)
    : function_(function),
      result_(without_instructions(function)),
      instead_(function.instructions.size()),
      behind_(function.instructions.size()),
      replaced_(function.instructions.size()),
      written_by_(function.registers.size(), no_index),
      read_elsewhere_(function.registers.size()) {
  std::vector<unsigned> writers(function.registers.size());
  for (const RegisterId id : function.parameter_registers) writers[id] = 2;
  for (std::uint32_t n = 0; n < function.instructions.size(); ++n) {
    const Instruction& instruction = function.instructions[n];
    const RegisterUse use = register_use(instruction);
    for (const RegisterId id : use.destinations) {
      written_by_[id] =
          ++writers[id] == 1 && instruction.guard == no_index && !instruction.row().ends_block() ? n : no_index;
    }
    if (instruction.opcode == Opcode::wmma) continue;
    for (const RegisterId id : use.sources) read_elsewhere_[id] = true;
  }
}

Function Writer::without_instructions(const Function& function) {
  Function result = function;
  result.instructions.clear();
  result.nounroll.clear();
  return result;
}

void Writer::begin(std::uint32_t number) {
  number_ = number;
  replaced_[number] = true;
  to_ = &instead_[number];
  has_effect_ = false;
}

Instruction Writer::make(std::string_view mnemonic, std::vector<Operand> operands) const {
  Instruction instruction = function_.instructions[number_];
  instruction.modifiers.clear();
  instruction.guard = no_index;
  instruction.guard_negated = false;
  instruction.part_of_wmma = true;
  std::size_t at = mnemonic.find('.');
  instruction.opcode = find_opcode(mnemonic.substr(0, at)).value();
  while (at != std::string_view::npos) {
    const std::size_t next = mnemonic.find('.', at + 1);
    instruction.modifiers.emplace_back(mnemonic.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
    at = next;
  }
  instruction.operands = std::move(operands);
  return instruction;
}

void Writer::write(std::string_view mnemonic, std::vector<Operand> operands, bool with_effect) {
  Instruction instruction = make(mnemonic, std::move(operands));
  if (with_effect) {
    instruction.guard = current().guard;
    instruction.guard_negated = current().guard_negated;
    instruction.needs_whole_warp = !has_effect_;
    has_effect_ = true;
  }
  to_->push_back(std::move(instruction));
}

RegisterId Writer::new_register(Type type) {
  const auto id = static_cast<RegisterId>(result_.registers.size());
  result_.registers.push_back({fmt::format("%wmma{}", id - function_.registers.size()), type});
  return id;
}

RegisterId Writer::compute(std::string_view mnemonic, std::vector<Operand> sources, Type type) {
  const RegisterId id = new_register(type);
  sources.insert(sources.begin(), register_operand(id));
  write(mnemonic, std::move(sources), false);
  return id;
}

RegisterId Writer::of_lane(std::string_view mnemonic, std::vector<Operand> sources) {
  Code* const back = std::exchange(to_, &at_entry_);
  const RegisterId id = compute(mnemonic, std::move(sources), Type::b32);
  to_ = back;
  return id;
}

/// The lane's number, or a part of it: shifted, masked or added to.
RegisterId Writer::lane_part(std::string_view operation, RegisterId from, std::uint64_t number) {
  const std::string key = fmt::format("{} {} {}", operation, from, number);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (from == no_index) {
    Operand lane;
    lane.kind = Operand::Kind::special;
    lane.special = SpecialRegister::laneid;
    return known_[key] = of_lane(operation, {lane});
  }
  return known_[key] = of_lane(operation, {register_operand(from), number_operand(number)});
}

Writer::LanePlace Writer::lane_place(const Pattern& pattern) {
  const RegisterId lane = lane_part("mov.u32", no_index, 0);
  const auto shifted = [&](RegisterId from, unsigned factor) {
    return factor == 1 ? from : lane_part("shl.b32", from, static_cast<std::uint64_t>(std::countr_zero(factor)));
  };
  const auto group = [&] { return lane_part("shr.u32", lane, 2); };
  const auto in_group = [&] { return lane_part("and.b32", lane, 3); };
  const auto second_piece = [&] { return shifted(lane_part("and.b32", lane, 8), 2); };
  switch (pattern.kind) {
    case Pattern::Kind::words: return {group(), shifted(in_group(), pattern.unit)};
    case Pattern::Kind::elements: return {shifted(in_group(), pattern.step), shifted(group(), pattern.unit)};
    case Pattern::Kind::rows_of_lines:
      if (pattern.step == 1) return {lane_part("and.b32", lane, 7), no_index};
      if (pattern.step == 2) return {lane_part("and.b32", lane, 15), no_index};
      return {lane_part("and.b32", lane, 15), shifted(lane_part("shr.u32", lane, 4), 16)};
    case Pattern::Kind::rows_of_pieces: break;
  }
  const RegisterId row = lane_part("and.b32", lane, 7);
  if (pattern.step == 2) return {row, second_piece()};
  const RegisterId upper = shifted(lane_part("shr.u32", lane, 4), 8);
  const std::string key = "rows of four matrices";
  if (!known_.contains(key)) known_[key] = of_lane("add.u32", {register_operand(row), register_operand(upper)});
  return {known_[key], second_piece()};
}

Writer::Code& Writer::code_behind(const Operand& stride, bool& is_shared) {
  is_shared = true;
  if (stride.kind != Operand::Kind::reg) return at_entry_;
  const std::uint32_t writer = stride.index < written_by_.size() ? written_by_[stride.index] : no_index;
  if (writer != no_index) return behind_[writer];
  is_shared = false;
  return *to_;
}

Operand Writer::line_bytes(const Operand& stride, unsigned bytes) {
  if (stride.kind != Operand::Kind::reg) return number_operand(stride.bits * bytes);
  if (bytes == 1) return stride;
  bool is_shared = false;
  Code& code = code_behind(stride, is_shared);
  const std::string key = fmt::format("line {} {}", stride.index, bytes);
  if (const auto found = known_.find(key); is_shared && found != known_.end()) return register_operand(found->second);
  Code* const back = std::exchange(to_, &code);
  const auto shift = static_cast<std::uint64_t>(std::countr_zero(bytes));
  const RegisterId id = compute("shl.b32", {stride, number_operand(shift)}, Type::b32);
  to_ = back;
  if (is_shared) known_[key] = id;
  return register_operand(id);
}

RegisterId Writer::lane_offset(const Pattern& pattern, const Operand& stride, unsigned bytes, unsigned bits) {
  bool is_shared = false;
  Code& code = code_behind(stride, is_shared);
  const bool is_number = stride.kind != Operand::Kind::reg;
  const std::string key = fmt::format("offset {} {} {} {} {} {} {}", static_cast<int>(pattern.kind), pattern.unit,
                                      pattern.step, bits, bytes, is_number, is_number ? stride.bits : stride.index);
  if (const auto found = known_.find(key); is_shared && found != known_.end()) return found->second;
  const LanePlace place = lane_place(pattern);
  const Operand line = line_bytes(stride, bytes);
  Code* const back = std::exchange(to_, &code);
  const Type type = bits == 64 ? Type::b64 : Type::b32;
  std::vector<Operand> sources{register_operand(place.line), line};
  if (place.byte != no_index) {
    sources.push_back(register_operand(place.byte));
    if (bits == 64) sources.back() = register_operand(compute("cvt.u64.u32", {sources.back()}, type));
  }
  const std::string mnemonic =
      fmt::format("{}{}.u32", sources.size() == 3 ? "mad" : "mul", bits == 64 ? ".wide" : ".lo");
  const RegisterId id = compute(mnemonic, std::move(sources), type);
  to_ = back;
  if (is_shared) known_[key] = id;
  return id;
}

Function Writer::finish() {
  std::vector<std::uint32_t> place(function_.instructions.size() + 1);
  Code& all = result_.instructions;
  all = std::move(at_entry_);
  const auto append = [&](Code& code) {
    all.insert(all.end(), std::move_iterator(code.begin()), std::move_iterator(code.end()));
  };
  for (std::size_t n = 0; n < function_.instructions.size(); ++n) {
    place[n] = static_cast<std::uint32_t>(all.size());
    if (replaced_[n]) {
      append(instead_[n]);
    } else {
      all.push_back(function_.instructions[n]);
    }
    append(behind_[n]);
  }
  place.back() = static_cast<std::uint32_t>(all.size());
  const auto move = [&](Operand& operand) {
    if (operand.kind == Operand::Kind::label) operand.index = place[operand.index];
  };
  for (Instruction& instruction : all) {
    for (Operand& operand : instruction.operands) {
      move(operand);
      for (Operand& element : operand.elements) move(element);
    }
  }
  for (const std::uint32_t n : function_.nounroll) result_.nounroll.push_back(place.at(n));
  return std::move(result_);
}

}  // namespace lockstep::ptx::wmma
