#include "isa/trace/order_dependence.hpp"

#include <fmt/format.h>

#include "isa/program/demangled.hpp"
#include "isa/program/source_place.hpp"

namespace lockstep::trace {

std::string describe(const Header& header, const OrderDependence& dependence) {
  const auto counted = [](std::uint32_t count, const char* one, const char* several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
  };
  const program::Kernel& kernel = header.kernels[dependence.kernel];
  return fmt::format(
      "kernel '{}': {} and {} depended on the order in which thread blocks executed atomics, first at {} ({}); a "
      "replay is "
      "that of one possible execution",
      program::demangled(kernel.name), counted(dependence.branches, "branch", "branches"),
      counted(dependence.addresses, "memory access", "memory accesses"),
      program::source_place(kernel, dependence.first), kernel.strings[kernel.instructions[dependence.first].mnemonic]);
}

}  // namespace lockstep::trace
