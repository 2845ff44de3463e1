#pragma once
// The machine operations that a few instructions of PTX become.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::machine::test {

inline constexpr Operation add = Operation::integer, multiply = Operation::integer_multiply, shift = Operation::shift,
                           load = Operation::global_load, store = Operation::global_store,
                           lds = Operation::scratchpad_load, sts = Operation::scratchpad_store,
                           special = Operation::special_register, exits = Operation::exit;
using Operations = std::vector<Operation>;

/// The operations that issue: parameters that are operands take their access entry and no slot.
inline Operations issued(const program::Kernel& kernel, const std::string& set,
                         ScratchpadAtomics atomics = ScratchpadAtomics::native) {
  Operations all;
  for (const Instruction& i : lower(kernel, {set, atomics}).instructions)
    if (i.space != program::MemorySpace::param || !i.only_own_space) all.push_back(i.operation);
  return all;
}

inline program::Kernel kernel_of(const std::string& body) {
  const ptx::Module module = ptx::test::kernel(
      body + " ret;",
      ".shared .align 4 .b8 table[4096];\n.global .align 4 .b8 data[4096];\n.const .align 4 .b8 fixed[64];\n");
  return ptx::to_static_program(ptx::link(module, "k"));
}

inline Operations issued(const std::string& body, const std::string& set) {
  Operations all = issued(kernel_of(body), set);
  REQUIRE(all.back() == exits);
  all.pop_back();
  return all;
}

}  // namespace lockstep::machine::test
