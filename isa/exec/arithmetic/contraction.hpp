#pragma once

#include <vector>

#include "isa/exec/kernel.hpp"
#include "isa/ptx/contraction/contraction.hpp"

namespace lockstep::exec {

/// Sums become the fused multiply-adds that the contractions say. The products are still computed, for those who read them.
void contract(Kernel& kernel, const std::vector<ptx::Contraction>& contractions);

}  // namespace lockstep::exec
