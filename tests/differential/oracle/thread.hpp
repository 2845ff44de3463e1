#pragma once
// One thread of the oracle.

#include <array>
#include <cstdint>
#include <vector>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// Registers by width, and the condition code.
struct Registers {
  std::array<std::vector<std::uint64_t>, 4> of_width;
  bool carry = false;

  explicit Registers(const RegisterCounts& counts)
      : of_width{std::vector<std::uint64_t>(counts.predicates), std::vector<std::uint64_t>(counts.halves),
                 std::vector<std::uint64_t>(counts.words), std::vector<std::uint64_t>(counts.wides)} {}
  std::uint64_t& operator[](Register reg) {
    return of_width[reg.bits == 1 ? 0 : reg.bits == 16 ? 1 : reg.bits == 32 ? 2 : 3][reg.number];
  }
};

struct Thread {
  Registers registers{kernel_registers};
  std::vector<std::uint8_t> stack = std::vector<std::uint8_t>(bytes_of(Area::stack));
  std::array<unsigned, 3> index{}, block{};
  unsigned in_block = 0, in_grid = 0;
  bool has_exited = false;

  unsigned lane() const { return in_block % 32; }
};

/// Threads that execute the same statement.
using Threads = std::vector<Thread*>;

}  // namespace lockstep::differential
