#include "models/hash_search/row_climb.hpp"

#include "isa/random.hpp"

namespace lockstep::hash {

namespace {

/// Counts what is tried; one evaluation looks at no more requests than it takes to see that the cost is not below the
/// limit, but counts as if it looked at all, so that the work stays below what was allowed.
class Trials {
 public:
  Trials(const Objective& objective, std::uint32_t word_bits, Effort& effort)
      : objective_(objective), word_bits_(word_bits), effort_(effort) {}

  std::uint64_t cost(const LinearHash& hash, std::uint64_t limit) {
    ++tried_;
    effort_.spend(objective_.requests() / 2 + 1);
    return objective_.cost(make_address_map(hash, word_bits_), limit);
  }
  std::uint64_t tried() const { return tried_; }

 private:
  const Objective& objective_;
  std::uint32_t word_bits_;
  Effort& effort_;
  std::uint64_t tried_ = 0;
};

/// The best single step from `now`, taken; false when there is none.
bool step(LinearHash& now, std::uint64_t& cost, const std::vector<std::uint64_t>& candidates, RowMove move,
          std::uint64_t enough, Trials& trials, Effort& effort) {
  LinearHash best = now, next = now;
  std::uint64_t best_cost = cost;
  for (std::size_t row = 0; row < now.rows.size(); ++row) {
    for (const std::uint64_t candidate : candidates) {
      if (effort.over()) break;
      next.rows[row] = move == RowMove::replace ? candidate : now.rows[row] ^ candidate;
      if (next.rows[row] == now.rows[row] || !next.reaches_all()) continue;
      const std::uint64_t own = trials.cost(next, best_cost);
      if (own >= best_cost) continue;
      best_cost = own;
      best = next;
      if (best_cost <= enough) break;
    }
    next.rows[row] = now.rows[row];
    if (best_cost <= enough) break;
  }
  if (best_cost >= cost) return false;
  now = best;
  cost = best_cost;
  return true;
}

}  // namespace

RowClimb climb_rows(const Objective& objective, const LinearHash& start, const std::vector<std::uint64_t>& candidates,
                    RowMove move, std::uint32_t word_bits, std::uint32_t beginnings, Effort& effort,
                    std::uint64_t seed) {
  Random random(seed);
  Trials trials(objective, word_bits, effort);
  const std::uint64_t enough = objective.least();
  RowClimb best{start, trials.cost(start, Objective::no_limit), 0};
  LinearHash now = best.hash;
  std::uint64_t cost = best.cost;
  for (std::uint32_t begun = 1; best.cost > enough && !effort.over(); ++begun) {
    while (cost > enough && step(now, cost, candidates, move, enough, trials, effort)) continue;
    if (cost < best.cost) best = {now, cost, 0};
    if (begun >= beginnings) break;
    do {
      for (std::uint64_t& row : now.rows) row = candidates[random.below(candidates.size())];
    } while (!now.reaches_all());
    cost = trials.cost(now, Objective::no_limit);
  }
  best.tried = trials.tried();
  return best;
}

}  // namespace lockstep::hash
