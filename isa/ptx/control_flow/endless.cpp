#include "isa/ptx/control_flow/endless.hpp"

#include <cstdint>

#include "isa/ptx/program.hpp"

namespace lockstep::ptx {

std::vector<bool> endless_blocks(const Program& program) {
  const auto count = static_cast<std::uint32_t>(program.blocks.size());
  std::vector<std::vector<std::uint32_t>> predecessors(count);
  std::vector<bool> endless(count, true);
  std::vector<std::uint32_t> ending;
  for (std::uint32_t number = 0; number < count; ++number) {
    const BasicBlock& block = program.blocks[number];
    for (const std::uint32_t next : block.successors) predecessors[next].push_back(number);
    const Opcode last = program.instruction(block.first + block.count - 1).opcode;
    const bool leaves = last == Opcode::ret || last == Opcode::exit || last == Opcode::trap || last == Opcode::call;
    if (leaves || block.successors.empty()) ending.push_back(number);
  }
  for (const std::uint32_t number : ending) endless[number] = false;
  while (!ending.empty()) {
    const std::uint32_t number = ending.back();
    ending.pop_back();
    for (const std::uint32_t before : predecessors[number]) {
      if (!endless[before]) continue;
      endless[before] = false;
      ending.push_back(before);
    }
  }
  return endless;
}

}  // namespace lockstep::ptx
