#pragma once
// What the fabric counts. Every unit in use has in every cycle of R-GPU mode exactly one state.

#include <cstdint>

#include "models/counter/declaration.hpp"

namespace lockstep::rgpu {

/// The cycles of units between set-up and end, by what they did in them: of one node over all runs, or of all nodes together.
/// A unit that lacks an operand and a receiver's room waits for the operand.
struct NodeCycles {
  std::uint64_t fired = 0, waits_operand = 0, waits_receiver = 0, waits_memory = 0, waits_lock = 0, ended = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = NodeCycles;
    declare(&C::fired, "fired", "unit cycles", "Unit cycles with an execution");
    declare(&C::waits_operand, "waits_operand", "unit cycles", "Unit cycles that lacked an operand");
    declare(&C::waits_receiver, "waits_receiver", "unit cycles", "Unit cycles stalled by a receiver's full FIFO");
    declare(&C::waits_memory, "waits_memory", "unit cycles", "Unit cycles that waited for memory");
    declare(&C::waits_lock, "waits_lock", "unit cycles", "Unit cycles that waited for a lock of the scratchpad");
    declare(&C::ended, "ended", "unit cycles", "Unit cycles without a remaining operation");
  }
};

/// Fabric counts from start() to finish(); who sets it up and switches back adds setup_cycles (also to cycles),
/// configuration_words and initial_values. A value is read when it is taken out of a FIFO; one of a ring is written back.
/// Initial values are no writes.
struct FabricCounters : NodeCycles {
  std::uint64_t runs = 0, cycles = 0, setup_cycles = 0, configuration_words = 0, initial_values = 0;
  std::uint64_t integer_firings = 0, floating_firings = 0, special_firings = 0, load_firings = 0, store_firings = 0;
  std::uint64_t unit_cycles = 0, memory_unit_cycles = 0;
  std::uint64_t data_fifo_reads = 0, data_fifo_writes = 0, address_fifo_reads = 0, address_fifo_writes = 0;
  std::uint64_t prefetch_scans = 0, prefetches = 0;
  std::uint64_t lane_words = 0, lane_slots = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = FabricCounters;
    declare(&C::runs, "runs", "runs", "Graphs that thread blocks ran in R-GPU mode");
    declare(&C::cycles, "cycles", "SM cycles", "Cycles in R-GPU mode, switching included, summed over SMs");
    declare(&C::setup_cycles, "setup_cycles", "SM cycles",
            "Of these: switching, configuration, initial values and results");
    declare(&C::configuration_words, "configuration_words", "words", "Configuration registers written");
    declare(&C::initial_values, "initial_values", "values", "Values written to FIFOs before a run");
    declare(&C::integer_firings, "integer_firings", "operations", "Operations of cores with an integer instruction");
    declare(&C::floating_firings, "floating_firings", "operations",
            "Operations of cores with a floating-point instruction");
    declare(&C::special_firings, "special_firings", "operations", "Operations of special function units");
    declare(&C::load_firings, "load_firings", "operations", "Loads of load-store units");
    declare(&C::store_firings, "store_firings", "operations", "Stores and reductions of load-store units");
    declare(&C::unit_cycles, "unit_cycles", "unit cycles",
            "Cores and load-store units in use, summed over cycles: the sum of the six statistics after the next");
    declare(&C::memory_unit_cycles, "memory_unit_cycles", "unit cycles", "Of these, those of load-store units");
    NodeCycles::describe(declare);
    declare(&C::data_fifo_reads, "data_fifo_reads", "values", "Values taken from data FIFOs");
    declare(&C::data_fifo_writes, "data_fifo_writes", "values", "Values written to data FIFOs");
    declare(&C::address_fifo_reads, "address_fifo_reads", "values", "Values taken from address FIFOs");
    declare(&C::address_fifo_writes, "address_fifo_writes", "values", "Values written to address FIFOs");
    declare(&C::prefetch_scans, "prefetch_scans", "addresses", "Addresses processed by prefetchers");
    declare(&C::prefetches, "prefetches", "lines",
            "Lines of prefetchers found in the L1 cache, in flight or requested");
    declare(&C::lane_words, "lane_words", "values", "Values sent on data lanes");
    declare(&C::lane_slots, "lane_slots", "slots", "Slots of data lanes that they passed, summed");
  }
};

}  // namespace lockstep::rgpu
