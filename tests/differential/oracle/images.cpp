#include "tests/differential/oracle/images.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tests/differential/oracle/floats.hpp"
#include "tests/differential/oracle/integers.hpp"

namespace lockstep::differential {

namespace {

using exec::AddressMode;
using exec::TextureLayout;
using ptx::Opcode;
using Kind = exec::TexelFormat::Kind;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

class ImageStep {
 public:
  ImageStep(const ImageAccess& access, const Image& image, std::span<std::uint8_t> texels, Thread& thread,
            Registers& registers)
      : access_(access),
        one_(access.instruction),
        image_(image),
        texture_(image.texture),
        texels_(texels),
        thread_(thread),
        registers_(registers) {}

  void run() {
    switch (one_.opcode) {
      case Opcode::tex: return fetch();
      case Opcode::tld4: return gather();
      case Opcode::suld:
      case Opcode::sust: return access_surface();
      default: registers_[one_.writes[0]] = answer();
    }
  }

 private:
  unsigned dimensions() const { return texture_.dimensions(); }
  bool is_layered() const { return texture_.layers != 0; }

  /// Before it becomes a floating-point one.
  std::int64_t whole(unsigned d) {
    const Coordinate& c = access_.at[d];
    const std::uint64_t value = low_bits(registers_[c.from] + c.first, 32);
    if (c.is_inside) return static_cast<std::int64_t>(value % image_.extent()[d]);
    return static_cast<std::int64_t>(value % 64) - 16;
  }

  // ---- textures ----

  /// Sixty-fourths of a texel: every coordinate that is drawn is a multiple of a 32nd of a texel or of the extent.
  static constexpr std::int64_t unit = 64;
  bool is_real() const { return types_of(one_.modifiers)[1] == "f32"; }
  std::int64_t in_units(unsigned d) {
    const std::int64_t scaled = whole(d) * (unit >> access_.scale);
    return texture_.sampling.normalized_coordinates ? scaled * static_cast<std::int64_t>(image_.extent()[d]) : scaled;
  }
  std::int64_t offset(unsigned d) const { return access_.offset ? (*access_.offset)[d] : 0; }

  /// None: the border.
  std::optional<std::uint64_t> texel_along(unsigned d, std::int64_t index) const {
    const auto extent = static_cast<std::int64_t>(image_.extent()[d]);
    if (index >= 0 && index < extent) return static_cast<std::uint64_t>(index);
    AddressMode mode = texture_.sampling.address[d];
    // Modes that repeat are for normalized coordinates only.
    if (!texture_.sampling.normalized_coordinates && mode != AddressMode::border) mode = AddressMode::clamp;
    if (mode == AddressMode::border) return std::nullopt;
    if (mode == AddressMode::clamp) return static_cast<std::uint64_t>(index < 0 ? 0 : extent - 1);
    const std::int64_t period = floor_div(index, extent), within = index - period * extent;
    const bool mirrors = mode == AddressMode::mirror && period % 2 != 0;
    return static_cast<std::uint64_t>(mirrors ? extent - 1 - within : within);
  }

  std::uint64_t layer() {
    return std::min<std::uint64_t>(low_bits(static_cast<std::uint64_t>(whole(2)), 32), texture_.layers - 1);
  }

  /// Integer coordinates: no address mode; an H200 gives zero outside, but .level the nearest texel, and always zero in
  /// arrays of one dimension without layers.
  std::optional<std::uint64_t> texel_at(unsigned d) {
    const auto most = static_cast<std::int64_t>(image_.extent()[d]) - 1;
    const std::int64_t index = whole(d) + (d < dimensions() ? offset(d) : 0);
    const bool is_plain_array = texture_.layout == TextureLayout::array && dimensions() == 1 && !is_layered();
    if (is_plain_array || (!one_.has("level") && (index < 0 || index > most))) return std::nullopt;
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(index, 0, most));
  }

  std::size_t byte_of(std::uint64_t x_bytes, std::uint64_t y, std::uint64_t z) const {
    return texture_.offset + (z * image_.extent()[1] + y) * texture_.row_bytes() + x_bytes;
  }

