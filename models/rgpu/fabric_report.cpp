// Which unit waits for what: the explanation of a deadlock.

#include <fmt/format.h>

#include <algorithm>

#include "models/rgpu/fabric.hpp"
#include "models/rgpu/fabric_state.hpp"

namespace lockstep::rgpu {

/// Whether a value is on its way and nothing keeps it from arriving.
bool Fabric::State::under_way(std::uint32_t fifo) const {
  for (std::size_t at = fifo / word_bits; at < wheel.size(); at += fifo_words)
    if ((wheel[at] & bit(fifo)) != 0) return true;
  const std::uint32_t source = fifos[fifo].source;
  if ((group(source).stalled & bit(source)) != 0) return false;
  return (source == fifos[fifo].owner ? pipelines[source].results() : pipelines[source].all) != 0;
}

std::string Fabric::State::name(std::uint32_t unit) const {
  return "'" + graph().nodes[units[unit].node].name + "'";
}

/// FIFOs for which a unit waits: receivers without room for the result that stands before them; otherwise operands without
/// a value, or receivers without room when it has all operands.
std::vector<std::uint32_t> Fabric::State::blocking(std::uint32_t index) const {
  const Unit& unit = units[index];
  std::vector<std::uint32_t> found;
  const bool stalled = (group(index).stalled & bit(index)) != 0;
  if (stalled) {
    for (std::uint32_t r = (pipelines[index].all & 1) != 0 ? unit.receivers : unit.own; r != unit.receivers_end; ++r)
      if (fifos[receivers[r]].free == 0) found.push_back(receivers[r]);
    return found;
  }
  if (unit.left == 0) return found;
  for (std::uint32_t f = unit.fifos; f != unit.fifos_end; ++f)
    if (fifos[f].arrived == 0) found.push_back(f);
  if (!found.empty()) return found;
  for (std::uint32_t r = unit.receivers; r != unit.receivers_end; ++r) {
    const Fifo& fifo = fifos[receivers[r]];
    const bool own = fifo.owner == index;
    if (fifo.free == 0 && (own ? fifo.uses_left != 1 : unit.emits)) found.push_back(receivers[r]);
  }
  return found;
}

std::string Fabric::State::waits_for(std::uint32_t index) const {
  std::vector<std::string> reasons;
  for (const std::uint32_t f : blocking(index)) {
    const Fifo& fifo = fifos[f];
    if (fifo.owner == index && fifo.arrived == 0) {
      const bool ended = units[fifo.source].left == 0 && !under_way(f);
      reasons.push_back(fmt::format("operand {} from {} is empty{}", fifo.operand, name(fifo.source),
                                    under_way(f) ? " (a value is in flight)"
                                    : ended      ? ", which has ended"
                                                 : ""));
    } else {
      reasons.push_back(fmt::format("operand {} of {} is full ({} entries){}", fifo.operand, name(fifo.owner),
                                    fifo.capacity, units[fifo.owner].left == 0 ? ", which has ended" : ""));
    }
  }
  const UnitGroup& in = group(index);
  if (reasons.empty() && (in.waiting & bit(index)) != 0)
    reasons.push_back(fmt::format("{} {:#x}", (in.locks & bit(index)) != 0 ? "lock of scratchpad word" : "memory at",
                                  memory[index - first_memory].head));
  return reasons.empty() ? "can fire" : fmt::format("waits: {}", fmt::join(reasons, "; "));
}

/// Units that wait for each other with nothing in flight between them, each with the FIFO that it waits for.
std::string Fabric::State::waiting_cycle() const {
  enum class Seen : std::uint8_t { no, open, closed };
  std::vector<Seen> seen(units.size(), Seen::no);
  struct Step {
    std::uint32_t unit = 0;
    std::vector<std::uint32_t> fifos;
    std::size_t next = 0;
  };
  for (std::uint32_t root = 0; root != units.size(); ++root) {
    if (seen[root] != Seen::no) continue;
    seen[root] = Seen::open;
    std::vector<Step> path{{root, blocking(root)}};
    while (!path.empty()) {
      Step& top = path.back();
      if (top.next == top.fifos.size()) {
        seen[top.unit] = Seen::closed;
        path.pop_back();
        continue;
      }
      const std::uint32_t f = top.fifos[top.next++];
      const Fifo& fifo = fifos[f];
      const bool empty = fifo.owner == top.unit && fifo.arrived == 0;
      if (empty && under_way(f)) continue;
      const std::uint32_t other = empty ? fifo.source : fifo.owner;
      if (seen[other] == Seen::no) {
        seen[other] = Seen::open;
        path.push_back({other, blocking(other)});
      } else if (seen[other] == Seen::open) {
        const auto from =
            std::find_if(path.begin(), path.end(), [other](const Step& step) { return step.unit == other; });
        std::string text = "a cycle of waiting:", full;
        for (auto step = from; step != path.end(); ++step) {
          const Fifo& at = fifos[step->fifos[step->next - 1]];
          const bool lacks = at.owner == step->unit && at.arrived == 0;
          text += fmt::format("\n  {} waits for {}: the FIFO of operand {} of {} can never {}", name(step->unit),
                              name(lacks ? at.source : at.owner), at.operand, name(at.owner), lacks ? "fill" : "empty");
          if (lacks || !full.empty()) continue;
          const SourceLocation& where = graph().nodes[units[at.owner].node].where;
          full =
              fmt::format("\n  it would continue with more than {} entries in the FIFO of operand {} of {}{} ({})",
                          at.capacity, at.operand, name(at.owner), where.line == 0 ? "" : ", " + to_string(where),
                          at.owner >= first_memory && at.operand == 0 ? "sm.rgpu.address_fifo" : "sm.rgpu.data_fifo");
        }
        return text + full + "\n";
      }
    }
  }
  return {};
}

std::string Fabric::describe() const {
  const State& state = *state_;
  if (!state.running) return {};
  std::string text;
  for (std::uint32_t node = 0; node != state.units.size(); ++node) {
    const std::uint32_t u = state.unit_of_node[node];
    const Unit& unit = state.units[u];
    const bool core = u < state.first_memory;
    const std::string place =
        fmt::format("{} ({} {})", state.name(u), core ? "core" : "load-store unit", state.mapping->place[node]);
    if (unit.left != 0) {
      const std::uint64_t all = state.iterations(unit);
      text += fmt::format("{}: {} of {} firings; {}\n", place, all - unit.left, all, state.waits_for(u));
    } else if ((state.group(u).stalled & state.bit(u)) != 0) {
      text += fmt::format("{}: all firings; {}\n", place, state.waits_for(u));
    } else if ((state.group(u).gathered & state.bit(u)) != 0) {
      text += fmt::format("{}: all firings; its last stores have not left\n", place);
    }
  }
  return text + state.waiting_cycle();
}

std::uint32_t Fabric::values(std::uint32_t node, std::uint32_t operand) const {
  const State& state = *state_;
  if (!state.running) return 0;
  const Unit& unit = state.units[state.unit_of_node.at(node)];
  for (std::uint32_t f = unit.fifos; f != unit.fifos_end; ++f)
    if (state.fifos[f].operand == operand) return state.fifos[f].arrived;
  const dataflow::Operand& of = state.graph().nodes[node].operands.at(operand);
  return of.kind == dataflow::Operand::Kind::ring ? of.initial : 0;
}

}  // namespace lockstep::rgpu
