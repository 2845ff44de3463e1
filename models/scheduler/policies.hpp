#pragma once
// The list of scheduling policies: a new one is a file in policies/ and its name here.

#include "generated/models/scheduler/policies.hpp"  // every header of the folder

namespace lockstep::scheduler {

/// In the order in which they are listed.
using Policies = OneOf<LooseRoundRobin, GreedyThenOldest, GreedyThenYoungest, StrictRoundRobin, LeastProgress, TwoLevel,
                       RandomChoice>;

}  // namespace lockstep::scheduler
