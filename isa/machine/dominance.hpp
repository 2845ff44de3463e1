#pragma once
// Which basic blocks of a kernel every way to another one passes.

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::machine {

class Dominance {
 public:
  /// Blocks that one block passes every way to and another goes back from to it.
  struct Loop {
    std::size_t first, last;  ///< Where it begins, and from where it goes back.
    std::vector<bool> members;
  };

  explicit Dominance(const std::vector<program::StaticBlock>& blocks);

  /// Every way to `block` passes `by`.
  bool passes(std::size_t block, std::size_t by) const {
    return begin_[by] <= begin_[block] && begin_[block] < end_[by];
  }
  /// The last such block before it; empty for the first block, and where no way leads.
  std::optional<std::uint32_t> nearest(std::size_t block) const;
  /// Some block goes back to it that every way passes it to.
  bool begins_loop(std::size_t block) const { return begins_loop_[block]; }
  /// The innermost loop with the block; null where there is none. Lives as long as this.
  const Loop* innermost_loop(std::size_t block) const;
  /// Some branch goes back, in the order of the program, to a block that not every way to the branch passes.
  bool goes_back_elsewhere() const { return goes_back_elsewhere_; }
  /// Another loop lies in it.
  bool has_inner_loop(const Loop& loop) const;
  /// The nearest of the blocks before `block` that the innermost loop with it has not, if no other loop lies in that one; else `block`.
  std::uint32_t before_innermost_loop(std::size_t block) const;
  /// Some loop has `inside` and none of `outside`.
  bool loop_separates(std::size_t inside, const std::vector<std::uint32_t>& outside) const;
  /// The innermost loop with `inside` has not `outside`, and has rounds that do not pass `inside`.
  bool loop_passes_by(std::size_t inside, std::size_t outside) const;

 private:
  /// Numbers the blocks of the dominator tree: those below a block are begin_ to end_ of it.
  void number();

  std::vector<std::size_t> above_;  ///< The immediate dominator.
  std::vector<std::uint32_t> begin_, end_;
  std::vector<Loop> loops_;
  std::vector<bool> begins_loop_;
  bool goes_back_elsewhere_ = false;
};

}  // namespace lockstep::machine
