// What fences become, as ptxas 13.0 for sm_90 was seen to write them.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::fence_lowering_test {

using machine::FenceScope;
using machine::Operation;

namespace {

/// One letter for each instruction of the fence: B, G, S for MEMBAR.CTA, .GPU, .SYS; W: it waits (ERRBAR); F: the L1 cache forgets; .: another.
std::string instructions(const std::string& fence, const std::string& set = "hopper",
                         machine::Schedule schedule = machine::Schedule::list) {
  const program::Kernel kernel =
      ptx::to_static_program(ptx::link(ptx::test::kernel("mov.u32 %r1, %tid.x; " + fence + " ret;"), "k"));
  std::uint32_t index = 0;
  while (kernel.instructions[index].control != program::Control::fence) ++index;
  const machine::Program program = machine::lower(kernel, {set, machine::ScratchpadAtomics::native, schedule});
  std::string found;
  for (const machine::Instruction& i : program.instructions) {
    if (i.static_index != index) continue;
    if (i.operation != Operation::fence) found += '.';
    if (i.operation == Operation::fence && i.fence.orders_for != FenceScope::nobody)
      found += " BGS"[static_cast<int>(i.fence.orders_for)];
    if (i.fence.waits && i.operation == Operation::fence) found += 'W';
    if (i.fence.forgets_l1) found += 'F';
  }
  return found;
}

}  // namespace

TEST_CASE("fences: on Hopper one orders memory, one waits, and the L1 cache forgets") {
  for (const char* fence : {"membar.gl;", "fence.acq_rel.gpu;", "fence.sc.gpu;", "fence.acq_rel.cluster;"})
    CHECK(instructions(fence) == "GW.F");
  CHECK(instructions("membar.sys;") == "SW.F");
  CHECK(instructions("fence.sc.sys;") == "SW.F");
}

TEST_CASE("fences: for the thread block one instruction orders memory and nothing waits") {
  CHECK(instructions("membar.cta;") == "B");
  CHECK(instructions("fence.acq_rel.cta;") == "B");
  CHECK(instructions("fence.mbarrier_init.release.cluster;") == "");
}

TEST_CASE("fences: between ways to memory") {
  CHECK(instructions("fence.proxy.async;") == "G.");
  CHECK(instructions("fence.proxy.async.global;") == ".");
  CHECK(instructions("fence.proxy.async.shared::cta;") == "");
}

TEST_CASE("fences: where a compiler is not followed they are one instruction, which waits unless it is for the block") {
  CHECK(instructions("membar.gl;", "volta", machine::Schedule::program_order) == "GW");
  CHECK(instructions("membar.cta;", "volta", machine::Schedule::program_order) == ".");
}

}  // namespace lockstep::fence_lowering_test
