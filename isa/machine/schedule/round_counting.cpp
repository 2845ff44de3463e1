#include "isa/machine/schedule/round_counting.hpp"

#include <algorithm>

#include "isa/machine/schedule/loop.hpp"

namespace lockstep::machine {

namespace {

/// As ptxas writes them for a counter below a bound: whether there are four rounds, the bound of the unrolled ones, whether two are
/// left, whether one is. The last four stand behind the loop; here all are in front.
constexpr Operation counting[] = {Operation::compare, Operation::integer, Operation::branch,  Operation::integer,
                                  Operation::integer, Operation::integer, Operation::compare, Operation::branch,
                                  Operation::compare, Operation::branch};

/// Of each basic block: how many partially unrolled loops are entered from it.
std::vector<std::uint32_t> entered_loops(const Program& program, const program::DataFlow& flow) {
  const auto& blocks = program.kernel->blocks;
  std::vector<std::uint32_t> entered(blocks.size());
  std::vector<std::vector<std::uint32_t>> predecessors(blocks.size());
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (const std::uint32_t next : blocks[b].successors) predecessors[next].push_back(b);
  const Uniformity uniformity(*program.kernel, Uniformity::Among::those_together);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const bool converted = b < program.predicated.size() && program.predicated[b].code.executions != 0;
    Loop loop(program, flow, uniformity, b, converted ? &program.predicated[b] : nullptr);
    if (loop.rounds() == 0 || loop.wholly()) continue;
    for (const std::uint32_t from : predecessors[b]) entered[from] += !loop.closes(from);
  }
  return entered;
}

}  // namespace

void count_rounds(Program& program, const program::DataFlow& flow) {
  const std::vector<std::uint32_t> entered = entered_loops(program, flow);
  if (std::all_of(entered.begin(), entered.end(), [](std::uint32_t loops) { return loops == 0; })) return;
  std::vector<Instruction> all;
  all.reserve(program.instructions.size() + std::size(counting) * entered.size());
  const auto copy = [&](Code& code, std::uint32_t last_block) {
    const Code before = code;
    code.first = static_cast<std::uint32_t>(all.size());
    std::uint32_t place = before.end;
    if (place != before.first) {
      const Instruction& last = program.instructions[place - 1];
      place -= last.operation == Operation::branch && !last.closes_lock_loop && !last.cas_loop && !last.skips;
    }
    for (std::uint32_t n = before.first; n <= before.end; ++n) {
      for (std::uint32_t loop = 0; n == place && loop < entered[last_block]; ++loop)
        for (const Operation operation : counting) {
          const program::StaticBlock& block = program.kernel->blocks[last_block];
          Instruction& added = all.emplace_back();
          added.operation = operation;
          added.static_index = block.first + block.count - 1;
        }
      if (n == before.end) break;
      all.push_back(program.instructions[n]);
      all.back().loop_start += code.first - before.first;
    }
    code.end = static_cast<std::uint32_t>(all.size());
  };
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b) copy(program.blocks[b], b);
  for (Path& path : program.predicated)
    if (path.code.executions != 0) copy(path.code, path.hammocks.back().join);
  program.instructions = std::move(all);
}

}  // namespace lockstep::machine
