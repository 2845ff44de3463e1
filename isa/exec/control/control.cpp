// Branches, calls, returns, exits and traps: whatever changes the reconvergence stack.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/exec/decoding.hpp"
#include "isa/exec/steps.hpp"
#include "isa/exec/thread_block.hpp"
#include "isa/ptx/runtime_functions.hpp"

namespace lockstep::exec {

namespace {

/// The lanes of the top level part: they continue where `paths` says, the last path first, and reconverge at the
/// block's reconvergence point.
class Split {
 public:
  explicit Split(Warp& warp) : warp_(warp), reconvergence_(warp.owner->kernel().blocks[warp.block].reconvergence) {
    Level& top = warp.stack.back();
    if (reconvergence_ == ptx::no_index || reconvergence_ == top.reconvergence) {
      // The lanes meet where the level meets the one below it: its paths take its place.
      reconvergence_ = top.reconvergence;
      replaced_ = top;
      warp.stack.pop_back();
      replaces_ = true;
    } else {
      top.block = reconvergence_;
    }
  }
  void path(std::uint32_t block, LaneMask mask) {
    Level level{block, reconvergence_, mask, false, nullptr};
    if (replaces_) {
      level.activation = replaced_.activation;
      level.call = replaced_.call;
      replaces_ = false;
    } else if (block == reconvergence_) {
      return;
    }
    warp_.stack.push_back(level);
  }

