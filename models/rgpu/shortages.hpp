#pragma once
// What a graph needs and a fabric lacks, and how to say it.

#include <vector>

#include "models/rgpu/mapper.hpp"
#include "models/rgpu/question.hpp"

namespace lockstep::rgpu {

/// Needs that can be counted: cores, load-store units, special function units, operand FIFOs.
std::vector<Shortage> counted_shortages(const dataflow::Graph& graph, const Spec& spec);

/// Too few lanes. `enough`: a solution with more lanes than there are.
Shortage lane_shortage(const dataflow::Graph& graph, const Problem& problem, std::uint32_t available,
                       const Solution& enough, bool proved);

}  // namespace lockstep::rgpu
