#pragma once
// What a running fabric consists of: units, FIFOs, and values in flight between them. Sets of units and of FIFOs are bit
// masks, so that a cycle costs little more than its firings.

#include <memory>
#include <vector>

#include "models/rgpu/fabric.hpp"

namespace lockstep::rgpu {

using Word = std::uint64_t;
inline constexpr std::uint32_t word_bits = 64;
inline constexpr std::uint32_t no_fifo = ~std::uint32_t{0};

/// A FIFO that is fed by a unit. Rings and constants never decide whether a unit fires.
struct Fifo {
  std::uint32_t arrived = 0;    ///< Values that can be used.
  std::uint32_t free = 0;       ///< Entries that neither hold a value nor wait for one on its lane.
  std::uint32_t uses_left = 1;  ///< Firings until the head is taken out, that firing included.
  std::uint32_t reuse = 1;
  std::uint32_t owner = 0, source = 0;  ///< Units.
  std::uint32_t capacity = 0;
  std::uint16_t operand = 0;
  bool scanned = false;  ///< A prefetcher reads along.
};
static_assert(sizeof(Fifo) == 32);

/// The results of a unit that have not left it. They move on together, and all stand still while the first finds no room.
struct Pipeline {
  Word all = 0, own = 0;  ///< Bit n: a result that leaves in n cycles, to all receivers; to the unit's own FIFOs alone.
  std::uint32_t latency = 1;

  Word results() const { return all | own; }
};
/// Longest latency of a pipeline.
inline constexpr Cycle most_latency = word_bits - 2;

/// A core or load-store unit in use.
struct Unit {
  std::uint64_t left = 0;     ///< Firings.
  std::uint32_t missing = 0;  ///< Operand FIFOs without a value.
  std::uint32_t full = 0;     ///< FIFOs of other units that get its results and have no room.
  std::uint16_t fifos = 0, fifos_end = 0;
  /// Into State::receivers: FIFOs of other units, then own ones.
  std::uint16_t receivers = 0, own = 0, receivers_end = 0;
  std::uint32_t emit_period = 1, emit_silent = 0, emit_at = 0;
  bool emits = true;  ///< The next result is sent to other units.
  std::uint32_t node = 0;
};
static_assert(sizeof(Unit) <= 64);

/// What a load-store unit has besides. Entries are those of the address FIFO, counted from the first of the run.
struct MemoryUnit {
  enum class Kind : std::uint8_t { load, store };
  Kind kind = Kind::load;
  bool gathers = false;     ///< A store that can leave something to flush.
  bool prefetches = false;  ///< A load with a prefetcher.
  bool holds = false;       ///< `held` has been scanned, and its prefetch is not taken yet.
  std::uint32_t number = 0;
  dataflow::AddressCursor cursor, scan;
  std::uint64_t head = dataflow::no_access;  ///< Address of the next firing.
  Cycle flush_at = never;                    ///< Of a unit that has gathered something.

  std::uint64_t held = 0, last_line = ~std::uint64_t{0};
  std::uint64_t entry = 0;      ///< At the head.
  std::uint64_t scanned = 0;    ///< Entries that the prefetcher is done with.
  std::uint64_t scan_end = 0;   ///< Entries that the unit will use.
  std::uint64_t scan_left = 0;  ///< Addresses that `scan` has not read.
  std::uint32_t uses_left = 1, reuse = 1;
  std::uint32_t fifo = no_fifo;
  std::uint32_t ring = 0;  ///< Entries of an address FIFO that is a ring.
};

/// 64 units: what is true of each. Cores come first, load-store units behind them, each in order of their numbers.
struct UnitGroup {
  Word used = 0, cores = 0, memory = 0, locks = 0;  ///< `locks`: loads that take locks.
  Word integer = 0, floating = 0;                   ///< Floating: also special.
  Word alive = 0;                                   ///< Has firings left.
  Word empty = 0, full = 0;                         ///< Lacks an operand; lacks room at a receiver, or stands still.
  Word busy = 0, stalled = 0;                       ///< Has results that have not left; the first found no room.
  Word retry = 0;                                   ///< Stands still, and room has been made.
  Word ready = 0;                                   ///< In this cycle, before anything fires.
  Word waiting = 0;                                 ///< Answer::waits to the access at the head.
  Word scanning = 0, prefetch_waiting = 0;          ///< The prefetcher has something to read; Answer::waits.
  Word gathered = 0, flush_waiting = 0;             ///< Has something to flush; Answer::waits.
  Word asked = 0, asked_prefetch = 0, asked_flush = 0;

