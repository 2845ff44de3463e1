#pragma once
// Random valid kernels, the same for the same seed everywhere. What they leave in memory does not depend on the order in
// which their threads execute.

#include <cstdint>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// One seed in five has approximate functions, which the oracle does not know.
Kernel generate(std::uint64_t seed);

/// A kernel of one form of class arithmetic alone, on sources of its own many times: of those with an oracle, then of the others.
Kernel generate_form(std::size_t number);
std::size_t forms_to_generate();

}  // namespace lockstep::differential
