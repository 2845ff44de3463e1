#include "isa/machine/schedule/round_counting.hpp"

#include <algorithm>

#include "isa/machine/emitter.hpp"
#include "isa/machine/schedule/loop.hpp"

namespace lockstep::machine {

namespace {

/// Of a partially unrolled loop.
struct Entered {
  bool parts = false;           ///< Not all lanes execute as many rounds.
  bool until_equality = false;  ///< It ends where the counter is the bound, which it could step over.
};

/// When a step is there, what it reads and what it does.
enum class Needed : std::uint8_t { always, where_lanes_part, until_equality };
enum class Reads : std::uint8_t { nothing, comparison, rounds_left };
struct CountingStep {
  Operation operation;
  Reads reads = Reads::nothing;
  bool skips = false;
  Needed needed = Needed::always;
};

/// As ptxas writes them: whether there is a round, if the counter could step over its bound; whether there are four, the bound of the
/// unrolled ones, whether two are left, whether one is. Each comparison guards the branch behind it; those of the last two go over
/// rounds that are not left. The last ones stand behind the loop, after lanes with other numbers of rounds have met; here all
/// are in front.
constexpr CountingStep counting[] = {
    {Operation::compare, Reads::nothing, false, Needed::until_equality},
    {Operation::branch, Reads::comparison, false, Needed::until_equality},
    {Operation::compare},
    {Operation::integer},
    {Operation::branch, Reads::comparison},
    {Operation::integer},
    {Operation::integer},
    {Operation::integer},
    {Operation::branch, Reads::nothing, true, Needed::where_lanes_part},
    {Operation::compare, Reads::rounds_left},
    {Operation::branch, Reads::comparison, true},
    {Operation::compare},
    {Operation::branch, Reads::comparison, true},
};

/// Of each basic block: the partially unrolled loops that are entered from it.
std::vector<std::vector<Entered>> entered_loops(const Program& program, const program::DataFlow& flow) {
  const auto& blocks = program.kernel->blocks;
  std::vector<std::vector<Entered>> entered(blocks.size());
  std::vector<std::vector<std::uint32_t>> predecessors(blocks.size());
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (const std::uint32_t next : blocks[b].successors) predecessors[next].push_back(b);
  const Uniformity uniformity(*program.kernel, Uniformity::Among::those_together);
  const Dominance dominance(program.kernel->blocks);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const bool converted = b < program.predicated.size() && program.predicated[b].code.executions != 0;
    Loop loop(program, flow, uniformity, dominance, b, converted ? &program.predicated[b] : nullptr);
    if (loop.rounds() == 0 || loop.wholly()) continue;
    for (const std::uint32_t from : predecessors[b])
      if (!loop.closes(from)) entered[from].push_back({!loop.has_uniform_rounds(), loop.ends_at_equality()});
  }
  return entered;
}

}  // namespace

void count_rounds(Program& program, const program::DataFlow& flow) {
  const std::vector<std::vector<Entered>> entered = entered_loops(program, flow);
  if (std::all_of(entered.begin(), entered.end(), [](const auto& loops) { return loops.empty(); })) return;
  if (program.register_bits.size() + 2 > most_scoreboard_entries) return;
  const auto comparison = static_cast<std::uint16_t>(program.register_bits.size());
  const auto left = static_cast<std::uint16_t>(comparison + 1);
  program.register_bits.insert(program.register_bits.end(), {1, 32});
  std::vector<Instruction> all;
  all.reserve(program.instructions.size() + std::size(counting) * entered.size());
  const auto count = [&](const Entered& loop, std::uint32_t block) {
    for (const CountingStep& step : counting) {
      if (step.needed == Needed::where_lanes_part && !loop.parts) continue;
      if (step.needed == Needed::until_equality && !loop.until_equality) continue;
      Instruction& added = all.emplace_back();
      added.operation = step.operation;
      added.static_index = program.kernel->blocks[block].first + program.kernel->blocks[block].count - 1;
      added.skips = step.skips;
      if (step.operation == Operation::compare) Emitter::write(added, comparison);
      if (step.operation == Operation::integer) Emitter::write(added, left);
      if (step.reads == Reads::rounds_left) Emitter::link(added, left);
      if (step.reads == Reads::comparison) {
        Emitter::link(added, comparison);
        added.guard = comparison;
      }
    }
  };
  const auto copy = [&](Code& code, std::uint32_t last_block) {
    const Code before = code;
    code.first = static_cast<std::uint32_t>(all.size());
    std::uint32_t place = before.end;
    if (place != before.first) {
      const Instruction& last = program.instructions[place - 1];
      place -= last.operation == Operation::branch && !last.closes_lock_loop && !last.cas_loop && !last.skips;
    }
    for (std::uint32_t n = before.first; n <= before.end; ++n) {
      for (std::size_t loop = 0; n == place && loop < entered[last_block].size(); ++loop)
        count(entered[last_block][loop], last_block);
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
