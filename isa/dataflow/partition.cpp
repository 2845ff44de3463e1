#include "isa/dataflow/partition.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <random>

namespace lockstep::dataflow {

namespace {

/// How good an order of components is; less is better.
struct Cost {
  std::uint64_t excess = 0;  ///< Cores and units that parts need beyond the limits.
  std::uint64_t parts = 0;
  std::uint64_t transfers = 0;  ///< Loads and stores.
  friend auto operator<=>(const Cost&, const Cost&) = default;
  Cost operator+(const Cost& other) const {
    return {excess + other.excess, parts + other.parts, transfers + other.transfers};
  }
};
constexpr Cost unreachable{std::numeric_limits<std::uint64_t>::max(), 0, 0};

std::uint64_t beyond(std::uint32_t needed, std::uint32_t limit) {
  return needed > limit ? needed - limit : 0;
}

class Search {
 public:
  explicit Search(const PartitionProblem& problem)
      : problem_(problem),
        count_(static_cast<std::uint32_t>(problem.components.size())),
        component_(problem.nodes.size(), count_),
        before_(count_),
        after_(count_),
        position_(count_) {
    for (std::uint32_t c = 0; c < count_; ++c) {
      for (const std::uint32_t node : problem.components[c]) component_[node] = c;
    }
    std::uint32_t rates = 0;
    receivers_.resize(problem.nodes.size());
    for (std::uint32_t node = 0; node < problem.nodes.size(); ++node) {
      rates = std::max(rates, problem.nodes[node].rate + 1);
      for (const std::uint32_t source : problem.nodes[node].sources) {
        if (component_[source] == component_[node] || problem.nodes[source].copied) continue;
        receivers_[source].push_back(component_[node]);
        link(component_[source], component_[node]);
      }
    }
    for (const auto& [first, then] : problem.precedence) link(first, then);
    load_rates_.resize(rates);
    store_rates_.resize(rates);
    loaded_by_.assign(problem.nodes.size(), 0);
    last_.resize(problem.nodes.size());
    ending_.resize(count_);
  }

  Partition run() {
    std::vector<std::uint32_t> order(count_);
    for (std::uint32_t c = 0; c < count_; ++c) order[c] = c;
    std::vector<std::uint32_t> narrow = narrow_order();
    Cost best = cut(order);
    if (const Cost cost = cut(narrow); cost < best) {
      best = cost;
      order = std::move(narrow);
    }
    improve(order, best);
    cut(order);
    return partition_of(order);
  }

 private:
  void link(std::uint32_t from, std::uint32_t to) {
    after_[from].push_back(to);
    before_[to].push_back(from);
  }

  /// The components in an order that keeps few values in flight: always the one next that leaves the fewest.
  std::vector<std::uint32_t> narrow_order() const {
    std::vector<std::uint32_t> order, waiting(count_), left(problem_.nodes.size());
    std::vector<bool> taken(count_, false);
    for (std::uint32_t c = 0; c < count_; ++c) waiting[c] = static_cast<std::uint32_t>(before_[c].size());
    for (std::size_t node = 0; node < receivers_.size(); ++node) {
      left[node] = static_cast<std::uint32_t>(receivers_[node].size());
    }
    while (order.size() < count_) {
      std::uint32_t best = count_;
      std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
      for (std::uint32_t c = 0; c < count_; ++c) {
        if (taken[c] || waiting[c] != 0) continue;
        std::int64_t more = 0;
        for (const std::uint32_t node : problem_.components[c]) {
          if (!receivers_[node].empty()) ++more;
          for (const std::uint32_t source : problem_.nodes[node].sources) {
            if (component_[source] != c && left[source] == 1) --more;  // Copies have nothing left from the beginning.
          }
        }
        // What follows from the latest component comes first.
        if (more < fewest ||
            (more == fewest && !order.empty() && follows(order.back(), c) && !follows(order.back(), best))) {
          fewest = more;
          best = c;
        }
      }
      taken[best] = true;
      order.push_back(best);
      for (const std::uint32_t c : after_[best]) --waiting[c];
      for (const std::uint32_t node : problem_.components[best]) {
        for (const std::uint32_t source : problem_.nodes[node].sources) {
          if (component_[source] != best && !problem_.nodes[source].copied) --left[source];
        }
      }
    }
    return order;
  }
  bool follows(std::uint32_t first, std::uint32_t then) const {
    return std::find(after_[first].begin(), after_[first].end(), then) != after_[first].end();
  }

