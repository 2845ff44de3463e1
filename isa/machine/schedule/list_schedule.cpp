#include "isa/machine/schedule/list_schedule.hpp"

#include <algorithm>
#include <array>
#include <map>

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
    case Operation::tensor:
    case Operation::tensor_short:
    case Operation::tensor_double: return 24;
    case Operation::double_precision: return 8;
    default: return 4;
  }
}

/// The same of a result that `reader` reads from `reg`: the predicate of a guard or a vote is there later than other results.
std::uint32_t awaited(const Instruction& writer, const Instruction& reader, std::uint16_t reg) {
  constexpr std::uint32_t late =
      13;  // Stall counts of ptxas 13.0 for sm_90 between FSETP and what its predicate guards.
  const bool vote = reader.late_predicates && writer.operation == Operation::compare;
  return std::max(expected_latency(writer), reader.guard == reg || vote ? late : 0);
}

bool reads_far_memory(const Instruction& i) {
  return i.operation == Operation::global_load || i.operation == Operation::global_atomic ||
         i.operation == Operation::texture_load;
}

/// Instructions that keep each other from issuing, and for how many cycles: the stall counts between two of a group, in the code of
/// ptxas 13.0 for sm_90.
struct Group {
  std::uint8_t number, interval;
};
constexpr std::size_t groups = 7;
Group group_of(Operation operation) {
  switch (operation) {
    case Operation::integer:
    case Operation::shift:
    case Operation::compare:
    case Operation::min_max: return {0, 2};
    case Operation::integer_multiply:
    case Operation::wide_multiply: return {1, 2};
    case Operation::double_precision: return {2, 2};
    case Operation::bit_count:
    case Operation::bit_find:
    case Operation::conversion:
    case Operation::special_function: return {3, 8};
    case Operation::exchange:
    case Operation::scratchpad_load:
    case Operation::scratchpad_store:
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction:
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction: return {4, 4};
    case Operation::constant_load: return {5, 8};
    default: return {6, 1};
  }
}

}  // namespace

Segment::Segment(const Program& program, std::span<Instruction> code, std::span<const std::uint8_t> kills,
                 LiveSet behind, bool of_rounds)
    : program_(program),
      code_(code),
      kills_(kills),
      behind_(std::move(behind)),
      of_rounds_(of_rounds),
      nodes_(code.size()) {
  connect();
  find_values();
  rank();
  count_loads();
}

std::uint32_t Segment::wanted_words() const {
  constexpr std::uint32_t most_ahead = 2;
  std::uint32_t loads = 0, widest = 0;
  for (const Instruction& i : code_) {
    if (i.operation != Operation::scratchpad_load) continue;
    ++loads;
    widest = std::max(widest, words_of_load(i));
  }
  return least_words_ + (loads == 0 ? 0 : std::min(loads - 1, most_ahead) * widest);
}

void Segment::schedule(std::uint32_t room) {
  std::vector<Instruction> scheduled;
  scheduled.reserve(code_.size());
  for (const std::uint32_t n : list(room)) scheduled.push_back(code_[n]);
  std::copy(scheduled.begin(), scheduled.end(), code_.begin());
}

void Segment::edge(std::uint32_t from, std::uint32_t to, std::uint32_t latency) {
  nodes_[from].after.push_back({to, latency});
  nodes_[to].before.push_back(from);
}

