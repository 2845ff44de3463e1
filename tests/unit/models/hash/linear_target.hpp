#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::test {

/// The bank or lock of a word under a linear function, bit by bit: one parity for each row, the first one the highest.
inline std::uint32_t linear_target(const std::vector<std::uint32_t>& rows, std::uint32_t word) {
  std::uint32_t target = 0;
  for (const std::uint32_t row : rows) {
    std::uint32_t parity = 0;
    for (std::uint32_t bits = word & row; bits != 0; bits >>= 1) parity ^= bits & 1;
    target = 2 * target + parity;
  }
  return target;
}

}  // namespace lockstep::test
