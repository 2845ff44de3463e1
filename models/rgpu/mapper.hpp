#pragma once
// Finds a mapping (Van den Braak, section 7.4.2): first places, with a bound on the values at each slot, then lanes by
// constraint programming. Places are found by sweeps over the ring (sweep.hpp), which are exhaustive where they end before
// their limit, and what they leave open by a constraint program of places and lanes together (placement.hpp). Limits are
// search steps, so results never depend on time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/rgpu/mapping.hpp"

namespace lockstep::rgpu {

enum class Goal : std::uint8_t {
  lanes,  ///< Fewest lanes, then the fewest slots.
  slots   ///< Fewest slots between the first and the last core (fewest cores switched on), within Spec::lanes.
};

struct MapOptions {
  Goal goal = Goal::lanes;
  /// Of each question that is put to the solvers: states of a sweep; a node of Gecode's search tree counts as a hundred
  /// or, behind a sweep that ended at the limit, a thousand.
  std::uint64_t step_limit = 2'000'000;
};

/// What a graph needs and the fabric lacks.
struct Shortage {
  std::string resource;  ///< "cores", "load-store units", "special function units", "lanes", "operand FIFOs", ...
  std::uint64_t needed = 0, available = 0;
  bool proved = false;  ///< Otherwise the search ended at its limit of steps.
  std::string text;     ///< For people: which nodes, and what would be enough.
};

struct MapOutcome {
  std::optional<Mapping> mapping;
  std::vector<Shortage> shortages;  ///< Of a graph that has no mapping: what is short.
  /// No mapping is better by the goal. Copies that are laid side by side may be optimal in more slots than necessary.
  bool optimal = false;
};

/// Copies of a graph are laid side by side with the same structure where that is possible, otherwise anywhere.
MapOutcome map(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options = {});
/// The same; InputError with all shortages when there is none.
Mapping map_or_throw(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options = {});

/// How many copies of a graph (with copies == 1) fit on the fabric together; 0 when not even one does.
std::uint32_t copies_that_fit(const dataflow::Graph& graph, const Spec& spec, const MapOptions& options = {});

}  // namespace lockstep::rgpu
