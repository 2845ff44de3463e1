#pragma once
// The counters of a replay at regular times.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/dataflow/graph.hpp"
#include "sim/gpu/counters.hpp"

namespace lockstep::gpu {

/// How many values an operand's FIFO of a running graph holds.
struct FifoLevel {
  std::uint32_t sm = 0, node = 0, operand = 0;
  std::uint32_t values = 0;
  std::shared_ptr<const dataflow::Graph> graph;
};

/// What stood at a cycle of the replay, whose launches run one after the other.
struct Sample {
  Cycle at = 0;  ///< Before this cycle.
  /// From the replay's begin on. What a warp instruction executes counts when the warp reaches its block.
  Counters counters;
  std::vector<FifoLevel> fifos;
};

/// When counters are looked at, and of what.
struct SampleOptions {
  Cycle interval = 0;              ///< At every multiple of it, and at the replay's end; 0: never.
  Cycle from = 0, to = never;      ///< Only multiples in [from, to].
  std::vector<std::uint32_t> sms;  ///< Whose counters are summed; none: all. The memory's are always the whole GPU's.
  bool fifos = false;              ///< Fill Sample::fifos.
  std::function<void(const Sample&)> take;  ///< Called in order of cycles.
};

}  // namespace lockstep::gpu
