#include "models/rgpu/problem.hpp"

#include <algorithm>

namespace lockstep::rgpu {
namespace {

void keep_once(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

std::uint32_t period_of(const Problem& problem) {
  const std::uint32_t slots = problem.slots;
  for (std::uint32_t turn = 1; turn < slots; ++turn) {
    if (slots % turn) continue;
    bool same = true;
    for (std::uint32_t slot = 0; same && slot < slots; ++slot) {
      same = problem.units_at[slot] == problem.units_at[(slot + turn) % slots];
    }
    if (same) return turn;
  }
  return slots;
}

void count_needs(Problem& problem) {
  problem.cores_needed = problem.memory_needed = 0;
  for (const Problem::Item& item : problem.items) ++(item.memory ? problem.memory_needed : problem.cores_needed);
}

}  // namespace

Problem make_problem(const dataflow::Graph& graph, const Spec& spec) {
  Problem problem;
  problem.copies = graph.copies;
  problem.items.resize(graph.nodes.size());
  for (std::uint32_t node = 0; node < problem.size(); ++node) {
    Problem::Item& item = problem.items[node];
    item.memory = dataflow::facts(graph.nodes[node].op).unit == dataflow::UnitClass::load_store;
    for (const dataflow::Operand& operand : graph.nodes[node].operands) {
      if (operand.kind != dataflow::Operand::Kind::edge || operand.source == node) continue;
      item.sources.push_back(operand.source);
      problem.items[operand.source].receivers.push_back(node);
    }
  }
  for (Problem::Item& item : problem.items) {
    keep_once(item.sources);
    keep_once(item.receivers);
  }
  problem.slots = spec.cores;
  problem.units_at.assign(spec.cores, 0);
  for (std::uint32_t unit = 0; spec.cores && unit < spec.load_store_units; ++unit) {
    ++problem.units_at[slot_of_unit(unit, spec.load_store_units, spec.cores)];
  }
  count_needs(problem);
  problem.period = period_of(problem);
  return problem;
}

Problem one_copy(const Problem& problem) {
  Problem single = problem;
  single.items.resize(problem.size() / problem.copies);
  single.copies = 1;
  count_needs(single);
  return single;
}

Placement place_anywhere(const Problem& problem) {
  Placement placement(problem.size());
  std::vector<std::uint32_t> units = problem.units_at;
  std::uint32_t core = 0, slot = 0;
  for (std::uint32_t item = 0; item < problem.size(); ++item) {
    if (!problem.items[item].memory) {
      placement[item] = core++;
      continue;
    }
    while (!units[slot]) ++slot;
    --units[slot];
    placement[item] = slot;
  }
  return placement;
}

std::vector<Arc> arcs(const Problem& problem, const Placement& placement) {
  std::vector<Arc> all;
  for (std::uint32_t item = 0; item < problem.size(); ++item) {
    if (!problem.items[item].sends()) continue;
    const std::uint32_t first = problem.writes_at(item, placement[item]);
    std::uint32_t farthest = 0;
    for (const std::uint32_t receiver : problem.items[item].receivers) {
      farthest = std::max(farthest, problem.distance(first, placement[receiver]));
    }
    all.push_back({item, first, farthest + 1});
  }
  return all;
}

std::vector<std::uint32_t> loads(const Problem& problem, const std::vector<Arc>& arcs) {
  std::vector<std::uint32_t> counts(problem.slots, 0);
  for (const Arc& arc : arcs) {
    for (std::uint32_t i = 0, slot = arc.first; i < arc.slots; ++i) {
      ++counts[slot];
      slot = slot + 1 == problem.slots ? 0 : slot + 1;
    }
  }
  return counts;
}

std::uint32_t span(const Problem& problem, const Placement& placement, const std::vector<Arc>& arcs) {
  std::vector<std::uint32_t> counts = loads(problem, arcs);
  for (const std::uint32_t slot : placement) ++counts[slot];
  std::uint32_t gap = 0, longest = 0;  // Of slots without anything.
  for (std::uint32_t i = 0; i < 2 * problem.slots; ++i) {
    gap = counts[i % problem.slots] ? 0 : gap + 1;
    longest = std::max(longest, gap);
  }
  return problem.slots - std::min(longest, problem.slots);
}

}  // namespace lockstep::rgpu
