#pragma once
// Cuts a graph that needs more cores or load-store units than an SM has into parts that successive thread blocks run
// (Van den Braak, section 7.2.1): thread block b of the graph becomes b * P to b * P + P - 1. A value that is cut is stored
// by the earlier part to a communication buffer, write_through, and loaded by later ones, wait_for_hit; both count their
// addresses with an increment. Initial values, reuse and restart stay with the receiver. A core that takes nothing but
// constants, rings and its own results, such as an increment, is not cut: each part that needs its values has a copy.
//
// Together stay: cycles, a guard and what takes its values, and all that touches scratchpad memory, which thread blocks do
// not share. A store comes no later than a load that waits for a hit in the same buffer, unless it takes the load's value.

#include <cstdint>

#include "isa/dataflow/instance.hpp"
#include "isa/dataflow/partition.hpp"

namespace lockstep::dataflow {

struct Split {
  /// The grid that runs it has parts.size() times the thread blocks.
  Program program;
  /// What the communication buffer must have at least; 0 when the graph is one part and needs none.
  std::uint64_t communication_bytes = 0;
  /// Of each part: what it needs of an SM.
  std::vector<PartNeed> needs;
};

/// Splits `whole`, which has one part, for `thread_blocks` thread blocks. `communication_buffer`: the number of a buffer
/// that nothing else uses, to be made with communication_bytes bytes. A graph that fits is given back as it is.
///
/// Asks for the instance of every thread block once to know how many values are cut; the program of the result asks again,
/// for thread block b before all of its parts in order.
///
/// InputError when a part that cannot be cut needs more than an SM has, with its nodes and why they stay together.
Split split(const Program& whole, std::uint64_t thread_blocks, const PartLimits& limits,
            std::uint32_t communication_buffer);

}  // namespace lockstep::dataflow
