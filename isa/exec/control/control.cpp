// Branches, calls, returns, exits and traps: whatever changes the reconvergence stack.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/exec/steps.hpp"
#include "isa/exec/subjects.hpp"
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

std::uint32_t block_of_label(const Decoder& decoder, const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::label) decoder.fail("a label is needed here");
  const ptx::Program& program = decoder.kernel.program;
  return program.block_at(program.first_instruction[decoder.function_number] + operand.index);
}

/// One side of a value passed to or from a function.
struct Passed {
  PlaneOffset plane = no_plane;
  unsigned width = 0;                   ///< Of the plane.
  std::uint64_t offset = 0, bytes = 0;  ///< Of the variable.
  ptx::Type type = ptx::Type::none;     ///< Of a formal register or variable.
};

Passed formal(const Decoder& decoder, std::uint32_t callee, const std::vector<ptx::Variable>& variables,
              const std::vector<ptx::RegisterId>& registers, std::size_t index) {
  const ptx::Function& function = *decoder.kernel.program.functions[callee];
  if (!registers.empty()) {
    const ptx::RegisterId id = registers[index];
    return {decoder.kernel.functions[callee].layout.of_register(id), ptx::bits_of(function.registers[id].type), 0, 0,
            function.registers[id].type};
  }
  const ptx::Variable& variable = variables[index];
  return {no_plane, 0, decoder.places.of_function[callee].at(variable.name).address, variable.bytes, variable.type};
}

const ptx::Variable* find_param(const ptx::Function& function, const std::string& name) {
  for (const auto* list : {&function.variables, &function.parameters, &function.results}) {
    for (const ptx::Variable& variable : *list) {
      if (variable.name == name) return &variable;
    }
  }
  return nullptr;
}

ptx::Type untyped(const Decoder& decoder, unsigned width) {
  switch (width) {
    case 8: return ptx::Type::b8;
    case 16: return ptx::Type::b16;
    case 32: return ptx::Type::b32;
    case 64: return ptx::Type::b64;
    default: decoder.fail(fmt::format("a literal cannot be a value of {} bits", width));
  }
}

/// `other` is the formal side: a literal takes its type.
Passed actual(Decoder& decoder, const ptx::Operand& operand, const Passed& other, bool is_result) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::symbol) {
    const ptx::Variable* variable = find_param(decoder.function, operand.symbol);
    if (variable != nullptr && variable->space == ptx::Space::param) {
      if (decoder.function.is_entry && decoder.place(operand.symbol).space == ptx::Space::param) {
        decoder.fail(fmt::format("the kernel parameter '{}' cannot be passed on directly", operand.symbol));
      }
      return {no_plane, 0, decoder.place(operand.symbol).address, variable->bytes};
    }
    if (variable == nullptr && decoder.kernel.module->find_variable(operand.symbol) == nullptr) {
      decoder.fail(fmt::format("there is no param variable '{}'", operand.symbol));
    }
  }
  if (operand.kind == Kind::reg) {
    return {decoder.layout.of_register(operand.index), decoder.register_width(operand.index), 0, 0};
  }
  if (is_result) decoder.fail("a result must be a param variable or a register");
  const unsigned width = other.plane != no_plane ? other.width : static_cast<unsigned>(other.bytes * 8);
  const ptx::Type type = ptx::bits_of(other.type) == width ? other.type : untyped(decoder, width);
  return {decoder.source_or_address(operand, type), plane_bits(type), 0, 0};
}

unsigned plane_bytes(unsigned width) {
  return width <= 1 ? 0 : width <= 16 ? 2 : width / 8;
}

