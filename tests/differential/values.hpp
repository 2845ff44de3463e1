#pragma once
// Values that instructions meet: limits, powers of two, subnormals, infinities and NaNs of every type, and random ones.

#include <cstdint>
#include <vector>

#include "isa/random.hpp"
#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// The bits of a value, of 16, 32 or 64 bits.
std::uint64_t draw_value(Random& random, unsigned bits);

/// What a kernel finds in memory.
struct Contents {
  std::vector<std::uint8_t> input, constants, parameters;
  std::vector<std::uint8_t> data;  ///< Counters, then the own parts of all threads, then their results.
  std::vector<std::uint8_t> texels;
};
/// Depends on the seed, the number of threads and the sizes of images alone.
Contents contents_of(const Kernel& kernel);

}  // namespace lockstep::differential
