#include "sim/explain/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "sim/explain/output.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::explain {

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t statistic(const Side& side, std::string_view name) {
  const auto& all = stats::statistics();
  for (std::size_t n = 0; n < all.size() && n < side.result.statistics.size(); ++n)
    if (all[n].name == name) return side.result.statistics[n];
  return 0;
}

std::vector<std::uint64_t> slots_of(const Side& side) {
  std::vector<std::uint64_t> slots;
  for (std::size_t n = 0; n < gpu::slot_count; ++n)
    slots.push_back(statistic(side, fmt::format("sm.issue.{}", gpu::name_of(static_cast<gpu::Slot>(n)))));
  return slots;
}

void sort_by_change(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& x, const Part& y) { return std::abs(x.change()) > std::abs(y.change()); });
}

/// Lines under the names by which they are matched.
using Shares = std::map<std::string, LineShare>;

/// Kernels have the same names on both sides where versions differ by arguments or machine alone.
bool same_kernels(const Side& a, const Side& b) {
  const auto kernels = [](const Side& side) {
    std::set<std::string> names;
    for (const LineShare& line : side.lines) names.insert(line.kernel);
    return names;
  };
  return kernels(a) == kernels(b);
}

/// Place and text of a line.
std::string identity_of(const LineShare& line, bool by_kernel) {
  return fmt::format("{}\n{}\n{}", by_kernel ? line.kernel : "", line.place, line.source);
}

void add(Shares& shares, const std::string& key, const LineShare& line) {
  const auto [found, is_new] = shares.try_emplace(key, line);
  if (is_new) return;
  found->second.slots += line.slots;
  for (const auto& [slot, count] : line.reasons) {
    const auto known = std::find_if(found->second.reasons.begin(), found->second.reasons.end(),
                                    [wanted = slot](const auto& one) { return one.first == wanted; });
    if (known == found->second.reasons.end()) {
      found->second.reasons.emplace_back(slot, count);
    } else {
      known->second += count;
    }
  }
}

/// Lines with the same place and text on both sides are the same. Of the others the first ones with one text are, the
/// second ones, and so on: line numbers differ among versions of a kernel.
Shares shares_of(const Side& side, const Side& other, bool by_kernel) {
  std::set<std::string> there;
  for (const LineShare& line : other.lines) there.insert(identity_of(line, by_kernel));
  std::vector<const LineShare*> in_order;
  for (const LineShare& line : side.lines) in_order.push_back(&line);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const LineShare* x, const LineShare* y) { return x->number < y->number; });
  Shares shares;
  std::map<std::string, std::map<std::string, std::size_t>> seen;  // By text, the places with it, numbered.
  for (const LineShare* line : in_order) {
    const std::string identity = identity_of(*line, by_kernel);
    if (line->source.empty() || there.contains(identity)) {
      add(shares, identity, *line);
      continue;
    }
    const std::string text = (by_kernel ? line->kernel : "") + "\n" + line->source;
    auto& places = seen[text];
    const std::size_t number = places.try_emplace(line->place, places.size()).first->second;
    add(shares, fmt::format("{}\n{}", text, number), *line);
  }
  return shares;
}

