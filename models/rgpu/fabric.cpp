#include "models/rgpu/fabric.hpp"

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "models/rgpu/fabric_state.hpp"

namespace lockstep::rgpu {

using dataflow::no_access;

// Whatever a cycle decides, it decides on the state before its first firing; so the order of units within a cycle has no
// effect, and room that a firing makes is seen in the next cycle.

inline void Fabric::State::arrive_at(std::uint32_t index) {
  Fifo& fifo = fifos[index];
  if (fifo.arrived++ == 0 && --units[fifo.owner].missing == 0) group(fifo.owner).empty &= ~bit(fifo.owner);
  if (fifo.scanned && to_scan(memory[fifo.owner - first_memory])) group(fifo.owner).scanning |= bit(fifo.owner);
}

void Fabric::State::arrive(Cycle now) {
  const std::uint64_t row = now & wheel_mask;
  if ((rows[row / word_bits] & bit(static_cast<std::uint32_t>(row))) == 0) return;
  rows[row / word_bits] &= ~bit(static_cast<std::uint32_t>(row));
  for (std::uint32_t word = 0; word < fifo_words; ++word) {
    Word& arrivals = wheel[row * fifo_words + word];
    for (Word rest = arrivals; rest != 0; rest &= rest - 1)
      arrive_at(word * word_bits + static_cast<std::uint32_t>(std::countr_zero(rest)));
    arrivals = 0;
  }
}

bool Fabric::State::has_room(const Unit& unit, bool all) const {
  for (std::uint32_t r = all ? unit.receivers : unit.own; r != unit.receivers_end; ++r)
    if (fifos[receivers[r]].free == 0) return false;
  return true;
}

/// A result leaves its unit, to all that get it at once.
inline void Fabric::State::deliver(std::uint32_t index, bool all, Cycle now) {
  Unit& unit = units[index];
  for (std::uint32_t r = all ? unit.receivers : unit.own; r != unit.receivers_end; ++r) {
    const std::uint32_t f = receivers[r];
    if (--fifos[f].free == 0 && r < unit.own) ++unit.full;
    if (lane_delay[f] == 0) {
      arrive_at(f);
      continue;
    }
    const std::uint64_t row = (now + lane_delay[f]) & wheel_mask;
    wheel[row * fifo_words + f / word_bits] |= bit(f);
    rows[row / word_bits] |= bit(static_cast<std::uint32_t>(row));
  }
}

/// Results move on, and leave where there is room.
void Fabric::State::leave(Cycle now) {
  const Cycle cycles = now - moved;
  moved = now;
  for (std::size_t g = 0; g != groups.size(); ++g) {
    UnitGroup& in = groups[g];
    for (Word rest = in.busy; rest != 0; rest &= rest - 1) {
      const Word self = rest & -rest;
      const auto u = static_cast<std::uint32_t>(g * word_bits) + static_cast<std::uint32_t>(std::countr_zero(rest));
      Pipeline& pipeline = pipelines[u];
      if ((in.stalled & self) == 0) {
        pipeline.all >>= cycles;
        pipeline.own >>= cycles;
      }
      if ((pipeline.results() & 1) == 0) continue;
      const bool all = (pipeline.all & 1) != 0;
      if (has_room(units[u], all)) {
        deliver(u, all, now);
        pipeline.all &= ~Word{1};
        pipeline.own &= ~Word{1};
        in.stalled &= ~self;
        if (pipeline.results() == 0) in.busy &= ~self;
      } else {
        in.stalled |= self;
      }
      in.retry &= ~self;
      set_full(u);
    }
  }
}

/// Whether a unit lacks room for its next result as things stand.
void Fabric::State::set_full(std::uint32_t index) {
  const Unit& unit = units[index];
  UnitGroup& in = group(index);
  bool full = (in.stalled & bit(index)) != 0 || (unit.emits && unit.full != 0);
  for (std::uint32_t r = unit.own; r != unit.receivers_end; ++r) {
    const Fifo& own = fifos[receivers[r]];
    full = full || (own.free == 0 && own.uses_left != 1);  // Otherwise the firing itself makes room.
  }
  in.full = full ? in.full | bit(index) : in.full & ~bit(index);
}

inline void Fabric::State::fire(std::uint32_t index) {
  Unit& unit = units[index];
  for (std::uint32_t f = unit.fifos; f != unit.fifos_end; ++f) {
    Fifo& fifo = fifos[f];
    if (--fifo.uses_left != 0) continue;
    fifo.uses_left = fifo.reuse;
    if (--fifo.arrived == 0) ++unit.missing;
    if (fifo.free++ != 0 || fifo.source == index) continue;
    UnitGroup& from = group(fifo.source);
    if ((from.stalled & bit(fifo.source)) != 0) from.retry |= bit(fifo.source);
    if (--units[fifo.source].full == 0) set_full(fifo.source);
  }
  UnitGroup& of = group(index);
  Pipeline& pipeline = pipelines[index];
  const std::uint32_t first = unit.emits ? unit.receivers : unit.own;
  if (first != unit.receivers_end) {
    (unit.emits ? pipeline.all : pipeline.own) |= Word{1} << pipeline.latency;
    of.busy |= bit(index);
  }
  if (unit.emit_period != 1) {
    if (++unit.emit_at == unit.emit_period) unit.emit_at = 0;
    unit.emits = unit.emit_at >= unit.emit_silent;
  }
  if (--unit.left == 0) of.alive &= ~bit(index);
  if (unit.missing != 0) of.empty |= bit(index);
  if (unit.own != unit.receivers_end || unit.emit_period != 1) set_full(index);
}

void Fabric::State::fire_memory(std::uint32_t index) {
  fire(index);
  MemoryUnit& of = memory[index - first_memory];
  of.head = units[index].left != 0 ? of.cursor.next() : no_access;
  if (--of.uses_left == 0) {
    of.uses_left = of.reuse;
    ++of.entry;
  }
  if (of.prefetches && to_scan(of)) group(index).scanning |= bit(index);
}

bool Fabric::State::to_scan(const MemoryUnit& of) const {
  const std::uint64_t there = of.fifo != no_fifo ? fifos[of.fifo].arrived : of.ring;
  return of.scanned < std::min(of.entry + there, of.scan_end);
}

/// The address of the next entry that the prefetcher has not read: that of its first firing with an access.
std::uint64_t Fabric::State::read_entry(MemoryUnit& of) {
  std::uint64_t address = no_access;
  for (std::uint32_t use = 0; use != of.reuse && of.scan_left != 0; ++use, --of.scan_left) {
    const std::uint64_t next = of.scan.next();
    if (address == no_access) address = next;
  }
  return address;
}

/// The head is looked up by the load itself: the prefetcher continues behind it.
void Fabric::State::pass_head(std::uint32_t unit) {
  MemoryUnit& of = memory[unit - first_memory];
  if (!of.prefetches || of.scanned > of.entry) return;
  if (of.head != no_access) of.last_line = line_of(of.head);
  if (!of.holds) read_entry(of);
  of.holds = false;
  of.scanned = of.entry + 1;
  group(unit).prefetch_waiting &= ~bit(unit);
  if (!to_scan(of)) group(unit).scanning &= ~bit(unit);
}

void Fabric::State::scan(std::uint32_t unit) {
  MemoryUnit& of = memory[unit - first_memory];
  for (std::uint32_t n = 0; n != spec.prefetch_scan && !of.holds && to_scan(of); ++n) {
    of.held = read_entry(of);
    ++counters.prefetch_scans;
    of.holds = of.held != no_access && line_of(of.held) != of.last_line;
    if (!of.holds) ++of.scanned;
  }
  if (of.holds) {
    ask(Ask::Kind::prefetch, unit, of.held);
    group(unit).asked_prefetch |= bit(unit);
  } else if (!to_scan(of)) {
    group(unit).scanning &= ~bit(unit);
  }
}

void Fabric::State::ask(Ask::Kind kind, std::uint32_t unit, std::uint64_t address) {
  asks.push_back({kind, memory[unit - first_memory].number, units[unit].node, address});
  ++unanswered;
}

/// What a load-store unit does in a cycle.
void Fabric::State::visit(std::uint32_t unit, Cycle now) {
  MemoryUnit& of = memory[unit - first_memory];
  UnitGroup& in = group(unit);
  const Word self = bit(unit);
  const bool flush = (in.gathered & ~in.flush_waiting & self) != 0 && (now >= of.flush_at || units[unit].left == 0);
  bool asks_access = false, has_none = false;
  if ((in.ready & ~in.waiting & self) != 0) {
    pass_head(unit);
    has_none = of.head == no_access;
    asks_access = !has_none;
    if (asks_access) {
      ask(of.kind == MemoryUnit::Kind::load ? Ask::Kind::load : Ask::Kind::store, unit, of.head);
      in.asked |= self;
    }
  }
  if ((in.scanning & ~in.prefetch_waiting & self) != 0) scan(unit);
  if (flush && !asks_access) {
    ask(Ask::Kind::flush, unit, 0);
    in.asked_flush |= self;
  }
  if (has_none) {
    fire_memory(unit);
    ++counters.fired;
  }
}

Cycle Fabric::State::next_arrival() const {
  // Rows from that of `accounted` on, once round.
  const auto words = static_cast<std::uint32_t>(rows.size());
  const std::uint64_t start = accounted & wheel_mask;
  const auto first = static_cast<std::uint32_t>(start / word_bits);
  const Word behind = ~Word{0} << (start % word_bits);
  for (std::uint32_t n = 0; n <= words; ++n) {
    const std::uint32_t word = (first + n) % words;
    const Word candidates = n == 0 ? rows[word] & behind : n == words ? rows[word] & ~behind : rows[word];
    if (candidates == 0) continue;
    const std::uint64_t row =
        std::uint64_t{word} * word_bits + static_cast<std::uint32_t>(std::countr_zero(candidates));
    return accounted + ((row - start) & wheel_mask);
  }
  return never;
}

Cycle Fabric::State::next_event() const {
  Cycle next = never;
  for (std::size_t g = 0; g != groups.size(); ++g) {
    const UnitGroup& in = groups[g];
    if ((in.can_fire() & ~in.waiting) != 0 || in.retry != 0) return accounted;
    if ((in.scanning & ~in.prefetch_waiting) != 0) return accounted;
    const Word gathered = in.gathered & ~in.flush_waiting;
    if ((gathered & ~in.alive) != 0) return accounted;
    for (Word rest = gathered; rest != 0; rest &= rest - 1) {
      const auto unit = static_cast<std::uint32_t>(g * word_bits) + static_cast<std::uint32_t>(std::countr_zero(rest));
      next = std::min(next, std::max(accounted, memory[unit - first_memory].flush_at));
    }
    for (Word rest = in.busy & ~in.stalled; rest != 0; rest &= rest - 1) {
      const auto unit = static_cast<std::uint32_t>(g * word_bits) + static_cast<std::uint32_t>(std::countr_zero(rest));
      next = std::min(next, moved + static_cast<Cycle>(std::countr_zero(pipelines[unit].results())));
    }
  }
  return std::min(next, next_arrival());
}

/// Cycles in which the sets stay as they are: the states of all units but those that fire or ask.
inline void Fabric::State::add_states(NodeCycles& to, Cycle cycles) const {
  for (const UnitGroup& in : groups) {
    const auto number = [cycles](Word set) { return static_cast<std::uint64_t>(std::popcount(set)) * cycles; };
    to.ended += number(in.used & ~in.alive);
    to.waits_operand += number(in.alive & in.empty);
    to.waits_receiver += number(in.alive & ~in.empty & in.full);
    const Word waiting = in.can_fire() & in.waiting;
    if (waiting == 0) continue;
    to.waits_lock += number(waiting & in.locks);
    to.waits_memory += number(waiting & ~in.locks);
  }
}

void Fabric::State::account(Cycle cycles) {
  add_states(counters, cycles);
  if (!unit_cycles.empty()) account_units(cycles);
}

/// The same for each unit on its own.
void Fabric::State::account_units(Cycle passed) {
  for (std::uint32_t u = 0; u != units.size(); ++u) {
    const UnitGroup& in = group(u);
    const Word self = bit(u);
    NodeCycles& of = unit_cycles[u];
    if ((in.alive & self) == 0) {
      of.ended += passed;
    } else if ((in.empty & self) != 0) {
      of.waits_operand += passed;
    } else if ((in.full & self) != 0) {
      of.waits_receiver += passed;
    } else if ((in.waiting & self) != 0) {
      ((in.locks & self) != 0 ? of.waits_lock : of.waits_memory) += passed;
    }
  }
}

void Fabric::State::count_memory_wait(std::uint32_t unit, bool lock) {
  ++(lock ? counters.waits_lock : counters.waits_memory);
  if (!unit_cycles.empty()) ++(lock ? unit_cycles[unit].waits_lock : unit_cycles[unit].waits_memory);
}

void Fabric::State::skip_to(Cycle now) {
  if (now <= accounted) return;
  if (next_event() < now) throw Bug("R-GPU fabric", now, "a cycle in which something could happen was skipped");
  account(now - accounted);
  accounted = now;
}

bool Fabric::State::done() const {
  for (const UnitGroup& in : groups)
    if ((in.alive | in.gathered | in.busy) != 0) return false;
  return std::all_of(rows.begin(), rows.end(), [](Word word) { return word == 0; });
}

Fabric::Fabric(const Spec& spec, std::uint32_t line_bytes) : state_(std::make_unique<State>(spec, line_bytes)) {}
Fabric::~Fabric() = default;
Fabric::Fabric(Fabric&&) noexcept = default;
Fabric& Fabric::operator=(Fabric&&) noexcept = default;

bool Fabric::running() const {
  return state_->running;
}

std::span<const Ask> Fabric::step(Cycle now) {
  State& state = *state_;
  if (!state.running || state.unanswered != 0 || now < state.accounted)
    throw Bug("R-GPU fabric", now, "a step without a run, before all asks are answered, or of a cycle that has passed");
  state.skip_to(now);
  state.asks.clear();
  state.arrive(now);
  state.leave(now);
  state.account(1);
  state.accounted = now + 1;
  for (UnitGroup& in : state.groups) in.ready = in.can_fire();

  std::array<std::uint32_t, 3>* activity = nullptr;
  if (activity_.interval != 0) activity = &activity_.intervals[activity_index(now)];
  for (std::size_t g = 0; g != state.groups.size(); ++g) {
    UnitGroup& in = state.groups[g];
    const auto first = static_cast<std::uint32_t>(g * word_bits);
    const Word cores = in.ready & in.cores;
    state.counters.fired += static_cast<std::uint64_t>(std::popcount(cores));
    if (activity != nullptr) {
      (*activity)[0] += static_cast<std::uint32_t>(std::popcount(cores & in.integer));
      (*activity)[1] += static_cast<std::uint32_t>(std::popcount(cores & in.floating));
    }
    for (Word rest = cores; rest != 0; rest &= rest - 1)
      state.fire(first + static_cast<std::uint32_t>(std::countr_zero(rest)));
    if (in.memory == 0) continue;
    const std::uint64_t fired = state.counters.fired;
    for (Word rest = (in.ready & in.memory & ~in.waiting) | (in.scanning & ~in.prefetch_waiting) |
                     (in.gathered & ~in.flush_waiting);
         rest != 0; rest &= rest - 1)
      state.visit(first + static_cast<std::uint32_t>(std::countr_zero(rest)), now);
    if (activity != nullptr) (*activity)[2] += static_cast<std::uint32_t>(state.counters.fired - fired);
  }
  return state.asks;
}

void Fabric::answer(const Ask& ask, Answer answer) {
  State& state = *state_;
  const Cycle now = state.accounted - 1;
  const std::uint32_t unit = ask.unit < state.unit_of_number.size() ? state.unit_of_number[ask.unit] : no_fifo;
  UnitGroup* in = unit == no_fifo ? nullptr : &state.group(unit);
  const Word self = state.bit(unit);
  const bool access = ask.kind == Ask::Kind::load || ask.kind == Ask::Kind::store;
  Word UnitGroup::*asked = access                            ? &UnitGroup::asked
                           : ask.kind == Ask::Kind::prefetch ? &UnitGroup::asked_prefetch
                                                             : &UnitGroup::asked_flush;
  if (in == nullptr || (in->*asked & self) == 0) throw Bug("R-GPU fabric", now, "an answer without a request");
  in->*asked &= ~self;
  --state.unanswered;
  MemoryUnit& of = state.memory[unit - state.first_memory];
  switch (ask.kind) {
    case Ask::Kind::load:
    case Ask::Kind::store:
      if (answer == Answer::done) {
        ++state.counters.fired;
        if (activity_.interval != 0) ++activity_.intervals[activity_index(now)][2];
        state.fire_memory(unit);
        if (of.gathers) {
          in->gathered |= self;
          in->flush_waiting &= ~self;
          of.flush_at = now + state.spec.store_timeout;
        }
      } else {
        const bool waits = answer == Answer::waits;
        if (waits) in->waiting |= self;
        state.count_memory_wait(unit, waits && (in->locks & self) != 0);
      }
      break;
    case Ask::Kind::prefetch:
      if (answer == Answer::done) {
        ++state.counters.prefetches;
        of.holds = false;
        of.last_line = state.line_of(of.held);
        ++of.scanned;
        if (!state.to_scan(of)) in->scanning &= ~self;
      } else if (answer == Answer::waits) {
        in->prefetch_waiting |= self;
      }
      break;
    case Ask::Kind::flush:
      if (answer == Answer::done) {
        in->gathered &= ~self;
        of.flush_at = never;
      } else if (answer == Answer::waits) {
        in->flush_waiting |= self;
      }
      break;
  }
}

void Fabric::wake(Cycle now) {
  State& state = *state_;
  if (!state.running) return;
  state.skip_to(now);
  for (UnitGroup& in : state.groups) in.waiting = in.prefetch_waiting = in.flush_waiting = 0;
}

Cycle Fabric::next_event() const {
  return !state_->running ? never : state_->unanswered != 0 ? state_->accounted : state_->next_event();
}

bool Fabric::done() const {
  return state_->running && state_->unanswered == 0 && state_->done();
}

std::uint64_t Fabric::firings() const {
  return state_->counters.fired;
}

FabricCounters Fabric::counters_at(Cycle now) const {
  FabricCounters sum = counters_;
  const State& state = *state_;
  if (!state.running) return sum;
  FabricCounters run = state.counters;
  if (now > state.accounted) state.add_states(run, now - state.accounted);
  run.cycles = std::max(now, state.accounted) - state.begin;
  run.unit_cycles = run.cycles * state.units.size();
  run.memory_unit_cycles = run.cycles * state.memory.size();
  for (const Unit& unit : state.units) {
    const dataflow::Node& node = state.graph().nodes[unit.node];
    firings_of(run, node) += state.iterations(unit) - unit.left;
  }
  counter::add(sum, run);
  return sum;
}

void Fabric::record_activity(Cycle interval) {
  activity_ = {interval, {}};
}

void Fabric::record_nodes(bool record) {
  records_nodes_ = record;
}

std::span<const NodeCycles> Fabric::nodes(const Mapping& mapping) const {
  for (const auto& [of, cycles] : nodes_)
    if (of == &mapping) return cycles;
  return {};
}

std::size_t Fabric::activity_index(Cycle now) {
  const auto index = static_cast<std::size_t>(now / activity_.interval);
  if (index >= activity_.intervals.size()) activity_.intervals.resize(index + 1);
  return index;
}

}  // namespace lockstep::rgpu
