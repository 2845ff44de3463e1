#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::ptx {

/// Blocks that control can go round in, with one entry.
struct Loop {
  std::vector<bool> members;   ///< By block.
  std::uint32_t header = ~0u;  ///< Its entry.
  std::uint32_t parent = ~0u;  ///< The loop around it, or no_index.
  std::uint32_t meets = ~0u;   ///< Where lanes that have left it meet, or no_index: at the end.
  bool waits = false;          ///< See waiting_loops.hpp; false in what find_meeting returns.
  bool contains(std::uint32_t block) const { return block < members.size() && members[block]; }
};

/// Where lanes meet that diverge at the end of each block, or no_index: at the end. Blocks are numbered as in the graph.
struct Meeting {
  std::vector<std::uint32_t> meets;
  std::vector<std::uint32_t> loop;  ///< The innermost loop of each block, or no_index.
  std::vector<Loop> loops;          ///< Parents before their children.
};

/// Of a graph whose block 0 is the entry.
Meeting find_meeting(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace lockstep::ptx
