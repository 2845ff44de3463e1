#include "sim/gpu/sm/observers/instruction_profile.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"

namespace lockstep::gpu {

void InstructionProfile::begin_launch(const machine::Program& program) {
  program_ = &program;
  slots_.assign(program.kernel->instructions.size(), {});
  executions_.assign(program.kernel->blocks.size(), {});
}

std::uint32_t InstructionProfile::instruction_of(std::uint32_t number) const {
  const Warp& warp = warps_[number];
  const std::uint32_t pc = warp.at_end ? warp.pc - 1 : warp.pc;  // A barrier may be the last instruction.
  return program_->instructions[pc].static_index;
}

void InstructionProfile::end_launch(Cycle end, std::uint32_t sm, std::uint64_t slots_with_warp) const {
  std::uint64_t sum = 0;
  for (const InstructionCounters& one : slots_)
    for (const std::uint64_t slots : one.slots) sum += slots;
  if (sum != slots_with_warp)
    throw Bug(fmt::format("sm {}", sm), end,
              fmt::format("{} issue slots are attributed to an instruction, {} have a warp", sum, slots_with_warp));
}

void InstructionProfile::add_to(std::vector<InstructionCounters>& sum) const {
  const program::Kernel& kernel = *program_->kernel;
  sum.resize(kernel.instructions.size());
  for (std::size_t n = 0; n < slots_.size(); ++n) counter::add(sum[n], slots_[n]);
  for (std::size_t b = 0; b < executions_.size(); ++b) {
    for (std::uint32_t n = 0; n < kernel.blocks[b].count; ++n) {
      InstructionCounters& one = sum[kernel.blocks[b].first + n];
      one.executed += executions_[b].warps;
      one.lanes += executions_[b].lanes;
    }
  }
}

}  // namespace lockstep::gpu
