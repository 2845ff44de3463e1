#include "isa/machine/schedule/scheduling.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "isa/machine/schedule/list_schedule.hpp"
#include "isa/machine/schedule/liveness.hpp"
#include "isa/machine/schedule/ordering.hpp"
#include "isa/machine/schedule/register_budget.hpp"

namespace lockstep::machine {

namespace {

/// A Code and what is known of its registers.
struct Part {
  Code* code;
  std::vector<std::uint8_t> kills;  ///< Of each instruction, 1 if nothing reads what its registers held before.
  LiveSet behind;                   ///< What is live behind it.
  bool of_rounds = false;           ///< It is some rounds of a loop, behind each other.
};

/// See Part. The Code begins where a basic block does: what is not live there is nothing that a guarded write could leave.
std::vector<std::uint8_t> kills_of(const Program& program, const Code& code, const Liveness& liveness,
                                   std::uint32_t first_block) {
  std::vector<std::uint8_t> kills;
  std::vector<bool> written(program.register_bits.size());
  for (std::uint32_t n = code.first; n < code.end; ++n) {
    const Instruction& i = program.instructions[n];
    bool first = true;
    for (unsigned d = 0; d < i.destination_count; ++d) {
      first = first && !written[i.destinations[d]] && !liveness.at_begin(first_block, i.destinations[d]);
      written[i.destinations[d]] = true;
    }
    kills.push_back(i.writes_all_lanes() || first ? 1 : 0);
  }
  return kills;
}

/// The straight stretches of a Code, between instructions of which `ends` says so. `visit` gets each, from the last to the first,
/// and what is live behind it.
template <class Ends, class Visit>
void for_each_stretch(const Program& program, const Part& part, Ends&& ends, Visit&& visit) {
  const Code& code = *part.code;
  LiveSet live = part.behind;
  std::uint32_t end = code.end;
  for (std::uint32_t n = code.end; n-- > code.first;) {
    if (!ends(*program.kernel, program.instructions[n])) continue;
    visit(n + 1, end, live);
    for (std::uint32_t m = end; m-- > n;) live.pass(program.instructions[m], part.kills[m - code.first] != 0);
    end = n;
  }
  visit(code.first, end, live);
}

/// Words that live across the straight stretches of a Code and its barriers, or through half of a stretch as the program has it
/// beside what loads bring (addresses of several rounds), and four loads of its widest, or all.
std::uint32_t words_with_loads(const Program& program, const Part& part) {
  std::uint32_t words = 0, widest = 0, loads = 0;
  std::vector<std::uint32_t> lives;
  std::vector<bool> loaded(program.register_bits.size());
  for (std::uint32_t n = part.code->first; n < part.code->end; ++n) {
    const Instruction& i = program.instructions[n];
    if (i.operation != Operation::global_load) continue;
    ++loads;
    widest = std::max(widest, words_of_load(i));
    for (unsigned d = 0; d < i.destination_count; ++d) loaded[i.destinations[d]] = true;
  }
  const auto ends = [](const program::Kernel& kernel, const Instruction& i) {
    return is_wall(kernel, i) || is_barrier(kernel, i);
  };
  for_each_stretch(program, part, ends, [&](std::uint32_t first, std::uint32_t end, const LiveSet& live) {
    words = std::max(words, live.words(program));
    if (first == end) return;
    LiveSet before = live;
    lives.clear();
    for (std::uint32_t n = end; n-- > first;) {
      before.pass(program.instructions[n], part.kills[n - part.code->first] != 0);
      lives.push_back(before.words(program, loaded));
    }
    words = std::max(words, before.words(program));
    const auto half = lives.begin() + static_cast<std::ptrdiff_t>(lives.size() / 2);
    std::nth_element(lives.begin(), half, lives.end());
    words = std::max(words, *half);
  });
  return words + std::min(loads, 4U) * widest;
}

void note_order(const Program& program, Code& code) {
  std::uint32_t entry = 0;
  for (std::uint32_t n = code.first; n < code.end; ++n)
    if (const Instruction& i = program.instructions[n]; i.takes_access) {
      code.reordered = code.reordered || i.access_entry != entry;
      entry += access_entries(i);
    }
  if (entry != code.access_entries) code.reordered = true;  // Some are left out, the last ones.
}

}  // namespace

void schedule(Program& program) {
  std::vector<Part> parts;
  const Liveness liveness(program);
  const auto add = [&](Code& code, std::size_t first_block, std::uint32_t last_block) {
    parts.push_back({&code, kills_of(program, code, liveness, static_cast<std::uint32_t>(first_block)),
                     live_behind(program, liveness, last_block)});
  };
  const auto last_of = [](const Path& path, std::size_t block) {
    return path.hammocks.empty() ? static_cast<std::uint32_t>(block) : path.hammocks.back().join;
  };
  for (std::size_t b = 0; b < program.blocks.size(); ++b) add(program.blocks[b], b, static_cast<std::uint32_t>(b));
  for (std::size_t b = 0; b < program.unrolled.size(); ++b)
    for (Path& path : program.unrolled[b]) {
      add(path.code, b, last_of(path, b));
      parts.back().of_rounds = program.unrolled[b].size() > 1;  // Of a constant number all are in one path.
    }
  for (std::size_t b = 0; b < program.predicated.size(); ++b)
    if (Path& path = program.predicated[b]; path.code.executions != 0) add(path.code, b, last_of(path, b));

  std::uint32_t words = 0;
  std::vector<Segment> segments;
  for (const Part& part : parts) {
    words = std::max(words, words_with_loads(program, part));
    for_each_stretch(program, part, is_wall, [&](std::uint32_t first, std::uint32_t end, const LiveSet& live) {
      segments.emplace_back(program, std::span(program.instructions).subspan(first, end - first),
                            std::span(part.kills).subspan(first - part.code->first, end - first), live, part.of_rounds);
      words = std::max(words, segments.back().wanted_words());
    });
  }
  program.registers = words + spared_registers;
  for (Segment& segment : segments) segment.schedule(room_for(words));
  for (const Part& part : parts) note_order(program, *part.code);
}

}  // namespace lockstep::machine
