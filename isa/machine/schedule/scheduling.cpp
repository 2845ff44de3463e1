#include "isa/machine/schedule/scheduling.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "isa/machine/schedule/ordering.hpp"
#include "isa/machine/schedule/register_budget.hpp"

namespace lockstep::machine {

namespace {

/// Cycles for which a compiler expects a result to be awaited. Only their order of magnitude matters.
std::uint32_t expected_latency(const Instruction& i) {
  switch (i.operation) {
    case Operation::global_load:
    case Operation::global_atomic:
    case Operation::texture_load: return 300;
    case Operation::constant_load: return 60;
    case Operation::scratchpad_load:
    case Operation::scratchpad_atomic:
    case Operation::exchange: return 30;
    case Operation::bit_count:
    case Operation::bit_find:
    case Operation::conversion:
    case Operation::special_function:
    case Operation::special_register: return 18;
    case Operation::tensor:
    case Operation::tensor_short:
    case Operation::tensor_double: return 24;
    case Operation::double_precision: return 8;
    default: return 4;
  }
}

/// The same of a result that `reader` reads from `reg`: a guard is there later than other results.
std::uint32_t awaited(const Instruction& writer, const Instruction& reader, std::uint16_t reg) {
  constexpr std::uint32_t guard = 13;  // Stall counts of ptxas 13.0 for sm_90, from FSETP to what its predicate guards.
  return std::max(expected_latency(writer), reader.guard == reg ? guard : 0);
}

/// A stretch of straight code between instructions that others are not moved across.
class Segment {
 public:
  /// `behind`: what is live behind it. `room`: words for all values.
  Segment(const Program& program, std::span<Instruction> code, const LiveSet& behind, std::uint32_t room)
      : program_(program), code_(code), behind_(behind), room_(room), nodes_(code.size()) {}

  /// Returns the words that its values had at most.
  std::uint32_t schedule() {
    connect();
    rank();
    find_values();
    const std::vector<std::uint32_t> order = list();
    std::vector<Instruction> scheduled;
    scheduled.reserve(order.size());
    for (const std::uint32_t n : order) scheduled.push_back(code_[n]);
    std::copy(scheduled.begin(), scheduled.end(), code_.begin());
    return most_;
  }

 private:
  /// Words below the room from which on the rounds that have begun are finished first, and words that are kept for loads from
  /// global memory (README.md).
  static constexpr std::uint32_t scarcity = 8, spared = 1;

  struct Edge {
    std::uint32_t to, latency;
  };
  struct Node {
    std::vector<Edge> after;
    std::uint32_t before = 0;                  ///< Predecessors that are not scheduled yet.
    std::uint32_t height = 0;                  ///< Cycles from its issue to the end of the code.
    std::uint32_t earliest = 0;                ///< Cycle at which its operands are there.
    std::vector<std::uint32_t> reads, begins;  ///< Values, each once.
  };
  /// What a register holds from one write to the next.
  struct Value {
    std::uint32_t words = 0, readers = 0;
    bool stays = false;  ///< Live behind the code.
  };

  void edge(std::uint32_t from, std::uint32_t to, std::uint32_t latency) {
    nodes_[from].after.push_back({to, latency});
    ++nodes_[to].before;
  }

  void connect() {
    struct Use {
      std::int64_t writer = -1;
      std::vector<std::uint32_t> readers;
    };
    std::map<std::uint16_t, Use> registers;
    std::vector<std::uint32_t> memory, barriers;
    for (std::uint32_t n = 0; n < code_.size(); ++n) {
      const Instruction& i = code_[n];
      for (unsigned s = 0; s < i.source_count; ++s) {
        Use& use = registers[i.sources[s]];
        if (use.writer >= 0)
          edge(static_cast<std::uint32_t>(use.writer), n, awaited(code_[use.writer], i, i.sources[s]));
        use.readers.push_back(n);
      }
      for (unsigned d = 0; d < i.destination_count; ++d) {
        Use& use = registers[i.destinations[d]];
        for (const std::uint32_t reader : use.readers)
          if (reader != n) edge(reader, n, 1);
        if (use.writer >= 0 && use.writer != n) edge(static_cast<std::uint32_t>(use.writer), n, 1);
        use = {n, {}};
      }
      if (is_barrier(*program_.kernel, i)) {
        for (const std::uint32_t b : barriers) edge(b, n, 1);
        for (const std::uint32_t m : memory)
          if (!reads_constant_memory(code_[m])) edge(m, n, 1);
        barriers.push_back(n);
      } else if (is_memory(i)) {
        for (const std::uint32_t m : memory)
          if (may_meet(code_[m], i)) edge(m, n, 1);
        if (!reads_constant_memory(i))
          for (const std::uint32_t b : barriers) edge(b, n, 1);
        memory.push_back(n);
      }
    }
  }

