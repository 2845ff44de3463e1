#include <algorithm>
#include <array>

#include "tests/differential/draw.hpp"
#include "tests/differential/types.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// Of the 16 barriers the one for warps that do not wait.
constexpr unsigned arrival_barrier = 15;

Operand literal(std::uint64_t value) {
  return {Operand::Kind::integer, {32, 0}, false, value, {}};
}
Operand read(Register reg) {
  return {Operand::Kind::reg, reg, false, 0, {}};
}

}  // namespace

std::optional<Statement> Draw::exchange(const Context& context) {
  if (!context.mask) return std::nullopt;
  constexpr auto opcodes = std::to_array({Opcode::shfl, Opcode::vote, Opcode::match, Opcode::redux, Opcode::elect});
  Exchange result;
  result.mask = *context.mask;
  Instruction& one = result.instruction;
  one.opcode = opcodes[below(opcodes.size())];
  one.modifiers = form_of(one.opcode);
  const Register word = reg(32, context);
  const auto maybe_predicate = [&] {
    if (chance(2)) one.writes.push_back(reg(1, context));
  };
  switch (one.opcode) {
    case Opcode::shfl:
      one.writes = {word};
      maybe_predicate();
      one.reads = {read(reg(32, context)), read(reg(32, context)), literal(31)};
      if (!context.is_full) {
        one.modifiers = {"sync", "idx", "b32"};
        result.from_mask = true;
      } else if (chance(2)) {
        // Segments of a power of two lanes.
        const unsigned lanes = 1u << below(6);
        one.reads[2] = literal(((32 - lanes) << 8) | (one.has("up") ? 0 : 31));
        if (chance(2)) one.reads[1] = literal(below(32));
      } else if (chance(2)) {
        one.reads[2] = read(reg(32, context));
      } else if (one.has("up")) {
        one.reads[2] = literal(0);
      }
      break;
    case Opcode::vote:
      one.writes = {one.has("ballot") ? word : reg(1, context)};
      one.reads = {read(reg(1, context))};
      break;
    case Opcode::match:
      one.writes = {word};
      if (one.has("all")) maybe_predicate();
      one.reads = {read(reg(width_of(types_of(one.modifiers).back()), context))};
      break;
    case Opcode::redux:
      one.writes = {word};
      one.reads = {read(reg(32, context))};
      break;
    default: one.writes = {word, reg(1, context)};
  }
  return Statement{result};
}

Statement Draw::barrier_here(const Context&) {
  Barrier result;
  const bool whole_warps = kernel_.threads_per_block() % 32 == 0;
  Instruction& one = result.instruction;
  one.opcode = chance(2) ? Opcode::bar : Opcode::barrier;
  do {
    one.modifiers = form_of(one.opcode);
  } while (!one.has("sync") || one.has("warp"));
  result.number = below(arrival_barrier);
  result.counted = whole_warps && !has_exited && chance(2);
  return {result};
}

Statement Draw::barrier(const Context& context) {
  if (!context.is_uniform || (context.mask && chance(4))) {
    Barrier warp;
    warp.instruction = {Opcode::bar, {"warp", "sync"}, {}, {}, {}};
    warp.mask = context.mask.value_or(0);
    return {warp};
  }
  Barrier result = std::get<Barrier>(barrier_here(context).is);
  Instruction& one = result.instruction;
  do {
    one.modifiers = form_of(one.opcode);
  } while (one.has("warp"));
  if (one.has("arrive")) {
    // Half of the warps do not wait; those that do are counted. They must not get to the same barrier again before all
    // have left this one.
    if (kernel_.threads_per_block() % 32 != 0 || kernel_.threads_per_block() < 64 || has_exited) {
      return barrier_here(context);
    }
    result.number = arrival_barrier;
    result.counted = true;
    return {Group{{Statement{result}, barrier_here(context)}}};
  }
  if (one.has("red")) {
    one.writes = {one.has("popc") ? reg(32, context) : reg(1, context)};
    one.reads = {read(reg(1, context))};
  }
  return {result};
}

Statement Draw::no_effect() {
  constexpr auto opcodes = std::to_array({Opcode::fence, Opcode::membar, Opcode::nanosleep, Opcode::createpolicy,
                                          Opcode::pmevent, Opcode::griddepcontrol});
  NoEffect result;
  result.instruction.opcode = opcodes[below(opcodes.size())];
  result.instruction.modifiers = form_of(result.instruction.opcode);
  return {result};
}

}  // namespace lockstep::differential
