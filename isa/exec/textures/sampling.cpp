#include "isa/exec/textures/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "isa/exec/arithmetic/float_format.hpp"
#include "isa/exec/arithmetic/half.hpp"

namespace lockstep::exec {

namespace {

constexpr double farthest = 1e12;  ///< Texels; beyond it every coordinate is equally far outside.

/// The texel that an index stands for; false for the border.
bool resolve(std::int64_t index, std::uint64_t extent, AddressMode mode, std::uint64_t& texel) {
  const auto n = static_cast<std::int64_t>(extent);
  texel = static_cast<std::uint64_t>(std::clamp<std::int64_t>(index, 0, n - 1));
  if (index >= 0 && index < n) return true;
  switch (mode) {
    case AddressMode::clamp: return true;
    case AddressMode::border: return false;
    case AddressMode::wrap: texel = static_cast<std::uint64_t>((index % n + n) % n); return true;
    case AddressMode::mirror: {
      const std::int64_t place = (index % (2 * n) + 2 * n) % (2 * n);
      texel = static_cast<std::uint64_t>(place < n ? place : 2 * n - 1 - place);
      return true;
    }
  }
  return true;
}

AddressMode effective(AddressMode mode, bool normalized) {
  return !normalized && (mode == AddressMode::wrap || mode == AddressMode::mirror) ? AddressMode::clamp : mode;
}

/// The coordinate in texels; the product is exact: 24 bits times at most 28. Wrapping and mirroring happen to the number
/// of the texel, which differs from a mirrored coordinate at exact multiples of a texel only; there, GPUs do the former.
double in_texels(float coordinate, double extent, bool normalized) {
  if (std::isnan(coordinate)) return 0;
  return std::clamp(normalized ? coordinate * extent : double{coordinate}, -farthest, farthest);
}

/// A half as a single. Fetches keep the bits of a NaN, as an H200 does.
std::uint32_t widened(std::uint16_t half) {
  if ((half & 0x7fffu) <= 0x7c00) return std::bit_cast<std::uint32_t>(to_float(Half{half}));
  return (half & 0x8000u) << 16 | 0x7f800000u | (half & 0x3ffu) << 13;
}

/// Value of one channel as it stands in memory, extended to 32 bits.
std::uint32_t raw_channel(const std::byte* at, const TexelFormat& format) {
  const bool is_signed = format.kind == TexelFormat::Kind::signed_integer;
  if (format.bits == 8) {
    const auto value = static_cast<std::uint8_t>(*at);
    return is_signed ? static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(value)}) : value;
  }
  if (format.bits == 16) {
    std::uint16_t value;
    std::memcpy(&value, at, sizeof value);
    if (format.kind == TexelFormat::Kind::floating) return widened(value);
    return is_signed ? static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(value)}) : value;
  }
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// How a channel is read: as it stands in memory, as a floating-point number, or as the number that filters and gathers
/// of an H200 see.
enum class Reading : std::uint8_t { raw, real, filter };

/// The float of a channel. Filters take the 7 bits of a signed byte twice, as the 15 of a signed word.
float real_channel(std::uint32_t raw, const TexelFormat& format, Reading reading) {
  switch (format.kind) {
    case TexelFormat::Kind::floating: return std::bit_cast<float>(raw);
    case TexelFormat::Kind::unsigned_integer:
      return static_cast<float>(raw) / static_cast<float>((1U << format.bits) - 1);
    case TexelFormat::Kind::signed_integer: {
      const auto value = static_cast<std::int32_t>(raw);
      if (reading == Reading::filter && format.bits == 8) {
        const int magnitude = std::min(std::abs(value), 127);
        return std::copysign(static_cast<float>(magnitude << 8 | magnitude << 1 | magnitude >> 6) / 32767.0F,
                             static_cast<float>(value));
      }
      return std::max(-1.0F, static_cast<float>(value) / static_cast<float>((1U << (format.bits - 1)) - 1));
    }
  }
  return 0;
}

/// The channels of one texel as the fetch returns them, before filtering.
TexelBits texel(const PlacedTexture& texture, Reading reading, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  const TexelFormat& format = texture.texture->format;
  TexelBits bits{};
  const std::byte* at = texture.bytes(x * format.bytes(), y, z);
  for (unsigned c = 0; c < format.channels; ++c, at += format.bits / 8) {
    const std::uint32_t raw = raw_channel(at, format);
    const bool keeps = reading == Reading::raw || format.kind == TexelFormat::Kind::floating;
    bits[c] = keeps ? raw : std::bit_cast<std::uint32_t>(real_channel(raw, format, reading));
  }
  return bits;
}

/// What filters and gathers of an H200 give: halves for textures of halves, no subnormals, one NaN.
std::uint32_t leaving_filter(double value, const TexelFormat& format) {
  const bool is_half = format.kind == TexelFormat::Kind::floating && format.bits == 16;
  if (std::isnan(value)) return is_half ? 0x7fffe000 : canonical_float_nan;
  const float result = is_half ? to_float(from_double<Half>(value, Rounding::nearest)) : static_cast<float>(value);
  return std::bit_cast<std::uint32_t>(flush_denormal(result));
}

