#pragma once
// Dominators and natural loops of one function's basic blocks.

#include <cstdint>
#include <vector>

#include "isa/ptx/program.hpp"

namespace lockstep::analysis {

struct Loop {
  std::uint32_t header = 0;  ///< As all blocks here: counted from the function's first block.
  std::vector<bool> blocks;  ///< Per block of the function: whether it belongs to the loop.
  /// Its blocks whose branches decide which back edge is taken: all but those after which lanes reconverge in the loop.
  std::vector<std::uint32_t> deciders;
};

/// Blocks that cannot be reached from the entry are in no list.
struct ControlFlow {
  ControlFlow(const ptx::Program& program, std::uint32_t function);

  std::uint32_t first = 0, count = 0;  ///< Blocks [first, first + count) of the program.
  std::vector<std::uint32_t> order;    ///< Reverse postorder.
  std::vector<std::vector<std::uint32_t>> predecessors, successors;
  std::vector<std::uint32_t> dominator;  ///< Immediate one; the entry's is itself, no_index where not reached.
  std::vector<Loop> loops;               ///< Outer ones first.
  /// Per block: index into `loops` when it is a header, or no_index.
  std::vector<std::uint32_t> loop_of_header;
  /// Whether a branch goes back to the block that it does not dominate: the loop has several entries.
  std::vector<bool> irreducible;

  bool dominates(std::uint32_t above, std::uint32_t block) const;
  /// Blocks whose branches decide on which way `block` was reached: those on ways to it from its dominator, this among
  /// them, behind which lanes do not meet again before. For a loop header, of the ways that enter.
  const std::vector<std::uint32_t>& deciders(std::uint32_t block) const { return deciders_[block]; }

 private:
  void number_blocks();
  void find_dominators();
  void find_loops();
  void find_deciders(const ptx::Program& program);

  std::vector<std::uint32_t> position_;  ///< In `order`.
  std::vector<std::vector<std::uint32_t>> deciders_;
};

}  // namespace lockstep::analysis
