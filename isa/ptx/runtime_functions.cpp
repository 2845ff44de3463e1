#include "isa/ptx/runtime_functions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep::ptx {

namespace {

constexpr std::pair<std::string_view, RuntimeFunction> names[] = {
    {"vprintf", RuntimeFunction::print},
    {"malloc", RuntimeFunction::allocation},
    {"free", RuntimeFunction::allocation},
    {"__assertfail", RuntimeFunction::assertion},
    {"__assert_fail", RuntimeFunction::assertion},
    {"cudaLaunchDevice", RuntimeFunction::launch},
    {"cudaLaunchDeviceV2", RuntimeFunction::launch},
    {"cudaGetParameterBuffer", RuntimeFunction::launch},
    {"cudaGetParameterBufferV2", RuntimeFunction::launch},
    {"cudaDeviceSynchronize", RuntimeFunction::launch},
};

}  // namespace

RuntimeFunction runtime_function(const Module& module, const Instruction& call) {
  const auto* const found = std::find_if(std::begin(names), std::end(names),
                                         [&](const auto& known) { return known.first == call.call_target; });
  if (found == std::end(names)) return RuntimeFunction::none;
  const Function* const declared = module.find_function(call.call_target);
  return declared != nullptr && declared->has_body ? RuntimeFunction::none : found->second;
}

bool calls_heap(const Module& module, const Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), [&](const Instruction& one) {
    return one.opcode == Opcode::call && runtime_function(module, one) == RuntimeFunction::allocation;
  });
}

}  // namespace lockstep::ptx
