#pragma once
// The writers and readers of each register of a kernel.

#include <cstdint>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::program {

/// Definitions and uses over the whole kernel. Instructions are numbered as in Kernel::instructions.
class DataFlow {
 public:
  explicit DataFlow(const Kernel& kernel);

  /// How many instructions write the register; 2 stands for more.
  unsigned writes(std::uint32_t reg) const { return writes_[reg]; }
  static constexpr std::uint32_t none = ~0u;
  /// The one that does when there is one, else none.
  std::uint32_t writer(std::uint32_t reg) const { return writes_[reg] == 1 ? writer_[reg] : none; }
  /// Each instruction that reads the register, once, in order.
  const std::vector<std::uint32_t>& readers(std::uint32_t reg) const { return readers_[reg]; }

  bool in_one_block(std::uint32_t a, std::uint32_t b) const { return block_[a] == block_[b] && block_[a] != none; }

  /// What `from` reads still has the same value at `to`, which comes later: it is never written again, or not between
  /// the two in their common basic block.
  bool unchanged(std::uint32_t from, std::uint32_t to) const;

 private:
  const Kernel& kernel_;
  std::vector<std::uint8_t> writes_;
  std::vector<std::uint32_t> writer_, block_;
  std::vector<std::vector<std::uint32_t>> readers_;
};

}  // namespace lockstep::program
