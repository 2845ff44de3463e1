#pragma once

#include <vector>

namespace lockstep::ptx {

struct Program;

/// By basic block: whether no way leads from it to the end of its function, to an exit or a trap. A call counts as a way out.
std::vector<bool> endless_blocks(const Program& program);

}  // namespace lockstep::ptx