  std::uint32_t channel(std::size_t at, unsigned number) const {
    const unsigned bits = texture_.format.bits;
    if (number >= texture_.format.channels) return 0;
    std::uint64_t raw = 0;
    std::memcpy(&raw, texels_.data() + at + number * bits / 8, bits / 8);
    const bool is_signed_texel = texture_.format.kind == Kind::signed_integer;
    if (texture_.format.kind == Kind::floating) return bits == 32 ? static_cast<std::uint32_t>(raw) : widened(raw);
    auto value = static_cast<std::int64_t>(raw);
    if (is_signed_texel && (raw >> (bits - 1)) != 0) value -= std::int64_t{1} << bits;
    if (!texture_.sampling.normalized_read) return static_cast<std::uint32_t>(value);
    const std::int64_t most = (std::int64_t{1} << (is_signed_texel ? bits - 1 : bits)) - 1;
    if (one_.opcode == Opcode::tld4 && most == 127) return gathered_byte(value);
    const float quotient = static_cast<float>(std::max(value, -most)) / static_cast<float>(most);
    std::uint32_t result;
    std::memcpy(&result, &quotient, sizeof result);
    return result;
  }

  /// A gather of an H200 makes 15 bits of the 7 of a signed byte: the byte 256 times, twice and a 128th of it, rounded.
  static std::uint32_t gathered_byte(std::int64_t value) {
    constexpr std::int64_t most = 32767;
    const std::int64_t widened = value * 256 + floor_div(value * 16 + floor_div(value, 16) + 4, 8);
    const float quotient = static_cast<float>(std::max(widened, -most)) / static_cast<float>(most);
    std::uint32_t result;
    std::memcpy(&result, &quotient, sizeof result);
    return result;
  }
  /// A gather of an H200 gives one NaN and no subnormals.
  std::uint32_t gathered(std::uint32_t bits) const {
    if (texture_.format.kind != Kind::floating) return bits;
    if ((bits & 0x7fffffff) > 0x7f800000) return texture_.format.bits == 16 ? 0x7fffe000 : 0x7fffffff;
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
  }

  /// A half as a single.
  static std::uint32_t widened(std::uint64_t half) {
    const auto sign = static_cast<std::uint32_t>(half >> 15) << 31;
    const auto exponent = static_cast<std::uint32_t>(half >> 10 & 31);
    auto fraction = static_cast<std::uint32_t>(half & 1023);
    if (exponent == 31) return sign | 0x7f800000 | fraction << 13;
    if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    std::uint32_t shift = 0;
    for (; (fraction & 1024) == 0; fraction <<= 1) ++shift;
    return sign | (113 - shift) << 23 | (fraction & 1023) << 13;
  }

  void give(const std::array<std::uint32_t, 4>& values) {
    for (unsigned c = 0; c < 4; ++c) registers_[one_.writes[c]] = values[c];
    if (one_.writes.size() > 4) registers_[one_.writes[4]] = 1;
  }

  void fetch() {
    std::array<std::uint64_t, 3> at{};
    for (unsigned d = 0; d < dimensions(); ++d) {
      const auto found = is_real() ? texel_along(d, floor_div(in_units(d), unit) + offset(d)) : texel_at(d);
      if (!found) return give({});
      at[d] = *found;
    }
    if (is_layered()) {
      if (!is_real() && !texel_at(2)) return give({});
      at[2] = layer();
    }
    const std::size_t byte = byte_of(at[0] * texture_.format.bytes(), at[1], at[2]);
    give({channel(byte, 0), channel(byte, 1), channel(byte, 2), channel(byte, 3)});
  }