 private:
  Warp& warp_;
  std::uint32_t reconvergence_;
  Level replaced_;
  bool replaces_ = false;
};

/// control: the target block.
Outcome branch(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask rest = warp.active & ~mask;
  const std::uint32_t target = op.arithmetic.control;
  if (rest == 0) {
    warp.stack.back().block = target;
  } else if (mask == 0) {
    warp.stack.back().block = warp.block + 1;
  } else {
    Split split(warp);
    split.path(target, mask);
    split.path(warp.block + 1, rest);
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
  Split split(warp);
  split.path(first_target, first_lanes);
  while (left != 0) {
    const std::uint32_t target = table[index[std::countr_zero(left)]];
    const LaneMask same = take_target(target);
    split.path(target, same);
  }
  if (rest != 0) split.path(warp.block + 1, rest);
  return Outcome::jumped;
}

template <class T>
void copy_plane(const std::byte* from, std::byte* to, LaneMask mask) {
  for_each_lane(mask, [&](unsigned lane) { std::memcpy(to + lane * sizeof(T), from + lane * sizeof(T), sizeof(T)); });
}

/// Bytes of one lane in a plane stand at lane * bytes; a copy of 16 bytes is two planes of 8, a copy of 0 is a
/// predicate.
void copy(Warp& warp, const CallSite::Copy& c, std::byte* from_frame, std::byte* to_frame, LaneMask mask) {
  ThreadBlock& block = *warp.owner;
  if (c.from_plane != no_plane && c.to_plane != no_plane) {
    const std::byte* from = from_frame + c.from_plane;
    std::byte* to = to_frame + c.to_plane;
    switch (c.bytes) {
      case 0: {
        LaneMask& p = predicate(to_frame, c.to_plane);
        p = (p & ~mask) | (predicate(from_frame, c.from_plane) & mask);
        break;
      }
      case 2: copy_plane<std::uint16_t>(from, to, mask); break;
      case 4: copy_plane<std::uint32_t>(from, to, mask); break;
      case 8: copy_plane<std::uint64_t>(from, to, mask); break;
      default:
        copy_plane<std::uint64_t>(from, to, mask);
        copy_plane<std::uint64_t>(from + lanes * 8, to + lanes * 8, mask);
    }
    return;
  }
  for_each_lane(mask, [&](unsigned lane) {
    std::byte* const local = block.local(warp, lane);
    if (c.from_plane != no_plane) {
      std::memcpy(local + c.to, from_frame + c.from_plane + std::size_t{lane} * c.plane_bytes, c.bytes);
    } else if (c.to_plane != no_plane) {
      std::byte* const to = to_frame + c.to_plane + std::size_t{lane} * c.plane_bytes;
      std::memset(to, 0, c.plane_bytes);
      std::memcpy(to, local + c.from, c.bytes);
    } else {
      std::memmove(local + c.to, local + c.from, c.bytes);
    }
  });
}

/// control: the call site.
Outcome call(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  const Kernel& kernel = warp.owner->kernel();
  const CallSite& site = kernel.calls[op.arithmetic.control];
  std::byte* const callee_frame = warp.frames + kernel.functions[site.callee].offset;
  for (const CallSite::Copy& argument : site.arguments) copy(warp, argument, warp.frame, callee_frame, mask);
  warp.stack.back().block = warp.block + 1;
  warp.stack.push_back({site.callee_block, ptx::no_index, mask, true, &site});
  return Outcome::jumped;
}

/// A runtime function that does nothing and returns zero: the results come from planes of zeros. control: the call
/// site.
Outcome call_without_effect(Warp& warp, const Op& op, LaneMask mask) {
  for (const CallSite::Copy& result : warp.owner->kernel().calls[op.arithmetic.control].results) {
    copy(warp, result, warp.frame, warp.frame, mask);
  }
  return Outcome::next;
}

/// Takes lanes out of every level of the function's activation, so that they continue in the caller, or end.
Outcome leave_function(Warp& warp, const Op&, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  auto level = warp.stack.rbegin();
  for (;; ++level) {
    level->mask &= ~mask;
    if (level->activation) break;
  }
  if (level->call == nullptr) {
    warp.live &= ~mask;
    return Outcome::next;
  }
  const CallSite& site = *level->call;
  const Kernel& kernel = warp.owner->kernel();
  std::byte* const caller_frame = warp.frames + kernel.functions[site.caller].offset;
  for (const CallSite::Copy& result : site.results) copy(warp, result, warp.frame, caller_frame, mask);
  return Outcome::next;
}

Outcome exit_thread(Warp& warp, const Op&, LaneMask mask) {
  for (Level& level : warp.stack) level.mask &= ~mask;
  warp.live &= ~mask;
  return Outcome::next;
}

Outcome trap(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  warp.owner->fail(warp, op, static_cast<unsigned>(std::countr_zero(mask)), "the program executed a trap");
}

std::uint32_t block_of_label(const Decoding& decoding, const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::label) decoding.fail("a label is needed here");
  const ptx::Program& program = decoding.kernel.program;
  return program.block_at(program.first_instruction[decoding.function_number] + operand.index);
}

/// One side of a value passed to or from a function.
struct Passed {
  PlaneOffset plane = no_plane;
  unsigned width = 0;                   ///< Of the plane.
  std::uint64_t offset = 0, bytes = 0;  ///< Of the variable.
};

Passed formal(const Decoding& decoding, std::uint32_t callee, const std::vector<ptx::Variable>& variables,
              const std::vector<ptx::RegisterId>& registers, std::size_t index) {
  const ptx::Function& function = *decoding.kernel.program.functions[callee];
  if (!registers.empty()) {
    const ptx::RegisterId id = registers[index];
    return {decoding.kernel.functions[callee].layout.of_register(id), ptx::bits_of(function.registers[id].type), 0, 0};
  }
  const ptx::Variable& variable = variables[index];
  return {no_plane, 0, decoding.places.of_function[callee].at(variable.name).address, variable.bytes};
}

const ptx::Variable* find_param(const ptx::Function& function, const std::string& name) {
  for (const auto* list : {&function.variables, &function.parameters, &function.results}) {
    for (const ptx::Variable& variable : *list) {
      if (variable.name == name) return &variable;
    }
  }
  return nullptr;
}

/// `other` is the formal side: a literal takes its width.
Passed actual(Decoding& decoding, const ptx::Operand& operand, const Passed& other, bool is_result) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::symbol) {
    const ptx::Variable* variable = find_param(decoding.function, operand.symbol);
    if (variable != nullptr && variable->space == ptx::Space::param) {
      if (decoding.function.is_entry && decoding.place(operand.symbol).space == ptx::Space::param) {
        decoding.fail(fmt::format("the kernel parameter '{}' cannot be passed on directly", operand.symbol));
      }
      return {no_plane, 0, decoding.place(operand.symbol).address, variable->bytes};
    }
    if (variable == nullptr && decoding.kernel.module->find_variable(operand.symbol) == nullptr) {
      decoding.fail(fmt::format("there is no param variable '{}'", operand.symbol));
    }
  }
  if (operand.kind == Kind::reg) {
    return {decoding.layout.of_register(operand.index), decoding.register_width(operand.index), 0, 0};
  }
  if (is_result) decoding.fail("a result must be a param variable or a register");
  const unsigned width = other.plane != no_plane ? other.width : static_cast<unsigned>(other.bytes * 8);
  return {decoding.source(operand, width == 8 ? 16 : width), width == 8 ? 16 : width, 0, 0};
}