  void rank() {
    for (std::uint32_t n = static_cast<std::uint32_t>(code_.size()); n-- > 0;) {
      nodes_[n].height = expected_latency(code_[n]);
      for (const Edge& e : nodes_[n].after)
        nodes_[n].height = std::max(nodes_[n].height, e.latency + nodes_[e.to].height);
    }
  }

  void find_values() {
    LiveSet live = behind_;
    for (std::size_t n = code_.size(); n-- > 0;) live.pass(code_[n]);
    used_ = most_ = live.words(program_);
    std::map<std::uint16_t, std::uint32_t> held;  // The value in each register.
    const auto value_in = [&](std::uint16_t reg) {
      const auto [at, is_new] = held.emplace(reg, static_cast<std::uint32_t>(values_.size()));
      if (is_new) values_.push_back({words_of(program_, reg), 0, false});
      return at->second;
    };
    for (std::size_t n = 0; n < code_.size(); ++n) {
      const Instruction& i = code_[n];
      Node& node = nodes_[n];
      for (unsigned s = 0; s < i.source_count; ++s) {
        const std::uint32_t value = value_in(i.sources[s]);
        if (std::find(node.reads.begin(), node.reads.end(), value) != node.reads.end()) continue;
        node.reads.push_back(value);
        ++values_[value].readers;
      }
      for (unsigned d = 0; d < i.destination_count; ++d) {
        if (!i.writes_all_lanes() && (held.contains(i.destinations[d]) || live.has(i.destinations[d]))) continue;
        held.erase(i.destinations[d]);
        node.begins.push_back(value_in(i.destinations[d]));
      }
    }
    for (const auto& [reg, value] : held) values_[value].stays = behind_.has(reg);
  }

  /// Words that more are live behind a node than in front of it; negative: fewer.
  std::int32_t growth(std::uint32_t n) const {
    std::int32_t more = 0;
    for (const std::uint32_t v : nodes_[n].begins)
      if (values_[v].readers != 0 || values_[v].stays) more += static_cast<std::int32_t>(values_[v].words);
    for (const std::uint32_t v : nodes_[n].reads)
      if (values_[v].readers == 1 && !values_[v].stays) more -= static_cast<std::int32_t>(values_[v].words);
    return more;
  }
  bool fits(std::uint32_t n) const {
    const std::int32_t more = growth(n);
    const std::uint32_t room = code_[n].operation == Operation::global_load ? room_ : room_ - spared;
    return more <= 0 || static_cast<std::int64_t>(used_) + more <= room;
  }

  std::vector<std::uint32_t> list() {
    std::vector<std::uint32_t> ready, order;
    for (std::uint32_t n = 0; n < code_.size(); ++n)
      if (nodes_[n].before == 0) ready.push_back(n);
    for (std::uint32_t now = 0; !ready.empty();) {
      // An instruction adds at most two words for each of its destinations: with room for these everything fits.
      const bool tight = used_ + 2 * max_destinations + spared > room_, scarce = used_ + scarcity > room_;
      const auto better = [&](std::uint32_t a, std::uint32_t b) {
        if (tight) {
          const bool a_fits = fits(a), b_fits = fits(b);
          if (a_fits != b_fits) return a_fits;
        }
        const std::uint32_t at_a = std::max(now, nodes_[a].earliest), at_b = std::max(now, nodes_[b].earliest);
        if (at_a != at_b) return at_a < at_b;
        if (!scarce && nodes_[a].height != nodes_[b].height) return nodes_[a].height > nodes_[b].height;
        return a < b;
      };
      const auto at = std::min_element(ready.begin(), ready.end(), better);
      const std::uint32_t n = *at;
      *at = ready.back();
      ready.pop_back();
      now = std::max(now, nodes_[n].earliest);
      order.push_back(n);
      used_ = static_cast<std::uint32_t>(static_cast<std::int64_t>(used_) + growth(n));
      most_ = std::max(most_, used_);
      for (const std::uint32_t v : nodes_[n].reads) --values_[v].readers;
      for (const Edge& e : nodes_[n].after) {
        nodes_[e.to].earliest = std::max(nodes_[e.to].earliest, now + e.latency);
        if (--nodes_[e.to].before == 0) ready.push_back(e.to);
      }
      ++now;
    }
    return order;
  }