  /// Finds the best cuts of an order: cuts_[j] is where the part begins that ends before j.
  Cost cut(const std::vector<std::uint32_t>& order) {
    for (std::uint32_t i = 0; i < count_; ++i) position_[order[i]] = i;
    for (auto& ending : ending_) ending.clear();
    for (std::uint32_t node = 0; node < receivers_.size(); ++node) {
      if (problem_.nodes[node].copied) continue;
      last_[node] = position_[component_[node]];
      for (const std::uint32_t c : receivers_[node]) last_[node] = std::max(last_[node], position_[c]);
      if (!receivers_[node].empty()) ending_[last_[node]].push_back(node);
    }
    cuts_.assign(count_ + 1, 0);
    costs_.assign(count_ + 1, unreachable);
    costs_[0] = {};
    for (std::uint32_t begin = 0; begin < count_; ++begin) {
      start();
      for (std::uint32_t end = begin + 1; end <= count_; ++end) {
        add(order[end - 1], begin, end);
        const PartLimits& limits = problem_.limits;
        const Cost cost = costs_[begin] + Cost{beyond(need_.cores, limits.cores) +
                                                   beyond(need_.load_store_units, limits.load_store_units) +
                                                   beyond(need_.special_function_units, limits.special_function_units),
                                               1, need_.loads + need_.stores};
        if (cost < costs_[end]) {
          costs_[end] = cost;
          cuts_[end] = begin;
        }
        // Transfers may become fewer, the part's own nodes only more.
        if (own_cores_ > limits.cores || own_units_ > limits.load_store_units ||
            need_.special_function_units > limits.special_function_units)
          break;
      }
    }
    return costs_[count_];
  }

  void start() {
    ++stamp_;
    need_ = {};
    own_cores_ = own_units_ = 0;
    std::fill(load_rates_.begin(), load_rates_.end(), 0);
    std::fill(store_rates_.begin(), store_rates_.end(), 0);
    counters_ = 0;
  }
  /// Takes a component into the part that now is [begin, end) of the order.
  void add(std::uint32_t component, std::uint32_t begin, std::uint32_t end) {
    for (const std::uint32_t number : problem_.components[component]) {
      const PartitionProblem::Node& node = problem_.nodes[number];
      ++(node.load_store ? own_units_ : own_cores_);
      need_.special_function_units += node.special ? 1 : 0;
      for (const std::uint32_t source : node.sources) {
        const bool copied = problem_.nodes[source].copied;
        if (loaded_by_[source] == stamp_ || (!copied && position_[component_[source]] >= begin)) continue;
        loaded_by_[source] = stamp_;
        if (copied) {
          ++own_cores_;
          need_.special_function_units += problem_.nodes[source].special ? 1 : 0;
          continue;
        }
        ++need_.loads;
        if (load_rates_[problem_.nodes[source].rate]++ == 0) ++counters_;
      }
      if (last_[number] >= end) {
        ++need_.stores;
        if (store_rates_[node.rate]++ == 0) ++counters_;
      }
    }
    for (const std::uint32_t number : ending_[end - 1]) {
      const std::uint32_t at = position_[component_[number]];
      if (at < begin || at == end - 1) continue;  // Of another part, or never counted.
      --need_.stores;
      if (--store_rates_[problem_.nodes[number].rate] == 0) --counters_;
    }
    need_.cores = own_cores_ + counters_;
    need_.load_store_units = own_units_ + need_.loads + need_.stores;
  }