unsigned plane_bytes(unsigned width) {
  return width <= 1 ? 0 : width <= 16 ? 2 : width / 8;
}

CallSite::Copy transfer(const Decoding& decoding, const Passed& from, const Passed& to) {
  CallSite::Copy c;
  c.from_plane = from.plane;
  c.to_plane = to.plane;
  c.from = from.offset;
  c.to = to.offset;
  if (from.plane != no_plane && to.plane != no_plane) {
    if (plane_bytes(from.width) != plane_bytes(to.width)) {
      decoding.fail(fmt::format("passes a value of {} bits where {} are needed", from.width, to.width));
    }
    c.bytes = plane_bytes(from.width);
  } else if (from.plane == no_plane && to.plane == no_plane) {
    if (from.bytes != to.bytes) {
      decoding.fail(fmt::format("passes a value of {} bytes where {} are needed", from.bytes, to.bytes));
    }
    c.bytes = static_cast<std::uint32_t>(from.bytes);
  } else {
    const Passed& in_plane = from.plane != no_plane ? from : to;
    const Passed& in_variable = from.plane != no_plane ? to : from;
    c.plane_bytes = plane_bytes(in_plane.width);
    c.bytes = static_cast<std::uint32_t>(in_variable.bytes);
    if (c.bytes > c.plane_bytes || c.plane_bytes > 8) {
      decoding.fail(fmt::format("a register of {} bits and a variable of {} bytes do not match", in_plane.width,
                                in_variable.bytes));
    }
  }
  return c;
}

void decode_runtime_call(Decoding& decoding, ptx::RuntimeFunction function) {
  const ptx::Instruction& instruction = *decoding.instruction;
  CallSite& site = decoding.kernel.calls.emplace_back();
  decoding.op.arithmetic.control = static_cast<std::uint32_t>(decoding.kernel.calls.size() - 1);
  decoding.op.step = call_unsupported;
  if (function == ptx::RuntimeFunction::assertion && !instruction.call_arguments.empty()) {
    const Passed text = actual(decoding, instruction.call_arguments[0], {no_plane, 0, 0, 8}, false);
    if ((text.plane != no_plane && text.width == 64) || text.bytes == 8) {
      site.arguments.emplace_back();
      site.arguments.back().from_plane = text.plane;
      site.arguments.back().from = text.offset;
    }
  }
  if (function != ptx::RuntimeFunction::print) return;
  decoding.op.step = call_without_effect;
  for (const ptx::Operand& result : instruction.call_results) {
    if (result.kind == ptx::Operand::Kind::sink) continue;
    const Passed to = actual(decoding, result, {}, true);
    const unsigned width = to.plane != no_plane ? to.width : static_cast<unsigned>(to.bytes * 8);
    if (width != 32) decoding.fail(fmt::format("'{}' returns 32 bits, not {}", instruction.call_target, width));
    site.results.push_back(transfer(decoding, {decoding.layout.of_constant(0, width), width, 0, 0}, to));
  }
}

