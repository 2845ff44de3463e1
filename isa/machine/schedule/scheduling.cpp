#include "isa/machine/schedule/scheduling.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "isa/machine/schedule/ordering.hpp"

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
    case Operation::double_precision: return 8;
    default: return 4;
  }
}

/// Straight code without walls.
class Segment {
 public:
  explicit Segment(std::span<Instruction> code) : code_(code), nodes_(code.size()) {}

  void schedule() {
    connect();
    rank();
    const std::vector<std::uint32_t> order = list();
    std::vector<Instruction> scheduled;
    scheduled.reserve(order.size());
    for (const std::uint32_t n : order) scheduled.push_back(code_[n]);
    std::copy(scheduled.begin(), scheduled.end(), code_.begin());
  }

 private:
  struct Edge {
    std::uint32_t to, latency;
  };
  struct Node {
    std::vector<Edge> after;
    std::uint32_t before = 0;    ///< Predecessors that are not scheduled yet.
    std::uint32_t height = 0;    ///< Cycles from its issue to the end of the code.
    std::uint32_t earliest = 0;  ///< Cycle at which its operands are there.
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
    std::vector<std::uint32_t> memory;
    for (std::uint32_t n = 0; n < code_.size(); ++n) {
      const Instruction& i = code_[n];
      for (unsigned s = 0; s < i.source_count; ++s) {
        Use& use = registers[i.sources[s]];
        if (use.writer >= 0) edge(static_cast<std::uint32_t>(use.writer), n, expected_latency(code_[use.writer]));
        use.readers.push_back(n);
      }
      for (unsigned d = 0; d < i.destination_count; ++d) {
        Use& use = registers[i.destinations[d]];
        for (const std::uint32_t reader : use.readers)
          if (reader != n) edge(reader, n, 1);
        if (use.writer >= 0 && use.writer != n) edge(static_cast<std::uint32_t>(use.writer), n, 1);
        use = {n, {}};
      }
      if (!is_memory(i)) continue;
      for (const std::uint32_t m : memory)
        if (may_meet(code_[m], i)) edge(m, n, 1);
      memory.push_back(n);
    }
  }

  void rank() {
    for (std::uint32_t n = static_cast<std::uint32_t>(code_.size()); n-- > 0;) {
      nodes_[n].height = expected_latency(code_[n]);
      for (const Edge& e : nodes_[n].after)
        nodes_[n].height = std::max(nodes_[n].height, e.latency + nodes_[e.to].height);
    }
  }

  std::vector<std::uint32_t> list() {
    std::vector<std::uint32_t> ready, order;
    for (std::uint32_t n = 0; n < code_.size(); ++n)
      if (nodes_[n].before == 0) ready.push_back(n);
    for (std::uint32_t now = 0; !ready.empty();) {
      const auto better = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t at_a = std::max(now, nodes_[a].earliest), at_b = std::max(now, nodes_[b].earliest);
        if (at_a != at_b) return at_a < at_b;
        if (nodes_[a].height != nodes_[b].height) return nodes_[a].height > nodes_[b].height;
        return a < b;
      };
      const auto at = std::min_element(ready.begin(), ready.end(), better);
      const std::uint32_t n = *at;
      *at = ready.back();
      ready.pop_back();
      now = std::max(now, nodes_[n].earliest);
      order.push_back(n);
      for (const Edge& e : nodes_[n].after) {
        nodes_[e.to].earliest = std::max(nodes_[e.to].earliest, now + e.latency);
        if (--nodes_[e.to].before == 0) ready.push_back(e.to);
      }
      ++now;
    }
    return order;
  }

  std::span<Instruction> code_;
  std::vector<Node> nodes_;
};

void schedule(Program& program, Code& code) {
  std::uint32_t first = code.first;
  for (std::uint32_t n = code.first; n <= code.end; ++n) {
    if (n != code.end && !is_wall(*program.kernel, program.instructions[n])) continue;
    Segment({program.instructions.data() + first, n - first}).schedule();
    first = n + 1;
  }
  std::uint32_t entry = 0;
  for (std::uint32_t n = code.first; n < code.end; ++n)
    if (const Instruction& i = program.instructions[n]; i.takes_access && i.access_entry != entry++)
      code.reordered = true;
  if (entry != code.access_entries) code.reordered = true;  // Some are left out, the last ones.
}

}  // namespace

void schedule(Program& program) {
  for (Code& code : program.blocks) schedule(program, code);
  for (std::vector<Path>& paths : program.unrolled)
    for (Path& path : paths) schedule(program, path.code);
  for (auto& [code, hammocks] : program.predicated)
    if (code.executions != 0) schedule(program, code);
}

}  // namespace lockstep::machine