void Segment::connect() {
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
      if (use.writer >= 0) edge(static_cast<std::uint32_t>(use.writer), n, awaited(code_[use.writer], i, i.sources[s]));
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

void Segment::find_values() {
  LiveSet live = behind_;
  for (std::size_t n = code_.size(); n-- > 0;) live.pass(code_[n], kills_[n] != 0);
  words_before_ = live.words(program_);
  std::map<std::uint16_t, std::uint32_t> held;  // The value in each register.
  const auto value_in = [&](std::uint16_t reg) {
    const auto [at, is_new] = held.emplace(reg, static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.push_back({words_of(program_, reg), false, {}});
    return at->second;
  };
  for (std::uint32_t n = 0; n < code_.size(); ++n) {
    const Instruction& i = code_[n];
    Node& node = nodes_[n];
    for (unsigned s = 0; s < i.source_count; ++s) {
      const std::uint32_t value = value_in(i.sources[s]);
      if (std::find(node.reads.begin(), node.reads.end(), value) != node.reads.end()) continue;
      node.reads.push_back(value);
      values_[value].readers.push_back(n);
    }
    const bool loads = i.operation == Operation::global_load || i.operation == Operation::scratchpad_load;
    for (unsigned d = 0; d < i.destination_count; ++d) {
      const std::uint16_t reg = i.destinations[d];
      if (kills_[n] == 0 && (held.contains(reg) || live.has(reg))) continue;
      if (loads && !node.begins.empty()) {
        held[reg] = node.begins[0];
        values_[node.begins[0]].words += words_of(program_, reg);
      } else {
        held.erase(reg);
        node.begins.push_back(value_in(reg));
      }
    }
  }
  for (const auto& [reg, value] : held) values_[value].stays = values_[value].stays || behind_.has(reg);
  for (Node& node : nodes_)
    for (const std::uint32_t v : node.begins)
      if (values_[v].stays || !values_[v].readers.empty()) node.made += values_[v].words;
}

/// The order of ranks is the program's, or one in which each result stands behind all that it needs, of its operands first the one
/// that takes most registers (R. Sethi and J. D. Ullman, "The generation of optimal code for arithmetic expressions", 1970), or
/// the program's with what only takes registers where it is needed: whichever needs fewest.
void Segment::rank() {
  const auto count = static_cast<std::uint32_t>(code_.size());
  Order program(count);
  std::vector<std::uint32_t> need(count);  // Words for the computation of a node.
  for (std::uint32_t n = 0; n < count; ++n) {
    program[n] = n;
    auto& before = nodes_[n].before;
    std::sort(before.begin(), before.end(),
              [&](std::uint32_t a, std::uint32_t b) { return need[a] != need[b] ? need[a] > need[b] : a < b; });
    need[n] = nodes_[n].made;
    std::uint32_t held = 0;
    for (const std::uint32_t p : before) {
      need[n] = std::max(need[n], held + need[p]);
      held += nodes_[p].made;
    }
  }
  least_words_ = note_live_words(program);
  std::vector<bool> frees(count);
  for (std::uint32_t n = 0; n < count; ++n) frees[n] = live_words_[n] <= (n == 0 ? words_before_ : live_words_[n - 1]);
  order_ = std::move(program);
  for (Order& other : std::array<Order, 2>{order_by_need([&](std::uint32_t n) { return frees[n]; }),
                                           order_by_need([](std::uint32_t) { return false; })}) {
    const std::uint32_t words = note_live_words(other);
    if (words >= least_words_) continue;
    least_words_ = words;
    order_ = std::move(other);
  }
  note_live_words(order_);
  for (std::uint32_t r = 0; r < count; ++r) nodes_[order_[r]].rank = r;
}

void Segment::count_loads() {
  for (std::size_t n = code_.size(); n-- > 0;) {
    for (const Edge& e : nodes_[n].after) nodes_[n].loads = std::max(nodes_[n].loads, nodes_[e.to].loads);
    nodes_[n].loads += reads_far_memory(code_[n]) ? 1 : 0;
  }
}

template <class InPlace>
Segment::Order Segment::order_by_need(InPlace&& in_place) const {
  Order order;
  std::vector<bool> seen(code_.size());
  struct Open {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<Open> open;
  const auto visit = [&](std::uint32_t n) {
    if (seen[n]) return;
    seen[n] = true;
    open.push_back({n, 0});
  };
  for (std::uint32_t root = 0; root < code_.size(); ++root) {
    if (nodes_[root].after.empty() || in_place(root)) visit(root);
    while (!open.empty()) {
      const std::uint32_t n = open.back().node;
      if (open.back().next < nodes_[n].before.size()) {
        visit(nodes_[n].before[open.back().next++]);
      } else {
        order.push_back(n);
        open.pop_back();
      }
    }
  }
  return order;
}

std::uint32_t Segment::note_live_words(const Order& order) {
  std::vector<std::size_t> unread(values_.size());
  for (std::size_t v = 0; v < values_.size(); ++v) unread[v] = values_[v].readers.size();
  std::uint32_t words = words_before_, most = words;
  live_words_.clear();
  for (const std::uint32_t n : order) {
    words += nodes_[n].made;
    for (const std::uint32_t v : nodes_[n].reads)
      if (--unread[v] == 0 && !values_[v].stays) words -= values_[v].words;
    most = std::max(most, words);
    live_words_.push_back(words);
  }
  return most;
}

std::optional<std::uint32_t> Segment::other_reader(Value& value, std::uint32_t n, std::uint32_t first) {
  auto& readers = value.readers;
  while (nodes_[readers.back()].scheduled) readers.pop_back();  // n is not.
  if (readers.back() != n) return std::nullopt;
  for (; readers.size() > 1 && nodes_[readers[readers.size() - 2]].scheduled; readers.pop_back())
    readers[readers.size() - 2] = n;
  return readers.size() > 1 ? nodes_[readers[readers.size() - 2]].rank : first;
}

void Segment::advance(std::uint32_t n, std::uint32_t first, std::int64_t sign) {
  const std::uint32_t rank = nodes_[n].rank;
  live_.add(first, rank, sign * nodes_[n].made);
  for (const std::uint32_t v : nodes_[n].reads)
    if (!values_[v].stays)
      if (const auto last = other_reader(values_[v], n, first)) live_.add(*last, rank, -sign * values_[v].words);
}

bool Segment::frees(std::uint32_t n, std::uint32_t first) {
  return std::any_of(nodes_[n].reads.begin(), nodes_[n].reads.end(),
                     [&](std::uint32_t v) { return !values_[v].stays && other_reader(values_[v], n, first); });
}

bool Segment::keeps_an_index(std::uint32_t n) const {
  const Node& node = nodes_[n];
  switch (code_[n].operation) {
    case Operation::integer:
    case Operation::integer_multiply:
    case Operation::shift:
      if (node.loads == 0 && std::none_of(node.after.begin(), node.after.end(), [&](const Edge& e) {
            return code_[e.to].operation == Operation::wide_multiply;
          }))
        return false;
      break;
    case Operation::wide_multiply:
      if (node.loads != 0) return false;
      break;
    default: return false;
  }
  std::uint32_t freed = 0;
  for (const std::uint32_t v : node.reads) {
    const auto& readers = values_[v].readers;
    if (!values_[v].stays && std::none_of(readers.begin(), readers.end(),
                                          [&](std::uint32_t other) { return other != n && !nodes_[other].scheduled; }))
      freed += values_[v].words;
  }
  return node.made > freed;
}

bool Segment::fits(std::uint32_t n, std::uint32_t first, std::uint32_t room) {
  if (nodes_[n].rank == first) return true;
  constexpr std::uint32_t left_for_loads = 9;
  if (of_rounds_ && keeps_an_index(n)) room -= std::min(room, left_for_loads);
  advance(n, first, 1);
  const bool fit = live_.largest(first, nodes_[n].rank) <= room;
  advance(n, first, -1);
  return fit;
}

Segment::Order Segment::list(std::uint32_t room) {
  std::vector<std::uint32_t> ready;
  Order order;
  std::array<std::uint32_t, groups> next_of_group{};  // Cycle.
  for (std::uint32_t n = 0; n < code_.size(); ++n) {
    nodes_[n].awaited = static_cast<std::uint32_t>(nodes_[n].before.size());
    if (nodes_[n].awaited == 0) ready.push_back(n);
  }
  live_ = RangeMaximum(live_words_);
  for (Value& value : values_)
    std::sort(value.readers.begin(), value.readers.end(),
              [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].rank < nodes_[b].rank; });
  std::uint32_t first = 0;  // The lowest rank that is not scheduled. It is ready.
  for (std::uint32_t now = 0; !ready.empty(); ++now) {
    const auto at = [&](std::uint32_t n) {
      return std::max({now, nodes_[n].earliest, next_of_group[group_of(code_[n].operation).number]});
    };
    const auto better = [&](std::uint32_t a, std::uint32_t b) {
      if (at(a) != at(b)) return at(a) < at(b);
      if (nodes_[a].loads != nodes_[b].loads) return nodes_[a].loads > nodes_[b].loads;
      return nodes_[a].rank < nodes_[b].rank;
    };
    std::size_t best = static_cast<std::size_t>(std::min_element(ready.begin(), ready.end(), better) - ready.begin());
    if (!fits(ready[best], first, room)) {
      best = ready.size();
      // Frees nothing, and does not fit: nor does what frees nothing either, makes as much and has a higher rank.
      std::optional<std::uint32_t> refused;
      for (std::size_t r = 0; r < ready.size(); ++r) {
        const std::uint32_t n = ready[r];
        if (best != ready.size() && !better(n, ready[best])) continue;
        const bool adds = nodes_[n].rank != first && !frees(n, first);
        if (adds && refused && nodes_[n].rank >= nodes_[*refused].rank && nodes_[n].made >= nodes_[*refused].made)
          continue;
        if (fits(n, first, room)) {
          best = r;
        } else if (adds && (!refused || nodes_[n].rank < nodes_[*refused].rank)) {
          refused = n;
        }
      }
    }
    const std::uint32_t n = ready[best];
    ready[best] = ready.back();
    ready.pop_back();
    now = at(n);
    const Group group = group_of(code_[n].operation);
    next_of_group[group.number] = now + group.interval;
    order.push_back(n);
    advance(n, first, 1);
    nodes_[n].scheduled = true;
    while (first < order_.size() && nodes_[order_[first]].scheduled) ++first;
    for (const Edge& e : nodes_[n].after) {
      nodes_[e.to].earliest = std::max(nodes_[e.to].earliest, now + e.latency);
      if (--nodes_[e.to].awaited == 0) ready.push_back(e.to);
    }
  }
  return order;
}

}  // namespace lockstep::machine
