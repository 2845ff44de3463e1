#pragma once
// The weighted sum of a linear filter, as an H200 computes it: inferred from its results, which filter_test.cpp holds.

#include <array>
#include <cstdint>
#include <span>

#include "isa/exec/textures/texture.hpp"

namespace lockstep::exec {

/// How far a coordinate lies behind the first of two texels, in 1/256 of their distance: 0 to 255, or 256.
using Fractions = std::array<int, 3>;
/// In 1/256, of texel (i, j, k) at i + 2 j + 4 k. Together 256.
using Weights = std::array<int, 8>;

/// The CUDA guide gives each texel the product of its weights along the axes. GPUs keep 8 bits of the products. The whole
/// is split along z, then along x, then along y; a half goes to the texel that is farther along x, and to the one that is
/// farther along y if it is farther along x, too. Fractions along axes that a texture lacks are 0.
Weights weights_of(const Fractions& fractions);

/// One channel of a texel that takes part.
struct WeightedTexel {
  int weight = 0;          ///< May be 0: the product of small weights, rounded.
  std::uint32_t raw = 0;   ///< As in memory; halves as singles, signed integers extended to 32 bits. The border is 0.
  bool is_behind = false;  ///< In the second slice along z.
};

/// The bits of a float. `format` has floating-point numbers or integers of 8 or 16 bits. A gather gives that of one texel
/// with weight 256.
///
/// - Numbers of a slice are aligned to the largest one that has a weight, and cut off 4 bits behind its last one; the sum
///   of their products is rounded to the format, a half away from zero. Singles that are subnormal are zero before and
///   after. The sum of two slices is rounded down 1 bit behind the last of the products of the one with the larger number;
///   in 214 of 262,144 filters of random numbers in three dimensions an H200 gives another last bit, which is not explained.
/// - One NaN, and infinities of both signs, give one NaN; an infinity gives itself, whatever its weight. A sum of zeros is
///   negative if all are.
/// - Integers give 16 bits, with sign or without, a half rounded up; bytes have 1 + 2^-7 + 2^-15 (signed) or 257 (unsigned)
///   times their weight before.
std::uint32_t filtered_channel(const TexelFormat& format, std::span<const WeightedTexel> texels);

}  // namespace lockstep::exec