  /// Moves components one at a time to where nothing forbids it, and keeps what is not worse.
  void improve(std::vector<std::uint32_t>& order, Cost& best) {
    constexpr std::uint64_t work = 40'000'000;
    const std::uint64_t one = std::uint64_t{count_} * (count_ + 8) + problem_.nodes.size();
    const std::uint64_t tries = std::clamp<std::uint64_t>(work / one, 50, 3000);
    // Knuth's MMIX generator, not Random: how published graphs are cut depends on its numbers.
    std::linear_congruential_engine<std::uint64_t, 6364136223846793005u, 1442695040888963407u, 0> random(1);
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>((random() >> 33) % below); };
    for (std::uint64_t i = 0; i < tries && count_ > 1; ++i) {
      const std::uint32_t from = draw(count_), component = order[from];
      for (std::uint32_t k = 0; k < count_; ++k) position_[order[k]] = k;
      std::uint32_t low = 0, high = count_ - 1;
      for (const std::uint32_t c : before_[component]) low = std::max(low, position_[c] + 1);
      for (const std::uint32_t c : after_[component]) high = std::min(high, position_[c] - 1);
      if (low >= high) continue;
      const std::uint32_t to = low + draw(high - low + 1);
      if (to == from) continue;
      std::vector<std::uint32_t> moved = order;
      moved.erase(moved.begin() + from);
      moved.insert(moved.begin() + to, component);
      const Cost cost = cut(moved);
      if (best < cost) continue;
      best = cost;
      order = std::move(moved);
    }
  }

  /// Of the order that was cut last.
  Partition partition_of(const std::vector<std::uint32_t>& order) {
    Partition result;
    result.fits = costs_[count_].excess == 0;
    std::vector<std::uint32_t> bounds;
    for (std::uint32_t end = count_; end > 0; end = cuts_[end]) bounds.push_back(end);
    std::uint32_t begin = 0;
    for (std::size_t i = bounds.size(); i-- > 0;) {
      start();
      std::vector<std::uint32_t>& part = result.parts.emplace_back();
      for (std::uint32_t end = begin + 1; end <= bounds[i]; ++end) {
        add(order[end - 1], begin, end);
        const auto& nodes = problem_.components[order[end - 1]];
        part.insert(part.end(), nodes.begin(), nodes.end());
      }
      for (std::uint32_t node = 0; node < problem_.nodes.size(); ++node) {
        if (problem_.nodes[node].copied && loaded_by_[node] == stamp_) part.push_back(node);
      }
      std::sort(part.begin(), part.end());
      result.needs.push_back(need_);
      begin = bounds[i];
    }
    return result;
  }

  const PartitionProblem& problem_;
  std::uint32_t count_;
  std::vector<std::uint32_t> component_;                    ///< Of a node.
  std::vector<std::vector<std::uint32_t>> before_, after_;  ///< Of a component, once for each edge.
  std::vector<std::vector<std::uint32_t>> receivers_;       ///< Of a node: components that take its value, but its own.
  std::vector<std::uint32_t> position_;                     ///< Of a component.
  std::vector<std::uint32_t> last_;                         ///< Of a node: position of its last receiver, or its own.
  std::vector<std::vector<std::uint32_t>> ending_;          ///< Per position: nodes whose last receiver is there.
  std::vector<Cost> costs_;
  std::vector<std::uint32_t> cuts_;
  // The part that grows.
  PartNeed need_;
  std::uint32_t own_cores_ = 0, own_units_ = 0, counters_ = 0;
  std::uint64_t stamp_ = 0;
  /// Of a node: the part that last took its value from elsewhere, or has a copy.
  std::vector<std::uint64_t> loaded_by_;
  std::vector<std::uint32_t> load_rates_, store_rates_;
};

}  // namespace

Partition partition(const PartitionProblem& problem) {
  return Search(problem).run();
}

}  // namespace lockstep::dataflow
