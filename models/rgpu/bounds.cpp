#include "models/rgpu/bounds.hpp"

#include <algorithm>

namespace lockstep::rgpu {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// The items of a shortest cycle of values that are not `used`; empty when there is none.
std::vector<std::uint32_t> shortest_cycle(const Problem& problem, const std::vector<bool>& used) {
  std::vector<std::uint32_t> best;
  for (std::uint32_t start = 0; start < problem.size(); ++start) {
    if (used[start]) continue;
    std::vector<std::uint32_t> from(problem.size(), none), queue{start};
    for (std::size_t head = 0; head < queue.size() && from[start] == none; ++head) {
      if (used[queue[head]]) continue;
      for (const std::uint32_t receiver : problem.items[queue[head]].receivers) {
        if (from[receiver] != none) continue;
        from[receiver] = queue[head];
        if (receiver == start) break;
        queue.push_back(receiver);
      }
    }
    if (from[start] == none) continue;
    std::vector<std::uint32_t> cycle;
    for (std::uint32_t item = from[start];; item = from[item]) {
      cycle.push_back(item);
      if (item == start) break;
    }
    if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
  }
  return best;
}

/// A number of cycles without a common value, none of them with a `used` one.
std::uint32_t separate_cycles(const Problem& problem, std::vector<bool> used) {
  for (std::uint32_t number = 0;; ++number) {
    const std::vector<std::uint32_t> cycle = shortest_cycle(problem, used);
    if (cycle.empty()) return number;
    for (const std::uint32_t item : cycle) used[item] = true;
  }
}

}  // namespace

bool acyclic_without(const Problem& problem, const std::vector<std::uint32_t>& cut) {
  std::vector<bool> cuts(problem.size());
  for (const std::uint32_t item : cut) cuts[item] = true;
  std::vector<std::uint32_t> waits(problem.size(), 0), ready;
  for (std::uint32_t item = 0; item < problem.size(); ++item) {
    for (const std::uint32_t source : problem.items[item].sources) waits[item] += !cuts[source];
    if (!waits[item]) ready.push_back(item);
  }
  for (std::size_t head = 0; head < ready.size(); ++head) {
    if (cuts[ready[head]]) continue;
    for (const std::uint32_t receiver : problem.items[ready[head]].receivers) {
      if (--waits[receiver] == 0) ready.push_back(receiver);
    }
  }
  return ready.size() == problem.size();
}

std::uint32_t least_lanes(const Problem& problem) {
  const bool cyclic = !acyclic_without(problem, {});
  std::uint32_t most = 0;
  const auto at_slot_of = [&](const std::vector<std::uint32_t>& values) {
    std::vector<bool> here(problem.size());
    for (const std::uint32_t value : values) here[value] = true;
    most = std::max(most, static_cast<std::uint32_t>(values.size()) + (cyclic ? separate_cycles(problem, here) : 0));
  };
  for (std::uint32_t item = 0; item < problem.size(); ++item) {
    std::vector<std::uint32_t> values = problem.items[item].sources;
    if (problem.items[item].sends()) {
      if (!problem.items[item].memory) at_slot_of({item});
      if (problem.items[item].memory) values.push_back(item);
    }
    at_slot_of(values);
  }
  return most;
}

std::uint32_t least_span(const Problem& problem) {
  std::uint32_t least = problem.slots;
  if (problem.items.empty()) return 0;
  if (!acyclic_without(problem, {})) return problem.slots;
  // A core that sends is not at the last slot.
  const auto sending = static_cast<std::uint32_t>(std::count_if(
      problem.items.begin(), problem.items.end(), [](const auto& item) { return !item.memory && item.sends(); }));
  const std::uint32_t enough = std::max(problem.cores_needed, sending ? sending + 1 : 0);
  for (std::uint32_t first = 0; first < problem.slots; ++first) {
    std::uint32_t cores = 0, units = 0;
    for (std::uint32_t length = 1; length <= least; ++length) {
      const std::uint32_t slot = (first + length - 1) % problem.slots;
      ++cores;
      units += problem.units_at[slot];
      if (cores >= enough && units >= problem.memory_needed) {
        least = length;
        break;
      }
    }
  }
  return least;
}

}  // namespace lockstep::rgpu
