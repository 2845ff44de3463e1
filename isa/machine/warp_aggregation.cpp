#include "isa/machine/warp_aggregation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

using program::SourceOperand;
using program::StaticInstruction;

namespace {

/// Emits an instruction that also reads scoreboard entries; its result.
std::uint16_t computed(Emitter& emitter, Instruction i, std::initializer_list<std::uint16_t> sources) {
  for (const std::uint16_t source : sources) Emitter::link(i, source);
  const std::uint16_t result = emitter.temporary();
  Emitter::write(i, result);
  emitter.emit(i);
  return result;
}

/// An operation on scoreboard entries.
std::uint16_t computed(Emitter& emitter, Operation operation, std::initializer_list<std::uint16_t> sources) {
  return computed(emitter, emitter.make(operation), sources);
}

/// The same on an operand of the program and entries.
std::uint16_t computed(Emitter& emitter, Operation operation, const SourceOperand& operand,
                       std::initializer_list<std::uint16_t> sources) {
  Instruction i = emitter.make(operation);
  if (operand.kind == SourceOperand::Kind::reg) emitter.read(i, static_cast<std::uint32_t>(operand.value));
  return computed(emitter, i, sources);
}

/// SHFL.
std::uint16_t shuffled(Emitter& emitter, std::uint16_t source) {
  Instruction i = emitter.make(Operation::exchange);
  i.data_stage_uses = 1;
  return computed(emitter, i, {source});
}

}  // namespace

WarpAggregation::WarpAggregation(const program::Kernel& kernel, const program::DataFlow& flow)
    : kernel_(kernel),
      flow_(flow),
      uniformity_(kernel),
      block_of_(kernel.instructions.size(), program::no_block),
      branches_into_(kernel.blocks.size(), program::no_block) {
  std::vector<unsigned> ways(kernel.blocks.size());
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    const program::StaticBlock& block = kernel.blocks[b];
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) block_of_[i] = b;
    for (const std::uint32_t next : block.successors) {
      ++ways[next];
      branches_into_[next] = block.successors.size() == 2 && block.count > 0 ? b : program::no_block;
    }
  }
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    if (ways[b] != 1) branches_into_[b] = program::no_block;
}

void WarpAggregation::begin_block() {
  elected_.reset();
}

std::optional<WarpAggregation::Prepared> WarpAggregation::prepare(Emitter& emitter, bool increments) {
  const Form form = this->form(emitter, increments);
  if (form == Form::none) return {};
  // Guarded code is a basic block of its own to the compiler.
  const bool guarded = emitter.current().guard != program::no_register;
  if (guarded) begin_block();
  Prepared prepared;
  switch (form) {
    case Form::counted: prepared = counted(emitter); break;
    case Form::reduced: prepared = reduced(emitter); break;
    default: prepared = scanned(emitter);
  }
  if (guarded) begin_block();
  return prepared;
}

WarpAggregation::Form WarpAggregation::form(const Emitter& emitter, bool increments) const {
  const StaticInstruction& s = emitter.current();
  const Mnemonic m(emitter.mnemonic());
  if (s.operands.size() != 2 || s.vector_elements != 1 || !m.ends({"u32", "s32", "b32", "u64", "s64"}))
    return Form::none;
  const bool address_is_uniform = s.address_register == program::no_register || uniformity_.uniform(s.address_register);
  const auto instruction = static_cast<std::uint32_t>(&s - kernel_.instructions.data());
  if (!address_is_uniform || is_of_one_thread(instruction)) return Form::none;
  const bool has_result = emitter.has_read_result();
  if (m.has("add") && is_uniform(s.operands[1]))
    return !has_result && increments && s.element_bytes == 4 && emitter.literal(s.operands[1]) == 1 ? Form::none
                                                                                                    : Form::counted;
  if (s.element_bytes != 4) return Form::none;
  if (has_result) return m.has("add") ? Form::scanned : Form::none;
  for (const char* operation : {"add", "min", "max", "and", "or", "xor"})
    if (m.has(operation)) return Form::reduced;
  return Form::none;
}

bool WarpAggregation::is_uniform(const SourceOperand& operand) const {
  switch (operand.kind) {
    case SourceOperand::Kind::reg: return uniformity_.uniform(static_cast<std::uint32_t>(operand.value));
    case SourceOperand::Kind::other: return false;
    default: return true;
  }
}

bool WarpAggregation::is_of_one_thread(std::uint32_t instruction) const {
  const StaticInstruction& s = kernel_.instructions[instruction];
  if (s.guard != program::no_register && compares_thread(s.guard)) return true;
  if (block_of_[instruction] == program::no_block) return false;
  const std::uint32_t from = branches_into_[block_of_[instruction]];
  if (from == program::no_block) return false;
  const StaticInstruction& last = kernel_.instructions[kernel_.blocks[from].first + kernel_.blocks[from].count - 1];
  return last.guard != program::no_register && compares_thread(last.guard);
}

bool WarpAggregation::compares_thread(std::uint32_t predicate) const {
  const std::uint32_t writer = flow_.writer(predicate);
  if (writer == program::DataFlow::none) return false;
  const StaticInstruction& s = kernel_.instructions[writer];
  const Mnemonic m(kernel_.strings[s.mnemonic]);
  if (m.opcode != ptx::Opcode::setp || !(m.has("eq") || m.has("ne")) || s.operands.size() != 2) return false;
  for (const std::size_t one : {0u, 1u})
    if (s.operands[one].kind == SourceOperand::Kind::reg && is_uniform(s.operands[1 - one]) &&
        is_thread_number(static_cast<std::uint32_t>(s.operands[one].value), 0))
      return true;
  return false;
}

