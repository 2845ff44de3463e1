#include "isa/exec/textures/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "isa/exec/arithmetic/half.hpp"
#include "isa/exec/textures/filter.hpp"

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

/// The float of a channel.
float real_channel(std::uint32_t raw, const TexelFormat& format) {
  switch (format.kind) {
    case TexelFormat::Kind::floating: return std::bit_cast<float>(raw);
    case TexelFormat::Kind::unsigned_integer:
      return static_cast<float>(raw) / static_cast<float>((1U << format.bits) - 1);
    case TexelFormat::Kind::signed_integer:
      return std::max(-1.0F, static_cast<float>(static_cast<std::int32_t>(raw)) /
                                 static_cast<float>((1U << (format.bits - 1)) - 1));
  }
  return 0;
}

/// The channels of one texel as they stand in memory, extended to 32 bits.
TexelBits raw_texel(const PlacedTexture& texture, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  const TexelFormat& format = texture.texture->format;
  TexelBits bits{};
  const std::byte* at = texture.bytes(x * format.bytes(), y, z);
  for (unsigned c = 0; c < format.channels; ++c, at += format.bits / 8) bits[c] = raw_channel(at, format);
  return bits;
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
  // 9 bits with 8 of fraction: 0 to 256 of 256. Where clamping makes both texels one, an H200 gives the first one all the
  // weight, which shows in the products of three.
  const bool is_one_texel = mode == AddressMode::clamp && (at < 0 || at > static_cast<double>(extent - 1));
  const auto fraction =
      is_one_texel ? std::uint16_t{0} : static_cast<std::uint16_t>(std::floor((at - lower) * 256 + 0.5));
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
    if (!x.inside[0] || !y.inside[0] || !z.inside[0]) return {};
    TexelBits bits = raw_texel(texture, x.index[0], y.index[0], z.index[0]);
    // Numbers keep the bits of their NaNs.
    if (!real || texture.texture->format.kind == TexelFormat::Kind::floating) return bits;
    for (unsigned c = 0; c < texture.texture->format.channels; ++c)
      bits[c] = std::bit_cast<std::uint32_t>(real_channel(bits[c], texture.texture->format));
    return bits;
  }
  const auto fraction = [](const AxisTexels& axis) { return axis.count == 1 ? 0 : int{axis.weight[1]}; };
  const Weights weights = weights_of({fraction(x), fraction(y), fraction(z)});
  std::array<std::array<WeightedTexel, 8>, 4> taking_part{};  // By channel.
  std::size_t count = 0;
  for (unsigned k = 0; k < z.count; ++k) {
    for (unsigned j = 0; j < y.count; ++j) {
      for (unsigned i = 0; i < x.count; ++i) {
        if (x.weight[i] == 0 || y.weight[j] == 0 || z.weight[k] == 0) continue;
        const bool inside = x.inside[i] && y.inside[j] && z.inside[k];
        const TexelBits bits = inside ? raw_texel(texture, x.index[i], y.index[j], z.index[k]) : TexelBits{};
        for (unsigned c = 0; c < 4; ++c) taking_part[c][count] = {weights[i + 2 * j + 4 * k], bits[c], k == 1};
        ++count;
      }
    }
  }
  const TexelFormat& format = texture.texture->format;
  TexelBits result{};
  for (unsigned c = 0; c < format.channels; ++c)
    result[c] = filtered_channel(format, std::span(taking_part[c]).first(count));
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
    const std::uint32_t raw = raw_texel(texture, x.index[i], y.index[j], z.index[0])[channel];
    result[n] = real ? filtered_channel(texture.texture->format, std::array{WeightedTexel{256, raw, false}}) : raw;
  }
  return result;
}

}  // namespace lockstep::exec
