// Calls of functions of the program, and returns from them.

#include "isa/exec/control/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/exec/control/passing.hpp"

namespace lockstep::exec {

namespace {

/// control: the call site.
Outcome call(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  Level& top = warp.stack.back();
  top.block = warp.block + 1;
  warp.owner->enter_function(warp, op, warp.owner->kernel().calls[op.arithmetic.control], top.activation, mask);
  return Outcome::jumped;
}

[[noreturn]] void fail_target(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address) {
  const ThreadBlock& block = *warp.owner;
  const Allocation* const found = block.context().memory->find(address);
  if (found == nullptr || found->kind != Allocation::Kind::code || found->base != address) {
    block.fail(warp, op, lane, fmt::format("a call of the address {:#x}, which is not that of a function", address));
  }
  const ptx::Function* const function = block.kernel().module->find_function(found->name);
  block.fail(warp, op, lane,
             function != nullptr && function->has_body
                 ? fmt::format("a call of '{}', which takes or returns other values than this call passes", found->name)
                 : fmt::format("a call of '{}', which has no body in this file", found->name));
}

/// control: the call table. Lanes that call the same function execute it together, those of the lowest lane first; all
/// meet again behind the call.
Outcome call_through_register(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  const CallTable& table = warp.owner->kernel().call_tables[op.arithmetic.control];
  const auto address_of = [&](unsigned lane) -> std::uint64_t {
    return table.width == 32 ? plane<std::uint32_t>(warp.frame, table.address)[lane]
                             : plane<std::uint64_t>(warp.frame, table.address)[lane];
  };
  std::vector<std::pair<const CallSite*, LaneMask>> paths;
  for (LaneMask left = mask; left != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = address_of(first);
    const auto target = std::find_if(table.targets.begin(), table.targets.end(),
                                     [&](const CallTable::Target& one) { return one.address == address; });
    if (target == table.targets.end()) fail_target(warp, op, first, address);
    LaneMask same = 0;
    for_each_lane(left, [&](unsigned lane) {
      if (address_of(lane) == address) same |= LaneMask{1} << lane;
    });
    left &= ~same;
    paths.emplace_back(target->site, same);
  }
  Level& top = warp.stack.back();
  top.block = warp.block + 1;
  const std::uint32_t caller = top.activation;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path)
    warp.owner->enter_function(warp, op, *path->first, caller, path->second);
  return Outcome::jumped;
}

/// Where the values of a call of one function go.
const CallSite& add_call_site(Decoder& decoder, std::uint32_t callee) {
  Kernel& kernel = decoder.kernel;
  const ptx::Instruction& instruction = decoder.instruction();
  const ptx::Function& function = *kernel.program.functions[callee];
  CallSite site;
  site.caller = decoder.function_number;
  site.callee = callee;
  site.callee_block = kernel.program.first_block[callee];
  for (std::size_t i = 0; i < instruction.call_arguments.size(); ++i) {
    const Passed to = formal(decoder, callee, function.parameters, function.parameter_registers, i);
    site.arguments.push_back(transfer(decoder, actual(decoder, instruction.call_arguments[i], to, false), to));
  }
  for (std::size_t i = 0; i < instruction.call_results.size(); ++i) {
    if (instruction.call_results[i].kind == ptx::Operand::Kind::sink) continue;
    const Passed from = formal(decoder, callee, function.results, function.result_registers, i);
    site.results.push_back(transfer(decoder, from, actual(decoder, instruction.call_results[i], from, true)));
  }
  return kernel.calls.emplace_back(std::move(site));
}

}  // namespace

Outcome leave_function(Warp& warp, const Op&, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  auto level = warp.stack.rbegin();
  for (;; ++level) {
    level->mask &= ~mask;
    if (level->lowest) break;
  }
  const Activation& left = warp.activations[level->activation];
  if (left.call == nullptr) {
    warp.live &= ~mask;
    return Outcome::next;
  }
  for (const CallSite::Copy& result : left.call->results) copy(warp, result, left, warp.activations[left.caller], mask);
  return Outcome::next;
}

void decode_call(Decoder& decoder) {
  Kernel& kernel = decoder.kernel;
  const ptx::Instruction& instruction = decoder.instruction();
  const ptx::RuntimeFunction runtime = ptx::runtime_function(*kernel.module, instruction);
  if (runtime != ptx::RuntimeFunction::none) return decode_runtime_call(decoder, runtime);
  const auto callees = kernel.program.callees(instruction);
  if (!instruction.call_target.empty()) {
    add_call_site(decoder, callees.front());
    decoder.op.arithmetic.control = static_cast<std::uint32_t>(kernel.calls.size() - 1);
    decoder.op.step = call;
    return;
  }
  CallTable table;
  table.width = decoder.register_width(instruction.operands.front().index);
  if (table.width != 32 && table.width != 64) decoder.fail("the address of a function has 32 or 64 bits");
  table.address = decoder.layout.of_register(instruction.operands.front().index);
  for (const std::uint32_t callee : callees) {
    const std::uint64_t address = decoder.places.of_module.at(kernel.program.functions[callee]->name).address;
    table.targets.push_back({address, &add_call_site(decoder, callee)});
  }
  kernel.call_tables.push_back(std::move(table));
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(kernel.call_tables.size() - 1);
  decoder.op.step = call_through_register;
}

}  // namespace lockstep::exec
