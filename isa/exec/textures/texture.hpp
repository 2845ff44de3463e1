#pragma once
// Textures and surfaces as a task describes them: which buffer, in which format and layout, and how it is sampled.
// The meaning of every field is that of the CUDA C++ Programming Guide, "Texture and Surface Memory" and "Texture
// Fetching".

#include <array>
#include <cstdint>
#include <string>

namespace lockstep::exec {

/// What one texel consists of: 1, 2 or 4 channels of 8, 16 or 32 bits; floating point of 16 or 32.
struct TexelFormat {
  enum class Kind : std::uint8_t { unsigned_integer, signed_integer, floating };
  Kind kind = Kind::floating;
  std::uint8_t bits = 32;  ///< Of one channel.
  std::uint8_t channels = 1;

  unsigned bytes() const { return bits / 8U * channels; }
};
/// "f32", "u8x4"; and back, false when there is no such format.
std::string name_of(const TexelFormat& format);
bool texel_format_named(const std::string& name, TexelFormat& result);

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class FilterMode : std::uint8_t { point, linear };
std::string_view name_of(AddressMode mode);
std::string_view name_of(FilterMode mode);

/// How coordinates become texels and texels a value.
struct Sampling {
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  FilterMode filter = FilterMode::point;
  bool normalized_coordinates = false;  ///< 0 to 1 spans the texture.
  bool normalized_read = false;         ///< 8- and 16-bit integers are read as 0 to 1 or -1 to 1.
};

/// Where the texels lie. linear: one row, read by integer coordinates only (tex1Dfetch). pitch: rows at multiples of
/// `pitch_bytes`. array: a CUDA array, in blocks of 64 bytes by 8 rows (see texture_layout.hpp).
enum class TextureLayout : std::uint8_t { linear, pitch, array };
std::string_view name_of(TextureLayout layout);

/// A texture or surface object over a buffer, from byte `offset` of it on. In the buffer the rows of an array stand one
/// after the other; contents are shared with the buffer, only the addresses are those of the layout.
struct Texture {
  std::string name;
  std::uint32_t buffer = 0;  ///< Index into Task::buffers.
  std::uint64_t offset = 0;
  TexelFormat format;
  TextureLayout layout = TextureLayout::linear;
  std::uint64_t width = 0, height = 0, depth = 0;  ///< In texels; 0: the texture has no such dimension.
  std::uint64_t layers = 0;                        ///< Of a layered texture, else 0.
  std::uint64_t pitch_bytes = 0;                   ///< Of layout pitch; 0: rows without a gap.
  Sampling sampling;

  unsigned dimensions() const { return depth != 0 ? 3 : height != 0 ? 2 : 1; }
  std::uint64_t row_bytes() const { return pitch_bytes != 0 ? pitch_bytes : width * format.bytes(); }
  /// Bytes of the buffer that its texels take, from `offset` on.
  std::uint64_t span_bytes() const;
};

/// What no GPU can sample, or "" when all is well. `buffer_bytes` is the size of the buffer.
std::string texture_problem(const Texture& texture, std::uint64_t buffer_bytes);

}  // namespace lockstep::exec
