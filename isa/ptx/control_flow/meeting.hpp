#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::ptx {

/// Blocks that control can go round in, with one entry.
struct Loop {
  std::vector<bool> members;   ///< By block.
  std::uint32_t parent = ~0u;  ///< The loop around it, or no_index.
  std::uint32_t meets = ~0u;   ///< Where lanes that have left it meet, or no_index: at the end.
  bool contains(std::uint32_t block) const { return block < members.size() && members[block]; }
};

/// Where lanes meet that diverge at the end of each block, or no_index: at the end. Blocks are numbered as in the graph.
struct Meeting {
  std::vector<std::uint32_t> meets;
  std::vector<std::uint32_t> loop;  ///< The innermost loop of each block, or no_index.
  std::vector<Loop> loops;          ///< Parents before their children.
};

/// Of a graph whose block 0 is the entry. `only_ends`: blocks that do nothing but return or end the thread; a way there is no
/// way that others could meet on, for lanes that take it are gone.
Meeting find_meeting(const std::vector<std::vector<std::uint32_t>>& successors, const std::vector<bool>& only_ends);

}  // namespace lockstep::ptx
