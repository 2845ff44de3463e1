#pragma once
// The list of scheduling policies: a new one is a file in policies/, included and named here.

#include "models/scheduler/policies/greedy_then_oldest.hpp"
#include "models/scheduler/policies/greedy_then_youngest.hpp"
#include "models/scheduler/policies/least_progress.hpp"
#include "models/scheduler/policies/loose_round_robin.hpp"
#include "models/scheduler/policies/random.hpp"
#include "models/scheduler/policies/strict_round_robin.hpp"
#include "models/scheduler/policies/two_level.hpp"

namespace lockstep::scheduler {

/// In the order in which they are listed.
using Policies = OneOf<LooseRoundRobin, GreedyThenOldest, GreedyThenYoungest, StrictRoundRobin, LeastProgress, TwoLevel,
                       RandomChoice>;

}  // namespace lockstep::scheduler
