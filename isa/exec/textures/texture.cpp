#include "isa/exec/textures/texture.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace lockstep::exec {

namespace {

// CUDA C++ Programming Guide, technical specifications: the largest of any compute capability.
constexpr std::uint64_t most_linear = std::uint64_t{1} << 28, most_1d = 131072, most_2d = 131072, most_3d = 16384,
                        most_layers = 2048;

constexpr std::string_view kinds = "usf";  ///< In the order of TexelFormat::Kind.

std::string extent_problem(const Texture& t) {
  const bool linear = t.layout == TextureLayout::linear;
  const std::uint64_t most = linear                ? most_linear
                             : t.dimensions() == 1 ? most_1d
                             : t.dimensions() == 2 ? most_2d
                                                   : most_3d;
  if (t.width == 0) return "a texture is at least one texel wide";
  if (t.depth != 0 && t.height == 0) return "a texture with a depth has a height";
  for (const std::uint64_t extent : {t.width, t.height, t.depth}) {
    if (extent > most) return fmt::format("an extent of {} texels; at most {} are possible", extent, most);
  }
  if (t.layers > most_layers) return fmt::format("{} layers; at most {} are possible", t.layers, most_layers);
  return {};
}

std::string layout_problem(const Texture& t) {
  if (t.layout == TextureLayout::linear && (t.dimensions() != 1 || t.layers != 0)) {
    return "linear memory has one dimension; layout 'pitch' or 'array' has more";
  }
  if (t.layout == TextureLayout::pitch && (t.dimensions() != 2 || t.layers != 0)) {
    return "pitch-linear memory has two dimensions: a width and a height";
  }
  if (t.layers != 0 && t.depth != 0) return "a layered texture has one or two dimensions, not three";
  if (t.pitch_bytes != 0 && t.layout != TextureLayout::pitch) return "only layout 'pitch' has a pitch";
  if (t.pitch_bytes != 0 && t.pitch_bytes < t.width * t.format.bytes()) {
    return fmt::format("a pitch of {} bytes is less than a row of {} texels of {} bytes", t.pitch_bytes, t.width,
                       t.format.bytes());
  }
  if (t.row_bytes() % t.format.bytes() != 0 && t.layout == TextureLayout::pitch) {
    return fmt::format("a pitch of {} bytes is not a multiple of the texel's {} bytes", t.pitch_bytes,
                       t.format.bytes());
  }
  return {};
}

std::string sampling_problem(const Texture& t) {
  const Sampling& s = t.sampling;
  const bool floating = t.format.kind == TexelFormat::Kind::floating;
  if (s.normalized_read && (floating || t.format.bits == 32)) {
    return fmt::format("the format {} is not read as a normalized float; 8- and 16-bit integers are",
                       name_of(t.format));
  }
  if (t.layout == TextureLayout::linear && (s.filter != FilterMode::point || s.normalized_coordinates)) {
    return "linear memory has neither filtering nor normalized coordinates; layout 'array' has";
  }
  if (s.filter == FilterMode::linear && !floating && !s.normalized_read) {
    return fmt::format("linear filtering needs a floating-point value, but {} is read as an integer",
                       name_of(t.format));
  }
  return {};
}

}  // namespace

std::string name_of(const TexelFormat& format) {
  const char kind = kinds[static_cast<std::size_t>(format.kind)];
  return format.channels == 1 ? fmt::format("{}{}", kind, format.bits)
                              : fmt::format("{}{}x{}", kind, format.bits, format.channels);
}

bool texel_format_named(const std::string& name, TexelFormat& result) {
  for (const auto kind :
       {TexelFormat::Kind::unsigned_integer, TexelFormat::Kind::signed_integer, TexelFormat::Kind::floating}) {
    for (const std::uint8_t bits : {8, 16, 32}) {
      if (kind == TexelFormat::Kind::floating && bits == 8) continue;
      for (const std::uint8_t channels : {1, 2, 4}) {
        const TexelFormat format{kind, bits, channels};
        if (name_of(format) != name) continue;
        result = format;
        return true;
      }
    }
  }
  return false;
}

std::string_view name_of(AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap: return "wrap";
    case AddressMode::clamp: return "clamp";
    case AddressMode::mirror: return "mirror";
    case AddressMode::border: return "border";
  }
  return "";
}

std::string_view name_of(FilterMode mode) {
  return mode == FilterMode::point ? "point" : "linear";
}

std::string_view name_of(TextureLayout layout) {
  switch (layout) {
    case TextureLayout::linear: return "linear";
    case TextureLayout::pitch: return "pitch";
    case TextureLayout::array: return "array";
  }
  return "";
}

std::uint64_t Texture::span_bytes() const {
  const std::uint64_t rows = height == 0 ? 1 : height;
  const std::uint64_t slices = (depth == 0 ? 1 : depth) * (layers == 0 ? 1 : layers);
  return (slices * rows - 1) * row_bytes() + width * format.bytes();
}

std::string texture_problem(const Texture& texture, std::uint64_t buffer_bytes) {
  for (const auto problem : {extent_problem, layout_problem, sampling_problem}) {
    if (std::string text = problem(texture); !text.empty()) return text;
  }
  // Smaller than 2^60, because the extents are.
  const std::uint64_t needed = texture.span_bytes();
  if (texture.offset % texture.format.bytes() != 0) {
    return fmt::format("it begins at byte {}, which is not a multiple of the texel's {} bytes", texture.offset,
                       texture.format.bytes());
  }
  if (texture.offset > buffer_bytes || needed > buffer_bytes - texture.offset) {
    return fmt::format("its texels take {} bytes from byte {} on, but the buffer has {} bytes", needed, texture.offset,
                       buffer_bytes);
  }
  return {};
}

}  // namespace lockstep::exec
