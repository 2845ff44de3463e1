// Branches, exits and traps.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "isa/exec/control/calls.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

namespace {

/// control: the target block.
Outcome branch(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask rest = warp.active & ~mask;
  const std::uint32_t target = op.arithmetic.control;
  if (rest == 0) {
    warp.stack.back().block = target;
  } else if (mask == 0) {
    warp.stack.back().block = warp.block + 1;
  } else {
    const Path paths[] = {{target, mask}, {warp.block + 1, rest}};
    part(warp.stack, warp.owner->kernel().program, warp.block, paths);
  }
  return Outcome::jumped;
}

/// control: the jump table; source 0: the index.
Outcome branch_indexed(Warp& warp, const Op& op, LaneMask mask) {
  const std::vector<std::uint32_t>& table = warp.owner->kernel().jump_tables[op.arithmetic.control];
  const auto* index = plane<std::uint32_t>(warp.frame, op.arithmetic.source[0]);
  for_each_lane(mask, [&](unsigned lane) {
    if (index[lane] >= table.size()) {
      warp.owner->fail(warp, op, lane,
                       fmt::format("the index {} is outside the {} branch targets", index[lane], table.size()));
    }
  });
  LaneMask left = mask;
  const LaneMask rest = warp.active & ~mask;
  const auto take_target = [&](std::uint32_t target) {
    LaneMask same = 0;
    for_each_lane(left, [&](unsigned lane) {
      if (table[index[lane]] == target) same |= LaneMask{1} << lane;
    });
    left &= ~same;
    return same;
  };
  if (mask == 0) {
    warp.stack.back().block = warp.block + 1;
    return Outcome::jumped;
  }
  const std::uint32_t first_target = table[index[std::countr_zero(left)]];
  const LaneMask first_lanes = take_target(first_target);
  if (first_lanes == warp.active) {
    warp.stack.back().block = first_target;
    return Outcome::jumped;
  }
  std::vector<Path> paths = {{first_target, first_lanes}};
  while (left != 0) {
    const std::uint32_t target = table[index[std::countr_zero(left)]];
    paths.push_back({target, take_target(target)});
  }
  if (rest != 0) paths.push_back({warp.block + 1, rest});
  part(warp.stack, warp.owner->kernel().program, warp.block, paths);
  return Outcome::jumped;
}

Outcome exit_thread(Warp& warp, const Op&, LaneMask mask) {
  for (Level& level : warp.stack) level.mask &= ~mask;
  warp.live &= ~mask;
  return Outcome::next;
}

/// Cooperative groups find the grid's workspace in %envreg1 and %envreg2.
bool asks_for_grid_workspace(const Kernel& kernel) {
  return std::any_of(kernel.functions.begin(), kernel.functions.end(), [](const FunctionFrame& function) {
    return function.layout.specials().count(ptx::SpecialRegister::envreg1) != 0;
  });
}

Outcome trap(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  const ThreadBlock& block = *warp.owner;
  std::string why = "the program executed a trap";
  if (!block.context().launch->cooperative && asks_for_grid_workspace(block.kernel())) {
    why +=
        ", as grid.sync() does in a launch that is not cooperative: write 'cooperative: true' in the launch descriptor "
        "(in CUDA: cudaLaunchCooperativeKernel)";
  }
  block.fail(warp, op, static_cast<unsigned>(std::countr_zero(mask)), why);
}

std::uint32_t block_of_label(const Decoder& decoder, const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::label) decoder.fail("a label is needed here");
  const ptx::Program& program = decoder.kernel.program;
  return program.block_at(program.first_instruction[decoder.function_number] + operand.index);
}

void decode_branch_indexed(Decoder& decoder) {
  decoder.expect_operands(2, 2);
  const auto& operands = decoder.instruction().operands;
  if (operands[1].kind != ptx::Operand::Kind::vector || operands[1].elements.empty()) {
    decoder.fail("a list of branch targets is needed");
  }
  std::vector<std::uint32_t>& table = decoder.kernel.jump_tables.emplace_back();
  for (const ptx::Operand& label : operands[1].elements) table.push_back(block_of_label(decoder, label));
  decoder.op.arithmetic.source[0] = decoder.source_plane(operands[0], ptx::Type::u32);
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(decoder.kernel.jump_tables.size() - 1);
  decoder.op.step = branch_indexed;
}

void decode_branch(Decoder& decoder) {
  decoder.expect_operands(1);
  decoder.result().control = block_of_label(decoder, decoder.operand(0));
  decoder.op.step = branch;
}

}  // namespace

void decode_control(Decoder& decoder) {
  switch (decoder.opcode()) {
    case ptx::Opcode::bra: return decode_branch(decoder);
    case ptx::Opcode::brx: return decode_branch_indexed(decoder);
    case ptx::Opcode::call: return decode_call(decoder);
    case ptx::Opcode::ret: decoder.op.step = leave_function; return;
    case ptx::Opcode::exit: decoder.op.step = exit_thread; return;
    case ptx::Opcode::trap: decoder.op.step = trap; return;
    default: throw Bug(fmt::format("control flow does not decode {}", ptx::name_of(decoder.opcode())));
  }
}

}  // namespace lockstep::exec
