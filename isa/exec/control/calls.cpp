// Calls of functions of the program, and returns from them.

#include "isa/exec/control/calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/exec/control/passing.hpp"

namespace lockstep::exec {

namespace {

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

}  // namespace

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

}  // namespace lockstep::exec