  Word can_fire() const { return alive & ~empty & ~full; }
};

/// Which of the counters counts the firings of a node.
std::uint64_t& firings_of(FabricCounters& counters, const dataflow::Node& node);

struct Fabric::State {
  explicit State(const Spec& of, std::uint32_t line_bytes);

  Spec spec;
  std::uint32_t line_shift = 0;

  bool running = false;
  std::shared_ptr<const dataflow::GraphRun> run;
  const Mapping* mapping = nullptr;
  Cycle begin = 0;
  Cycle accounted = 0;      ///< The first cycle that is in no counter yet.
  FabricCounters counters;  ///< Of this run.

  std::vector<UnitGroup> groups;
  std::vector<Unit> units;
  std::vector<Fifo> fifos;  ///< In order of owner and operand.
  std::vector<std::uint32_t> receivers;
  std::vector<std::uint32_t> lane_delay;  ///< Per FIFO: cycles that a value is on its lane.
  std::vector<Pipeline> pipelines;        ///< Per unit.
  Cycle moved = 0;                        ///< The cycle to which pipelines have moved on.
  std::vector<MemoryUnit> memory;         ///< In order of units; unit first_memory + i.
  std::uint32_t first_memory = 0;
  std::vector<NodeCycles> unit_cycles;                      ///< Per unit; empty: not recorded.
  std::vector<std::uint32_t> unit_of_node, unit_of_number;  ///< `number`: of a load-store unit.
  std::vector<std::uint32_t> route_slots;                   ///< Per unit; 0: sends nothing on a lane.

  /// Arrivals from lanes: row t & wheel_mask holds the FIFOs that get a value in cycle t. A row in use has its bit in rows.
  std::vector<Word> wheel, rows;
  std::uint32_t fifo_words = 0;
  Cycle wheel_mask = 0;

  std::vector<Ask> asks;
  std::uint32_t unanswered = 0;

  Word bit(std::uint32_t index) const { return Word{1} << (index % word_bits); }
  UnitGroup& group(std::uint32_t unit) { return groups[unit / word_bits]; }
  const UnitGroup& group(std::uint32_t unit) const { return groups[unit / word_bits]; }
  std::uint64_t line_of(std::uint64_t address) const { return address >> line_shift; }
  const dataflow::Graph& graph() const { return *run->graph; }
  std::uint64_t iterations(const Unit& unit) const { return run->instance->nodes[unit.node].iterations; }

  // fabric_setup.cpp
  void number_units();
  void connect();
  void set_delays();
  void set_numbers();
  void count();

  // fabric.cpp
  void arrive(Cycle now);
  void arrive_at(std::uint32_t fifo);
  void leave(Cycle now);
  bool has_room(const Unit& unit, bool all) const;
  void deliver(std::uint32_t unit, bool all, Cycle now);
  void set_full(std::uint32_t unit);
  void fire(std::uint32_t unit);
  void fire_memory(std::uint32_t unit);
  void visit(std::uint32_t unit, Cycle now);
  void ask(Ask::Kind kind, std::uint32_t unit, std::uint64_t address);
  void pass_head(std::uint32_t unit);
  void scan(std::uint32_t unit);
  std::uint64_t read_entry(MemoryUnit& of);
  bool to_scan(const MemoryUnit& of) const;
  Cycle next_arrival() const;
  Cycle next_event() const;
  void account(Cycle cycles);
  void add_states(NodeCycles& to, Cycle cycles) const;
  void account_units(Cycle passed);
  void count_memory_wait(std::uint32_t unit, bool lock);
  void skip_to(Cycle now);
  bool done() const;

  // fabric_report.cpp
  bool under_way(std::uint32_t fifo) const;
  std::vector<std::uint32_t> blocking(std::uint32_t unit) const;
  std::string name(std::uint32_t unit) const;
  std::string waits_for(std::uint32_t unit) const;
  std::string waiting_cycle() const;
};

}  // namespace lockstep::rgpu