void decode_call(Decoding& decoding, Modifiers& modifiers) {
  modifiers.take("uni");
  modifiers.finish();
  Kernel& kernel = decoding.kernel;
  const ptx::Instruction& instruction = *decoding.instruction;
  const ptx::RuntimeFunction runtime = ptx::runtime_function(*kernel.module, instruction);
  if (runtime != ptx::RuntimeFunction::none) return decode_runtime_call(decoding, runtime);
  const auto& functions = kernel.program.functions;
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const ptx::Function* function) {
    return function->name == instruction.call_target;
  });
  if (found == functions.end()) decoding.fail(fmt::format("there is no function '{}'", instruction.call_target));
  CallSite& site = kernel.calls.emplace_back();
  site.caller = decoding.function_number;
  site.callee = static_cast<std::uint32_t>(found - functions.begin());
  site.callee_block = kernel.program.first_block[site.callee];
  const ptx::Function& callee = **found;
  const std::size_t parameters = std::max(callee.parameters.size(), callee.parameter_registers.size());
  const std::size_t results = std::max(callee.results.size(), callee.result_registers.size());
  if (instruction.call_arguments.size() != parameters) {
    decoding.fail(
        fmt::format("'{}' takes {} arguments, not {}", callee.name, parameters, instruction.call_arguments.size()));
  }
  if (instruction.call_results.size() != results) {
    decoding.fail(fmt::format("'{}' has {} results, not {}", callee.name, results, instruction.call_results.size()));
  }
  for (std::size_t i = 0; i < parameters; ++i) {
    const Passed to = formal(decoding, site.callee, callee.parameters, callee.parameter_registers, i);
    site.arguments.push_back(transfer(decoding, actual(decoding, instruction.call_arguments[i], to, false), to));
  }
  for (std::size_t i = 0; i < results; ++i) {
    if (instruction.call_results[i].kind == ptx::Operand::Kind::sink) continue;
    const Passed from = formal(decoding, site.callee, callee.results, callee.result_registers, i);
    site.results.push_back(transfer(decoding, from, actual(decoding, instruction.call_results[i], from, true)));
  }
  decoding.op.arithmetic.control = static_cast<std::uint32_t>(kernel.calls.size() - 1);
  decoding.op.step = call;
}

void decode_branch_indexed(Decoding& decoding, Modifiers& modifiers) {
  modifiers.take("idx");
  modifiers.take("uni");
  modifiers.finish();
  decoding.expect_operands(2, 2);
  const auto& operands = decoding.instruction->operands;
  if (operands[1].kind != ptx::Operand::Kind::vector || operands[1].elements.empty()) {
    decoding.fail("a list of branch targets is needed");
  }
  std::vector<std::uint32_t>& table = decoding.kernel.jump_tables.emplace_back();
  for (const ptx::Operand& label : operands[1].elements) table.push_back(block_of_label(decoding, label));
  decoding.op.arithmetic.source[0] = decoding.source(operands[0], 32);
  decoding.op.arithmetic.control = static_cast<std::uint32_t>(decoding.kernel.jump_tables.size() - 1);
  decoding.op.step = branch_indexed;
}

}  // namespace

bool decode_control(Decoding& decoding) {
  const std::string& opcode = decoding.instruction->opcode;
  Modifiers modifiers(decoding);
  if (opcode == "bra") {
    modifiers.take("uni");
    modifiers.finish();
    decoding.expect_operands(1, 1);
    decoding.op.arithmetic.control = block_of_label(decoding, decoding.instruction->operands[0]);
    decoding.op.step = branch;
  } else if (opcode == "brx") {
    decode_branch_indexed(decoding, modifiers);
  } else if (opcode == "call") {
    decode_call(decoding, modifiers);
  } else if (opcode == "ret") {
    modifiers.take("uni");
    modifiers.finish();
    decoding.op.step = leave_function;
  } else if (opcode == "exit") {
    modifiers.finish();
    decoding.op.step = exit_thread;
  } else if (opcode == "trap") {
    modifiers.finish();
    decoding.op.step = trap;
  } else {
    return false;
  }
  return true;
}

}  // namespace lockstep::exec