/// Of a line on both sides, in the unit of the wholes per slot: the reason that changes most.
std::string main_reason(const LineShare* a, const LineShare* b, double a_per_slot, double b_per_slot) {
  std::array<double, gpu::slot_count> change{};
  const auto add = [&change](const LineShare* line, double per_slot) {
    if (line == nullptr) return;
    std::uint64_t lost = 0;
    for (const auto& [slot, count] : line->reasons) {
      change[static_cast<std::size_t>(slot)] += per_slot * static_cast<double>(count);
      lost += count;
    }
    change[0] += per_slot * static_cast<double>(line->slots - lost);
  };
  add(a, -a_per_slot);
  add(b, b_per_slot);
  const auto most =
      std::max_element(change.begin(), change.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
  return *most == 0 ? "" : std::string(gpu::name_of(static_cast<gpu::Slot>(most - change.begin())));
}

std::vector<Part> parts_of_lines(const Side& a, const Side& b, const Part& whole) {
  const bool by_kernel = same_kernels(a, b);
  const Shares of_a = shares_of(a, b, by_kernel), of_b = shares_of(b, a, by_kernel);
  std::set<std::string> keys;
  for (const Shares* shares : {&of_a, &of_b})
    for (const auto& [key, line] : *shares) keys.insert(key);
  const auto at = [](const Shares& shares, const std::string& key) {
    const auto found = shares.find(key);
    return found == shares.end() ? nullptr : &found->second;
  };
  std::vector<std::uint64_t> a_slots, b_slots;
  for (const std::string& key : keys) {
    const LineShare *x = at(of_a, key), *y = at(of_b, key);
    a_slots.push_back(x == nullptr ? 0 : x->slots);
    b_slots.push_back(y == nullptr ? 0 : y->slots);
  }
  const auto no_warp = static_cast<std::size_t>(gpu::Slot::no_warp);
  a_slots.push_back(slots_of(a)[no_warp]);
  b_slots.push_back(slots_of(b)[no_warp]);
  const auto per_slot = [](std::uint64_t all_cycles, const std::vector<std::uint64_t>& slots) {
    const auto all = static_cast<double>(std::accumulate(slots.begin(), slots.end(), std::uint64_t{0}));
    return all == 0 ? 0 : static_cast<double>(all_cycles) / all;
  };
  const double a_per_slot = per_slot(whole.a, a_slots), b_per_slot = per_slot(whole.b, b_slots);
  const std::vector<std::uint64_t> a_parts = apportioned(whole.a, a_slots), b_parts = apportioned(whole.b, b_slots);
  std::vector<Part> parts;
  std::size_t n = 0;
  for (const std::string& key : keys) {
    const LineShare *x = at(of_a, key), *y = at(of_b, key);
    const LineShare& shown = y != nullptr ? *y : *x;
    std::string name = shown.place;
    if (x != nullptr && y != nullptr && x->place != y->place) name = fmt::format("{} / {}", x->place, y->place);
    if (!shown.source.empty()) name += "  " + shown.source;
    parts.push_back({name, main_reason(x, y, a_per_slot, b_per_slot), a_parts[n], b_parts[n]});
    ++n;
  }
  parts.push_back({"no warp", std::string(gpu::name_of(gpu::Slot::no_warp)), a_parts[n], b_parts[n]});
  std::erase_if(parts, [](const Part& part) { return part.a == 0 && part.b == 0; });
  sort_by_change(parts);
  return parts;
}

std::vector<Part> counters_that_differ(const Side& a, const Side& b) {
  const auto& all = stats::statistics();
  std::vector<Part> parts;
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (all[n].name.starts_with("sm.issue.") || n >= a.result.statistics.size() || n >= b.result.statistics.size())
      continue;
    if (a.result.statistics[n] != b.result.statistics[n])
      parts.push_back({all[n].name, all[n].unit, a.result.statistics[n], b.result.statistics[n]});
  }
  const double instructions = static_cast<double>(std::max(a.result.warp_instructions, b.result.warp_instructions));
  const auto weight = [&](const Part& part) {
    const auto larger = static_cast<double>(std::max(part.a, part.b));
    const double relative = static_cast<double>(std::abs(part.change())) / larger;
    return std::pair(100 * larger >= instructions, relative);
  };
  std::stable_sort(parts.begin(), parts.end(), [&](const Part& x, const Part& y) { return weight(x) > weight(y); });
  return parts;
}

}  // namespace

Side side_of(const std::string& name, const Explanation& explanation, SourceFiles& sources) {
  Side side{name, experiment::summarize(explanation.spec, explanation.workload, explanation.result, 0), {}};
  for (const LineCosts& line : explanation.lines)
    side.lines.push_back({place_of(line), sources.line(line.file, line.number),
                          explanation.header.kernels[line.kernel].name, line.number, line.slots(), line.reasons()});
  return side;
}

std::vector<std::uint64_t> apportioned(std::uint64_t whole, const std::vector<std::uint64_t>& weights) {
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<std::uint64_t> parts(weights.size(), 0);
  if (sum == 0) return parts;
  std::vector<std::pair<std::uint64_t, std::size_t>> remainders;
  std::uint64_t given = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const auto product = static_cast<Wide>(whole) * weights[n];
    parts[n] = static_cast<std::uint64_t>(product / sum);
    remainders.emplace_back(static_cast<std::uint64_t>(product % sum), n);
    given += parts[n];
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  for (std::size_t n = 0; given < whole; ++n, ++given) ++parts[remainders[n].second];
  return parts;
}

Difference difference(const Side& a, const Side& b) {
  Difference all;
  const auto clock = [](const Side& side) {
    return side.result.time_ms == 0 ? 0 : static_cast<double>(side.result.cycles) / side.result.time_ms;
  };
  const bool same_clock = std::abs(clock(a) - clock(b)) <= 1e-6 * std::max(clock(a), clock(b));
  if (!same_clock) all.unit = "ns";
  const auto whole = [&](const Side& side) {
    return same_clock ? side.result.cycles : static_cast<std::uint64_t>(std::llround(side.result.time_ms * 1e6));
  };
  all.whole = {"all", "", whole(a), whole(b)};
  const std::vector<std::uint64_t> a_parts = apportioned(all.whole.a, slots_of(a)),
                                   b_parts = apportioned(all.whole.b, slots_of(b));
  for (std::size_t n = 0; n < gpu::slot_count; ++n) {
    if (a_parts[n] == 0 && b_parts[n] == 0) continue;
    all.reasons.push_back(
        {std::string(gpu::slot_texts[n].name), std::string(gpu::slot_texts[n].text), a_parts[n], b_parts[n]});
  }
  sort_by_change(all.reasons);
  if (!a.lines.empty() && !b.lines.empty()) all.lines = parts_of_lines(a, b, all.whole);
  all.counters = counters_that_differ(a, b);
  return all;
}

}  // namespace lockstep::explain