  const Program& program_;
  std::span<Instruction> code_;
  const LiveSet& behind_;
  std::uint32_t room_;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::uint32_t used_ = 0, most_ = 0;  ///< Words of live values: now, and at most.
};

/// The straight parts of a Code, between instructions of which `ends` says so. `visit` gets each, from the last to the first,
/// and what is live behind it.
template <class Ends, class Visit>
void for_each_segment(const Program& program, const Code& code, LiveSet live, Ends&& ends, Visit&& visit) {
  std::uint32_t end = code.end;
  for (std::uint32_t n = code.end; n-- > code.first;) {
    if (!ends(*program.kernel, program.instructions[n])) continue;
    visit(n + 1, end, live);
    for (std::uint32_t m = end; m-- > n;) live.pass(program.instructions[m]);
    end = n;
  }
  visit(code.first, end, live);
}

/// Returns the words that values had at most.
std::uint32_t schedule(Program& program, const Code& code, const LiveSet& behind, std::uint32_t room) {
  std::uint32_t most = 0;
  for_each_segment(program, code, behind, is_wall, [&](std::uint32_t first, std::uint32_t end, const LiveSet& live) {
    const std::span<Instruction> part(program.instructions.data() + first, end - first);
    most = std::max(most, Segment(program, part, live, room).schedule());
  });
  return most;
}

std::uint32_t words_of_load(const Instruction& i) {
  return (i.element_bytes * i.vector_elements + 3u) / 4;
}

/// Words that live across the straight parts of a Code and its barriers, or through half of a part as the program has it beside what
/// loads bring (addresses of several rounds), and four loads of its widest. Of a part that reads the scratchpad: the most that live at
/// once as the program has it, two loads of its widest, and one.
std::uint32_t least_room(const Program& program, const Code& code, const LiveSet& behind) {
  std::uint32_t words = 0, widest = 0, with_scratchpad = 0;
  std::vector<std::uint32_t> lives;
  std::vector<bool> loaded(program.register_bits.size());
  for (std::uint32_t n = code.first; n < code.end; ++n) {
    const Instruction& i = program.instructions[n];
    if (i.operation != Operation::global_load) continue;
    widest = std::max(widest, words_of_load(i));
    for (unsigned d = 0; d < i.destination_count; ++d) loaded[i.destinations[d]] = true;
  }
  const auto ends = [](const program::Kernel& kernel, const Instruction& i) {
    return is_wall(kernel, i) || is_barrier(kernel, i);
  };
  for_each_segment(program, code, behind, ends, [&](std::uint32_t first, std::uint32_t end, const LiveSet& live) {
    LiveSet before = live;
    words = std::max(words, before.words(program));
    lives.clear();
    std::uint32_t widest_here = 0, most = before.words(program);
    for (std::uint32_t n = end; n-- > first;) {
      const Instruction& i = program.instructions[n];
      before.pass(i);
      lives.push_back(before.words(program, loaded));
      most = std::max(most, before.words(program));
      if (i.operation == Operation::scratchpad_load) widest_here = std::max(widest_here, words_of_load(i));
    }
    if (widest_here != 0) with_scratchpad = std::max(with_scratchpad, most + 2 * widest_here + 1);
    words = std::max(words, before.words(program));
    if (lives.empty()) return;
    const auto half = lives.begin() + static_cast<std::ptrdiff_t>(lives.size() / 2);
    std::nth_element(lives.begin(), half, lives.end());
    words = std::max(words, *half);
  });
  return std::max(words + 4 * widest, with_scratchpad);
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
  struct Part {
    Code* code;
    LiveSet behind;
  };
  std::vector<Part> parts;
  const Liveness liveness(program);
  const auto add = [&](Code& code, std::uint32_t last_block) {
    parts.push_back({&code, live_behind(program, liveness, last_block)});
  };
  const auto last_of = [](const Path& path, std::size_t block) {
    return path.hammocks.empty() ? static_cast<std::uint32_t>(block) : path.hammocks.back().join;
  };
  for (std::size_t b = 0; b < program.blocks.size(); ++b) add(program.blocks[b], static_cast<std::uint32_t>(b));
  for (std::size_t b = 0; b < program.unrolled.size(); ++b)
    for (Path& path : program.unrolled[b]) add(path.code, last_of(path, b));
  for (std::size_t b = 0; b < program.predicated.size(); ++b)
    if (Path& path = program.predicated[b]; path.code.executions != 0) add(path.code, last_of(path, b));

  std::uint32_t room = 0;
  for (const Part& part : parts) room = std::max(room, least_room(program, *part.code, part.behind));
  const std::vector<Instruction> unordered = program.instructions;
  std::uint32_t most = 0;
  room = room_for(room);
  for (const Part& part : parts) most = std::max(most, schedule(program, *part.code, part.behind, room));
  if (most > room) {  // The code needs more than lives across it.
    program.instructions = unordered;
    room = room_for(most);
    for (const Part& part : parts) schedule(program, *part.code, part.behind, room);
  }
  for (const Part& part : parts) note_order(program, *part.code);
}

}  // namespace lockstep::machine