using Weights = std::array<int, 8>;  ///< In 1/256, of texel (i, j, k) at i + 2 j + 4 k.

/// weight * fraction / 256, rounded.
int share(int weight, int fraction) {
  return (weight * fraction + 128) / 256;
}

/// The CUDA guide gives each texel the product of its weights along the axes. GPUs keep 8 bits of fraction of the
/// products, too, and all of them together are 256. How they do it is inferred from samples of an H200: x, then z, then
/// y is split; see tests/unit/isa/exec/textures/hardware_test.cpp.
Weights weights_of(const Footprint& footprint) {
  const auto& [x, y, z] = footprint.axis;
  const int in_x = x.count == 1 ? 0 : x.weight[1], in_y = y.count == 1 ? 0 : y.weight[1],
            in_z = z.count == 1 ? 0 : z.weight[1];
  const int both = share(in_x, in_z);
  const std::array<int, 4> of_xz{256 - in_x - in_z + both, in_x - both, in_z - both, both};
  Weights weights{};
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned i = n & 1, k = n >> 1;
    const int upper = i == 1 ? share(of_xz[n], in_y) : of_xz[n] - share(of_xz[n], 256 - in_y);
    weights[i + 4 * k] = of_xz[n] - upper;
    weights[i + 2 + 4 * k] = upper;
  }
  return weights;
}

}  // namespace

AxisTexels axis_at(float coordinate, std::uint64_t extent, AddressMode mode, bool normalized, FilterMode filter,
                   int shift) {
  mode = effective(mode, normalized);
  double at = in_texels(coordinate, static_cast<double>(extent), normalized) + shift;
  AxisTexels axis;
  if (filter == FilterMode::point) {
    axis.inside[0] = resolve(static_cast<std::int64_t>(std::floor(at)), extent, mode, axis.index[0]);
    return axis;
  }
  at -= 0.5;
  const double lower = std::floor(at);
  // 9 bits with 8 of fraction: 0 to 256 of 256.
  const auto fraction = static_cast<std::uint16_t>(std::floor((at - lower) * 256 + 0.5));
  axis.count = 2;
  axis.weight = {static_cast<std::uint16_t>(256 - fraction), fraction};
  for (unsigned k = 0; k < 2; ++k) {
    axis.inside[k] = resolve(static_cast<std::int64_t>(lower) + k, extent, mode, axis.index[k]);
  }
  return axis;
}

bool first_address(const PlacedTexture& texture, const Footprint& footprint, std::uint64_t& address) {
  std::array<std::uint64_t, 3> index{};
  for (unsigned d = 0; d < 3; ++d) {
    const AxisTexels& axis = footprint.axis[d];
    const unsigned first = axis.inside[0] ? 0 : 1;
    if (first >= axis.count || !axis.inside[first]) return false;
    index[d] = axis.index[first];
  }
  address = texture.address(index[0] * texture.texture->format.bytes(), index[1], index[2]);
  return true;
}

TexelBits filtered(const PlacedTexture& texture, const Sampling& sampling, const Footprint& footprint) {
  const auto& [x, y, z] = footprint.axis;
  const bool real = returns_float(*texture.texture, sampling);
  if (x.count == 1) {
    const bool inside = x.inside[0] && y.inside[0] && z.inside[0];
    return inside ? texel(texture, real ? Reading::real : Reading::raw, x.index[0], y.index[0], z.index[0])
                  : TexelBits{};
  }
  const Weights weights = weights_of(footprint);
  std::array<double, 4> sum{};
  for (unsigned k = 0; k < z.count; ++k) {
    for (unsigned j = 0; j < y.count; ++j) {
      for (unsigned i = 0; i < x.count; ++i) {
        const int weight = weights[i + 2 * j + 4 * k];
        if (weight == 0 || !x.inside[i] || !y.inside[j] || !z.inside[k]) continue;
        const TexelBits bits = texel(texture, Reading::filter, x.index[i], y.index[j], z.index[k]);
        for (unsigned c = 0; c < 4; ++c) sum[c] += weight * double{std::bit_cast<float>(bits[c])};
      }
    }
  }
  TexelBits result;
  for (unsigned c = 0; c < 4; ++c) result[c] = leaving_filter(sum[c] / 256, texture.texture->format);
  return result;
}

TexelBits gathered(const PlacedTexture& texture, const Sampling& sampling, const Footprint& footprint,
                   unsigned channel) {
  static constexpr std::array<std::array<unsigned, 2>, 4> order{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  const auto& [x, y, z] = footprint.axis;
  const bool real = returns_float(*texture.texture, sampling);
  TexelBits result{};
  for (unsigned n = 0; n < 4; ++n) {
    const auto [i, j] = order[n];
    if (!x.inside[i] || !y.inside[j]) continue;
    const std::uint32_t bits =
        texel(texture, real ? Reading::filter : Reading::raw, x.index[i], y.index[j], z.index[0])[channel];
    result[n] = real ? leaving_filter(double{std::bit_cast<float>(bits)}, texture.texture->format) : bits;
  }
  return result;
}

}  // namespace lockstep::exec