  void gather() {
    constexpr std::array<std::array<int, 2>, 4> corners{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    const auto number = static_cast<unsigned>(std::string_view("rgba").find(one_.modifiers[0]));
    std::array<std::uint32_t, 4> values{};
    for (unsigned n = 0; n < 4; ++n) {
      std::array<std::optional<std::uint64_t>, 2> at;
      for (unsigned d = 0; d < 2; ++d)
        at[d] = texel_along(d, floor_div(in_units(d) - unit / 2, unit) + offset(d) + corners[n][d]);
      if (!at[0] || !at[1]) continue;
      const std::size_t byte = byte_of(*at[0] * texture_.format.bytes(), *at[1], is_layered() ? layer() : 0);
      values[n] = gathered(channel(byte, number));
    }
    give(values);
  }

  // ---- queries: the numbers of OpenCL 1.2, cl.h (PTX ISA 5.3.3) ----

  std::uint32_t answer() const {
    if (one_.has("width")) return static_cast<std::uint32_t>(texture_.width);
    if (one_.has("height")) return static_cast<std::uint32_t>(texture_.height);
    if (one_.has("depth")) return static_cast<std::uint32_t>(texture_.depth);
    if (one_.has("array_size")) return static_cast<std::uint32_t>(texture_.layers);
    if (one_.has("normalized_coords")) return texture_.sampling.normalized_coordinates ? 1 : 0;
    if (one_.has("channel_order")) {
      constexpr std::uint32_t red = 0x10B0, red_green = 0x10B2, rgba = 0x10B5;
      return texture_.format.channels == 1 ? red : texture_.format.channels == 2 ? red_green : rgba;
    }
    constexpr std::uint32_t snorm_int8 = 0x10D0, unorm_int8 = 0x10D2, signed_int8 = 0x10D7, unsigned_int8 = 0x10DA,
                            half_float = 0x10DD;
    const std::uint32_t size = texture_.format.bits == 8 ? 0 : texture_.format.bits == 16 ? 1 : 2;
    const bool is_signed_texel = texture_.format.kind == Kind::signed_integer;
    if (texture_.format.kind == Kind::floating) return half_float + size - 1;
    if (texture_.sampling.normalized_read) return (is_signed_texel ? snorm_int8 : unorm_int8) + size;
    return (is_signed_texel ? signed_int8 : unsigned_int8) + size;
  }

  // ---- surfaces ----

  void access_surface() {
    const unsigned width = width_of(types_of(one_.modifiers).back()) / 8;
    const bool stores = one_.opcode == Opcode::sust;
    const std::size_t elements = stores ? one_.reads.size() : one_.writes.size(), bytes = elements * width;
    const std::optional<std::size_t> at = image_.use == Image::Use::own_surface ? own_byte(bytes) : byte_or_none(bytes);
    for (std::size_t e = 0; e < elements; ++e) {
      if (stores) {
        const std::uint64_t value = registers_[one_.reads[e].reg];
        std::memcpy(texels_.data() + *at + e * width, &value, width);
        continue;
      }
      std::uint64_t value = 0;
      if (at) std::memcpy(&value, texels_.data() + *at + e * width, width);
      registers_[one_.writes[e]] = value;
    }
  }

  std::size_t own_byte(std::size_t bytes) {
    const std::uint64_t slot =
        low_bits(registers_[access_.at[0].from] + access_.at[0].first, 32) % (own_surface_bytes / bytes);
    return texture_.offset + std::size_t{thread_.in_grid} * own_surface_bytes + slot * bytes;
  }

  /// None: outside, with .zero.
  std::optional<std::size_t> byte_or_none(std::size_t bytes) {
    std::array<std::int64_t, 3> at{};
    for (unsigned d = 0; d < 3; ++d) {
      if (d >= dimensions() && !(d == 2 && is_layered())) continue;
      const std::uint64_t elements = d == 0 ? texture_.row_bytes() / bytes : image_.extent()[d];
      const Coordinate& c = access_.at[d];
      const std::uint64_t value = low_bits(registers_[c.from] + c.first, 32);
      at[d] = c.is_inside ? static_cast<std::int64_t>(value % elements) : static_cast<std::int64_t>(value % 64) - 16;
      const std::int64_t nearest = std::clamp<std::int64_t>(at[d], 0, static_cast<std::int64_t>(elements) - 1);
      if (nearest != at[d] && one_.has("zero")) return std::nullopt;
      at[d] = nearest;
    }
    return byte_of(static_cast<std::uint64_t>(at[0]) * bytes, static_cast<std::uint64_t>(at[1]),
                   static_cast<std::uint64_t>(at[2]));
  }

  const ImageAccess& access_;
  const Instruction& one_;
  const Image& image_;
  const exec::Texture& texture_;
  std::span<std::uint8_t> texels_;
  Thread& thread_;
  Registers& registers_;
};

}  // namespace

void access_image(const ImageAccess& access, const Image& image, std::span<std::uint8_t> texels, Thread& thread,
                  Registers& registers) {
  ImageStep(access, image, texels, thread, registers).run();
}

}  // namespace lockstep::differential