CallSite::Copy transfer(const Decoder& decoder, const Passed& from, const Passed& to) {
  CallSite::Copy c;
  c.from_plane = from.plane;
  c.to_plane = to.plane;
  c.from = from.offset;
  c.to = to.offset;
  if (from.plane != no_plane && to.plane != no_plane) {
    if (plane_bytes(from.width) != plane_bytes(to.width)) {
      decoder.fail(fmt::format("passes a value of {} bits where {} are needed", from.width, to.width));
    }
    c.bytes = plane_bytes(from.width);
  } else if (from.plane == no_plane && to.plane == no_plane) {
    if (from.bytes != to.bytes) {
      decoder.fail(fmt::format("passes a value of {} bytes where {} are needed", from.bytes, to.bytes));
    }
    c.bytes = static_cast<std::uint32_t>(from.bytes);
  } else {
    const Passed& in_plane = from.plane != no_plane ? from : to;
    const Passed& in_variable = from.plane != no_plane ? to : from;
    c.plane_bytes = plane_bytes(in_plane.width);
    c.bytes = static_cast<std::uint32_t>(in_variable.bytes);
    if (c.bytes > c.plane_bytes || c.plane_bytes > 8) {
      decoder.fail(fmt::format("a register of {} bits and a variable of {} bytes do not match", in_plane.width,
                               in_variable.bytes));
    }
  }
  return c;
}

void decode_runtime_call(Decoder& decoder, ptx::RuntimeFunction function) {
  const ptx::Instruction& instruction = decoder.instruction();
  CallSite& site = decoder.kernel.calls.emplace_back();
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(decoder.kernel.calls.size() - 1);
  decoder.op.step = call_unsupported;
  if (function == ptx::RuntimeFunction::assertion && !instruction.call_arguments.empty()) {
    const Passed text = actual(decoder, instruction.call_arguments[0], {no_plane, 0, 0, 8}, false);
    if ((text.plane != no_plane && text.width == 64) || text.bytes == 8) {
      site.arguments.emplace_back();
      site.arguments.back().from_plane = text.plane;
      site.arguments.back().from = text.offset;
    }
  }
  if (function != ptx::RuntimeFunction::print) return;
  decoder.op.step = call_without_effect;
  for (const ptx::Operand& result : instruction.call_results) {
    if (result.kind == ptx::Operand::Kind::sink) continue;
    const Passed to = actual(decoder, result, {}, true);
    const unsigned width = to.plane != no_plane ? to.width : static_cast<unsigned>(to.bytes * 8);
    if (width != 32) decoder.fail(fmt::format("'{}' returns 32 bits, not {}", instruction.call_target, width));
    site.results.push_back(transfer(decoder, {decoder.layout.of_constant(0, width), width, 0, 0}, to));
  }
}

void decode_call(Decoder& decoder) {
  Kernel& kernel = decoder.kernel;
  const ptx::Instruction& instruction = decoder.instruction();
  const ptx::RuntimeFunction runtime = ptx::runtime_function(*kernel.module, instruction);
  if (runtime != ptx::RuntimeFunction::none) return decode_runtime_call(decoder, runtime);
  const auto& functions = kernel.program.functions;
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const ptx::Function* function) {
    return function->name == instruction.call_target;
  });
  if (found == functions.end()) decoder.fail(fmt::format("there is no function '{}'", instruction.call_target));
  CallSite& site = kernel.calls.emplace_back();
  site.caller = decoder.function_number;
  site.callee = static_cast<std::uint32_t>(found - functions.begin());
  site.callee_block = kernel.program.first_block[site.callee];
  const ptx::Function& callee = **found;
  const std::size_t parameters = std::max(callee.parameters.size(), callee.parameter_registers.size());
  const std::size_t results = std::max(callee.results.size(), callee.result_registers.size());
  if (instruction.call_arguments.size() != parameters) {
    decoder.fail(
        fmt::format("'{}' takes {} arguments, not {}", callee.name, parameters, instruction.call_arguments.size()));
  }
  if (instruction.call_results.size() != results) {
    decoder.fail(fmt::format("'{}' has {} results, not {}", callee.name, results, instruction.call_results.size()));
  }
  for (std::size_t i = 0; i < parameters; ++i) {
    const Passed to = formal(decoder, site.callee, callee.parameters, callee.parameter_registers, i);
    site.arguments.push_back(transfer(decoder, actual(decoder, instruction.call_arguments[i], to, false), to));
  }
  for (std::size_t i = 0; i < results; ++i) {
    if (instruction.call_results[i].kind == ptx::Operand::Kind::sink) continue;
    const Passed from = formal(decoder, site.callee, callee.results, callee.result_registers, i);
    site.results.push_back(transfer(decoder, from, actual(decoder, instruction.call_results[i], from, true)));
  }
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(kernel.calls.size() - 1);
  decoder.op.step = call;
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
