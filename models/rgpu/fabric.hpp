#pragma once
// The cores and load-store units of one SM in R-GPU mode, cycle by cycle (Van den Braak, section 7.2). Knows when, not
// what: values have been computed by isa/dataflow, and the fabric is told the addresses of every access.
//
// A unit fires when each of its operand FIFOs has a value and every FIFO that gets its result has room for one more,
// counting what is under way. What a firing takes away gives room from the next cycle on; a node that feeds itself counts
// its own. Between two cycles in which nothing can happen no time is spent.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/dataflow/access_stream.hpp"
#include "models/rgpu/mapping.hpp"
#include "models/rgpu/spec.hpp"

namespace lockstep::rgpu {

/// What a load-store unit wants of the SM in this cycle.
struct Ask {
  enum class Kind : std::uint8_t {
    load,      ///< The access at the head: may it leave?
    prefetch,  ///< Of a global l1 load further behind: fetch its line, if it is not there.
    store,     ///< Also reductions.
    flush      ///< Everything that the unit has gathered of a line shall leave.
  };
  Kind kind = Kind::load;
  std::uint32_t unit = 0;  ///< Load-store unit.
  std::uint32_t node = 0;
  std::uint64_t address = 0;  ///< Device address, or scratchpad offset.
};
enum class Answer : std::uint8_t {
  done,    ///< The load has its value (it leaves Spec::load_latency later); the prefetch, store or flush is taken.
  waits,   ///< Under way: worth asking again after Fabric::wake().
  refused  ///< Something is taken in this cycle: worth asking again in the next.
};

/// Raw counts. Every unit in use has in every cycle of R-GPU mode exactly one state.
struct FabricCounters {
  std::uint64_t runs = 0;          ///< Switches to R-GPU mode.
  std::uint64_t cycles = 0;        ///< In R-GPU mode, switching and configuration included.
  std::uint64_t setup_cycles = 0;  ///< Of these: switching, configuration, initial values, results.
  std::uint64_t configuration_words = 0, initial_values = 0;
  std::uint64_t integer_firings = 0, floating_firings = 0, special_firings = 0, load_firings = 0, store_firings = 0;
  std::uint64_t unit_cycles = 0;  ///< Units in use, summed over the cycles between set-up and end.
  std::uint64_t fired = 0, waits_operand = 0, waits_receiver = 0, waits_memory = 0, waits_lock = 0, ended = 0;
  std::uint64_t data_fifo_reads = 0, data_fifo_writes = 0, address_fifo_reads = 0, address_fifo_writes = 0;
  std::uint64_t prefetch_scans = 0, prefetches = 0;
  std::uint64_t lane_words = 0;  ///< Values sent on a lane.
  std::uint64_t lane_slots = 0;  ///< Slots that they passed, together.
  FabricCounters& operator+=(const FabricCounters& other);
};

class Fabric {
 public:
  explicit Fabric(const Spec& spec);

  /// Begins a run at cycle `now`, the end of its set-up. The mapping must outlive the run.
  void start(std::shared_ptr<const dataflow::GraphRun> run, const Mapping& mapping, Cycle now);
  bool running() const;

  /// Cycle `now` (each call a later one): values arrive, cores fire, load-store units ask. The asks are in order of units
  /// and must all be answered before the next step.
  std::span<const Ask> step(Cycle now);
  void answer(const Ask& ask, Answer answer);
  /// Something that an Answer::waits was about may have changed.
  void wake(Cycle now);
  /// The next cycle in which something can happen without wake(), or never.
  Cycle next_event() const;
  /// All nodes have fired as often as they shall, and all values have arrived.
  bool done() const;
  /// After done(): ends the run, accounts its units up to `now`.
  void finish(Cycle now);

  FabricCounters& counters() { return counters_; }
  const FabricCounters& counters() const { return counters_; }
  /// A line per node that has firings left: how many, and what it waits for.
  std::string describe() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  FabricCounters counters_;
};

}  // namespace lockstep::rgpu
