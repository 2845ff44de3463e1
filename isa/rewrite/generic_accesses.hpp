#pragma once
// Where accesses without a state space lead. Internal to this folder.

#include <cstdint>
#include <vector>

#include "isa/ptx/program.hpp"

namespace lockstep::rewrite {

enum class GenericAccess : std::uint8_t { elsewhere, scratchpad, unknown };

/// Per instruction of the program, of each access without a state space, whether it leads to scratchpad memory.
std::vector<GenericAccess> find_generic_accesses(const ptx::Program& program);

}  // namespace lockstep::rewrite
