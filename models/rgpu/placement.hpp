#pragma once
// Places and lanes as one constraint problem (Van den Braak, section 7.4.2), for Gecode: slower than the sweeps, but it
// chooses places and lanes together.

#include <cstdint>

#include "models/rgpu/question.hpp"

namespace lockstep::rgpu {

/// `limit`: nodes of the search tree.
Verdict solve_together(const Problem& problem, const Question& question, std::uint64_t limit);

}  // namespace lockstep::rgpu