bool WarpAggregation::is_thread_number(std::uint32_t reg, unsigned depth) const {
  constexpr unsigned most_steps = 8;
  const std::uint32_t writer = flow_.writer(reg);
  if (writer == program::DataFlow::none || depth == most_steps) return false;
  const StaticInstruction& s = kernel_.instructions[writer];
  if (s.access != program::AccessKind::none || s.operands.empty()) return false;
  const Mnemonic m(kernel_.strings[s.mnemonic]);
  using ptx::Opcode;
  const auto is_number = [&](const SourceOperand& operand) {
    return operand.kind == SourceOperand::Kind::reg &&
           is_thread_number(static_cast<std::uint32_t>(operand.value), depth + 1);
  };
  if (m.opcode == Opcode::mov || m.opcode == Opcode::cvt)
    return (s.reads_special_register && !s.reads_clock && s.operands[0].kind == SourceOperand::Kind::other) ||
           is_number(s.operands[0]);
  if ((m.opcode == Opcode::add || m.opcode == Opcode::sub) && s.operands.size() == 2)
    return (is_number(s.operands[0]) && is_uniform(s.operands[1])) ||
           (is_number(s.operands[1]) && is_uniform(s.operands[0]));
  if (m.opcode == Opcode::mad && s.operands.size() == 3)
    return is_uniform(s.operands[0]) && is_uniform(s.operands[1]) && is_number(s.operands[2]);
  return false;
}

/// S2R LANEID, VOTEU.ANY, UFLO, ISETP.
void WarpAggregation::elect(Emitter& emitter) {
  if (elected_) return;
  const std::uint16_t lane = computed(emitter, Operation::special_register, {});
  const std::uint16_t active = computed(emitter, Operation::integer, {});
  const std::uint16_t first = computed(emitter, Operation::integer, {active});
  elected_ = Elected{active, computed(emitter, Operation::compare, {lane, first}), {}, {}};
}

/// POPC of the active lanes, and IMAD with the value unless that is one.
WarpAggregation::Prepared WarpAggregation::counted(Emitter& emitter) {
  elect(emitter);
  if (!elected_->count) elected_->count = computed(emitter, Operation::bit_count, {elected_->active});
  const SourceOperand& operand = emitter.current().operands[1];
  const auto literal = emitter.literal(operand);
  std::uint16_t value = *elected_->count;
  const auto minus_one = static_cast<std::uint32_t>(-1);
  if (literal != 1) {
    const std::string name = literal ? fmt::format("* {}", *literal) : fmt::format("*r {}", operand.value);
    const auto [place, is_new] = elected_->values.try_emplace(name);
    if (is_new)
      place->second =
          computed(emitter, literal == minus_one ? Operation::integer : Operation::integer_multiply, operand, {value});
    value = place->second;
  }
  return {Election::one_lane, elected_->leader, value, elected_->active};
}

/// REDUX into a uniform register, and a move out of it.
WarpAggregation::Prepared WarpAggregation::reduced(Emitter& emitter) {
  elect(emitter);
  const SourceOperand& operand = emitter.current().operands[1];
  std::string name = fmt::format("{} {}", emitter.mnemonic(), operand.value);
  name = name.substr(name.find('.', name.find('.') + 1));  // Without the opcode and the space.
  const auto [place, is_new] = elected_->values.try_emplace(name);
  if (is_new)
    place->second = computed(emitter, Operation::integer, {computed(emitter, Operation::exchange, operand, {})});
  return {Election::one_lane, elected_->leader, place->second};
}

/// VOTE, ISETP and a branch for warps of which not all lanes are active; five SHFL.UP with an addition each; the last lane is
/// elected.
WarpAggregation::Prepared WarpAggregation::scanned(Emitter& emitter) {
  const SourceOperand& operand = emitter.current().operands[1];
  const std::uint16_t all = computed(emitter, Operation::compare, {computed(emitter, Operation::integer, {})});
  Instruction branch = emitter.make(Operation::branch);
  branch.skips = true;
  Emitter::link(branch, all);
  emitter.emit(branch);
  const std::uint16_t lane = computed(emitter, Operation::special_register, {});
  const std::uint16_t last = computed(emitter, Operation::compare, {lane});
  std::uint16_t sum = computed(emitter, Operation::integer, operand, {});
  for (int distance = 1; distance < 32; distance *= 2)
    sum = computed(emitter, Operation::integer, {sum, shuffled(emitter, sum)});
  return {Election::one_lane_of_a_full_warp, last, sum, sum};
}

void WarpAggregation::distribute(Emitter& emitter, const Prepared& prepared, std::uint16_t result) {
  const auto finish = [&](Operation operation, std::initializer_list<std::uint16_t> sources) {
    Instruction i = emitter.make(operation);
    for (const std::uint16_t source : sources) Emitter::link(i, source);
    emitter.write_all(i);
    emitter.emit(i);
  };
  if (prepared.election == Election::one_lane_of_a_full_warp) {
    const std::uint16_t before = shuffled(emitter, prepared.further);
    return finish(Operation::integer, {shuffled(emitter, result), before});
  }
  // S2R LTMASK, LOP3, POPC, SHFL.IDX, IMAD or an addition.
  const std::uint16_t below = computed(emitter, Operation::special_register, {});
  const std::uint16_t lanes = computed(emitter, Operation::integer, {below, prepared.further});
  const std::uint16_t count = computed(emitter, Operation::bit_count, {lanes});
  const bool adds_one = emitter.literal(emitter.current().operands[1]) == 1;
  finish(adds_one ? Operation::integer : Operation::integer_multiply, {shuffled(emitter, result), count});
}

}  // namespace lockstep::machine
