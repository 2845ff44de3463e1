#pragma once
// How many registers a compiler lets the values of straight code have.
//
// ptxas 13.0 for sm_90 (README.md beside this file): a kernel gets the fewest registers among those that let another number of warps be
// resident (32, 40, 48, ...) which hold what lives across its code with four loads from global memory, and what its code needs at
// once with two from the scratchpad. Up to there loads are hoisted, three registers are left.

#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/machine/schedule/liveness.hpp"

namespace lockstep::machine {

/// 32-bit registers of a scoreboard entry; predicates have none.
std::uint32_t words_of(const Program& program, std::uint16_t entry);

/// Registers that a compiler keeps from values: the stack pointer's, and two.
inline constexpr std::uint32_t spared_registers = 3;

/// Registers of 32 bits that a load of a lane fills.
inline std::uint32_t words_of_load(const Instruction& i) {
  return (i.element_bytes * i.vector_elements + 3u) / 4;
}

/// Entries that are live behind a Code of the program: a bit each.
class LiveSet {
 public:
  explicit LiveSet(std::size_t entries) : bits_(entries) {}
  bool has(std::uint16_t entry) const { return bits_[entry]; }
  void add(std::uint16_t entry) { bits_[entry] = true; }
  void remove(std::uint16_t entry) { bits_[entry] = false; }
  /// The 32-bit registers of all, or of those that are not in `without`.
  std::uint32_t words(const Program& program, const std::vector<bool>& without = {}) const;
  /// Goes over an instruction from behind it to in front of it. `kills`: nothing reads what its registers held before.
  void pass(const Instruction& i, bool kills);

 private:
  std::vector<bool> bits_;
};

/// What is read behind the blocks that may follow `block`.
LiveSet live_behind(const Program& program, const Liveness& liveness, std::uint32_t block);

/// Words for values that there is room for in the fewest registers that hold `words`.
std::uint32_t room_for(std::uint32_t words);

}  // namespace lockstep::machine
