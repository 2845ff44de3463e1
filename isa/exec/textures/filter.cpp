#include "isa/exec/textures/filter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace lockstep::exec {

namespace {

constexpr std::uint32_t sign_bit = 0x80000000, infinity = 0x7f800000;
constexpr int single_bits = 24, half_bits = 11, bias = 127;
constexpr int guard_bits = 4, weight_bits = 8, slice_bits = 1;

/// weight * fraction / 256, rounded.
int share(int weight, int fraction) {
  return (weight * fraction + 128) / 256;
}

int exponent_of(std::uint32_t bits) {
  return static_cast<int>(bits >> 23 & 255);
}
/// Of a half, a subnormal one, too, as a single; a single that is subnormal counts as zero.
bool is_zero(std::uint32_t bits) {
  return exponent_of(bits) == 0;
}

/// sum * 2^unit as a half or a single, a half of its last bit rounded away from zero.
std::uint32_t rounded(std::int64_t sum, int unit, bool is_half) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const int exponent = std::bit_width(magnitude) - 1 + unit;
  const int last = is_half ? std::max(exponent, -14) - (half_bits - 1) : exponent - (single_bits - 1);
  const int dropped = last - unit;
  const std::uint64_t kept =
      dropped > 0 ? (magnitude + (std::uint64_t{1} << (dropped - 1))) >> dropped : magnitude << -dropped;
  const double value = std::ldexp(static_cast<double>(kept), last);
  const bool is_flushed = !is_half && value < 0x1p-126;
  return (sum < 0 ? sign_bit : 0) | (is_flushed ? 0 : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

/// The sum of the products of one slice along z, in units of 2^exponent where the significand of a number is an integer,
/// divided by 2^(guard_bits + weight_bits).
struct SliceSum {
  std::int64_t sum = 0;
  int exponent = 0;  ///< Of the largest number, as in its bits; 0: all are zero.
};

SliceSum sum_of_slice(bool is_half, bool is_behind, std::span<const WeightedTexel> texels) {
  SliceSum slice;
  for (const auto& [weight, raw, behind] : texels) {
    if (behind == is_behind && weight != 0) slice.exponent = std::max(slice.exponent, exponent_of(raw));
  }
  const int unused = is_half ? single_bits - half_bits : 0;  // Of the bits of a single.
  for (const auto& [weight, raw, behind] : texels) {
    if (behind != is_behind || weight == 0 || is_zero(raw)) continue;
    const std::int64_t significand = (raw & 0x7fffff) | 0x800000;
    const std::int64_t aligned = significand << guard_bits >> std::min(slice.exponent - exponent_of(raw) + unused, 63);
    slice.sum += weight * ((raw & sign_bit) != 0 ? -aligned : aligned);
  }
  return slice;
}

std::uint32_t filtered_numbers(bool is_half, std::span<const WeightedTexel> texels) {
  bool has_nan = false, is_negative_zero = true;
  std::uint32_t infinities = 0;  // Bit 0: a positive one; bit 1: a negative one.
  for (const auto& [weight, raw, behind] : texels) {
    has_nan |= (raw & ~sign_bit) > infinity;
    if ((raw & ~sign_bit) == infinity) infinities |= (raw & sign_bit) != 0 ? 2 : 1;
    is_negative_zero &= is_zero(raw) && (raw & sign_bit) != 0;
  }
  if (has_nan || infinities == 3) return is_half ? 0x7fffe000 : 0x7fffffff;
  if (infinities != 0) return infinity | (infinities == 2 ? sign_bit : 0);
  SliceSum larger = sum_of_slice(is_half, false, texels), smaller = sum_of_slice(is_half, true, texels);
  if (smaller.exponent > larger.exponent) std::swap(larger, smaller);
  const int shift = std::min(larger.exponent - smaller.exponent, 62);
  const std::int64_t sum = (larger.sum << slice_bits) + (smaller.sum << slice_bits >> shift);
  if (sum == 0) return is_negative_zero ? sign_bit : 0;
  const int last = larger.exponent - bias - ((is_half ? half_bits : single_bits) - 1);  // Of the largest number.
  return rounded(sum, last - guard_bits - weight_bits - slice_bits, is_half);
}

}  // namespace

Weights weights_of(const Fractions& fractions) {
  const auto [x, y, z] = fractions;
  Weights weights{};
  for (unsigned k = 0; k < 2; ++k) {
    const int slice = k == 1 ? z : 256 - z, right = share(slice, x), left = slice - right;
    const int lower_left = share(left, 256 - y), upper_right = share(right, y);
    weights[4 * k] = lower_left;
    weights[1 + 4 * k] = right - upper_right;
    weights[2 + 4 * k] = left - lower_left;
    weights[3 + 4 * k] = upper_right;
  }
  return weights;
}

std::uint32_t filtered_channel(const TexelFormat& format, std::span<const WeightedTexel> texels) {
  if (format.kind == TexelFormat::Kind::floating) return filtered_numbers(format.bits == 16, texels);
  const bool is_signed = format.kind == TexelFormat::Kind::signed_integer;
  std::int32_t sum = 0;
  for (const auto& [weight, raw, behind] : texels) sum += weight * static_cast<std::int32_t>(raw);
  if (format.bits == 8 && is_signed) {
    sum += ((sum >> 4) + (sum >> 12) + 4) >> 3;
  } else {
    sum = (sum * (format.bits == 8 ? 257 : 1) + 128) >> 8;
  }
  const std::int32_t most = is_signed ? 32767 : 65535;
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::max(sum, -most)) / static_cast<float>(most));
}

}  // namespace lockstep::exec
