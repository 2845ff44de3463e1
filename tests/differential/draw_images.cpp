// Textures and surfaces, and what instructions do with them.

#include <algorithm>
#include <array>

#include "isa/ptx/opcode_syntax.hpp"
#include "tests/differential/draw.hpp"
#include "tests/differential/types.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// Each image has so many bytes of the buffer of texels.
constexpr unsigned image_bytes = 1024;

struct Geometry {
  std::string_view name;
  unsigned dimensions;
  bool is_layered;
};
constexpr auto geometries =
    std::to_array<Geometry>({{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}});

bool is_of(const exec::Texture& texture, const Geometry& geometry) {
  return texture.dimensions() == geometry.dimensions && (texture.layers != 0) == geometry.is_layered;
}

exec::TexelFormat draw_format(Random& random) {
  exec::TexelFormat format;
  format.kind = static_cast<exec::TexelFormat::Kind>(random.below(3));
  const bool is_real = format.kind == exec::TexelFormat::Kind::floating;
  format.bits = static_cast<std::uint8_t>(is_real ? 16u << random.below(2) : 8u << random.below(3));
  format.channels = static_cast<std::uint8_t>(1u << random.below(3));
  return format;
}

/// Whether a fetch gives floating-point numbers.
bool is_read_as_real(const exec::Texture& texture) {
  return texture.format.kind == exec::TexelFormat::Kind::floating || texture.sampling.normalized_read;
}

bool fits_fetch(const Instruction& one, const exec::Texture& texture) {
  const auto types = types_of(one.modifiers);
  if ((types[0] == "f32") != is_read_as_real(texture)) return false;
  if (texture.layout != exec::TextureLayout::linear) return true;
  return types[1] == "s32" && !one.has("level");
}

/// Queries of what every image has, or this one.
bool fits_query(const Instruction& one, const exec::Texture& texture) {
  if (one.has("height")) return texture.height != 0;
  if (one.has("depth")) return texture.depth != 0;
  if (one.has("array_size")) return texture.layers != 0;
  return !one.has("level") || texture.layout == exec::TextureLayout::array;
}

}  // namespace

void Draw::images() {
  const auto place = [&](Image image) {
    image.texture.offset = kernel_.images.size() * image_bytes;
    kernel_.images.push_back(std::move(image));
  };
  for (unsigned n = 1 + below(2); n > 0; --n) place({Image::Use::texture, texture()});
  if (chance(2)) place({Image::Use::surface, surface()});
  if (chance(2)) place({Image::Use::own_surface, own_surface()});  // The last one: it has more bytes.
}

exec::Texture Draw::texture() {
  constexpr auto extents = std::to_array<unsigned>({1, 2, 3, 4, 5, 8, 12, 16, 31});
  const auto extent = [&] { return extents[below(extents.size())]; };
  exec::Texture one;
  do {
    one = {};
    one.format = draw_format(random_);
    const Geometry& geometry = geometries[below(geometries.size())];
    one.layout = exec::TextureLayout::array;
    if (geometry.name == "1d" && chance(2)) one.layout = exec::TextureLayout::linear;
    if (geometry.name == "2d" && chance(3)) one.layout = exec::TextureLayout::pitch;
    one.width = extent();
    if (geometry.dimensions > 1) one.height = extent();
    if (geometry.dimensions > 2) one.depth = extent();
    if (geometry.is_layered) one.layers = extent();
    // A pitch of an H200 is a multiple of 32 bytes.
    if (one.layout == exec::TextureLayout::pitch) one.pitch_bytes = (one.row_bytes() + 31) / 32 * 32;
  } while (one.span_bytes() > image_bytes);
  exec::Sampling& sampling = one.sampling;
  for (exec::AddressMode& mode : sampling.address) mode = static_cast<exec::AddressMode>(below(4));
  sampling.normalized_read = one.format.kind != exec::TexelFormat::Kind::floating && one.format.bits < 32 && chance(3);
  if (one.layout == exec::TextureLayout::linear) return one;
  sampling.normalized_coordinates = chance(2);
  // What a filter gives is not documented to the bit.
  if (!kernel_.is_exact && is_read_as_real(one) && one.dimensions() < 3 && chance(2))
    sampling.filter = exec::FilterMode::linear;
  return one;
}

exec::Texture Draw::surface() {
  constexpr auto rows = std::to_array<unsigned>({1, 2, 3, 4, 7});
  exec::Texture one;
  do {
    one = {};
    one.format = draw_format(random_);
    one.layout = exec::TextureLayout::array;
    one.width = 16 * (1 + below(5)) / one.format.bytes();
    const Geometry& geometry = geometries[below(geometries.size())];
    if (geometry.dimensions > 1) one.height = rows[below(rows.size())];
    if (geometry.dimensions > 2) one.depth = rows[below(rows.size())];
    if (geometry.is_layered) one.layers = rows[below(rows.size())];
  } while (one.span_bytes() > image_bytes);
  return one;
}

exec::Texture Draw::own_surface() {
  const unsigned threads = kernel_.threads(), slices = (threads + own_surface_rows - 1) / own_surface_rows;
  exec::Texture one;
  one.format = draw_format(random_);
  one.layout = exec::TextureLayout::array;
  one.width = own_surface_bytes / one.format.bytes();
  const Geometry& geometry = geometries[below(geometries.size())];
  if (geometry.name == "1d") one.width *= threads;
  if (geometry.name == "2d") one.height = threads;
  if (geometry.name == "a1d") one.layers = threads;
  if (geometry.name == "3d" || geometry.name == "a2d") one.height = own_surface_rows;
  if (geometry.name == "3d") one.depth = slices;
  if (geometry.name == "a2d") one.layers = slices;
  return one;
}

Statement Draw::image_access(const Context& context) {
  ImageAccess result;
  result.image = below(kernel_.images.size());
  const Image& image = kernel_.images[result.image];
  const exec::Texture& texture = image.texture;
  const bool gathers = texture.dimensions() == 2 && texture.layout == exec::TextureLayout::array;
  Opcode opcode = Opcode::sust;
  if (image.use == Image::Use::texture)
    opcode = chance(6) ? Opcode::txq : gathers && chance(2) ? Opcode::tld4 : Opcode::tex;
  if (image.use == Image::Use::surface) opcode = chance(6) ? Opcode::suq : Opcode::suld;
  Instruction& one = result.instruction;
  one.opcode = opcode;
  const bool queries = opcode == Opcode::txq || opcode == Opcode::suq;
  const auto fits = [&] {
    if (queries) return fits_query(one, texture);
    const auto is_named = [&](const Geometry& g) { return is_of(texture, g) && one.has(g.name); };
    return std::any_of(geometries.begin(), geometries.end(), is_named) &&
           (image.is_surface() || fits_fetch(one, texture));
  };
  do {
    one.modifiers = form_of(opcode);
  } while (!fits());
  const unsigned width = std::max(16u, width_of(types_of(one.modifiers).back())),
                 registers = context.registers->of(width);
  const unsigned elements = queries ? 1 : elements_of(one.modifiers), start = below(registers);
  for (unsigned e = 0; e < elements; ++e) {
    const Register element{image.is_surface() ? width : 32, (start + e) % registers};
    if (opcode == Opcode::sust) {
      one.reads.push_back({Operand::Kind::reg, element, false, 0, {}});
    } else {
      one.writes.push_back(element);
    }
  }
  if (queries) return {result};
  if (opcode == Opcode::tex && chance(4)) one.writes.push_back(reg(1, context));
  for (unsigned d = 0; d < 3; ++d) {
    const bool is_layer = d == 2 && texture.layers != 0;
    const bool may_be_outside =
        image.use != Image::Use::own_surface && !one.has("trap") && !(is_layer && image.is_surface());
    result.at[d] = {reg(32, context), below(256), !may_be_outside || chance(2)};
  }
  result.scale = below(6);
  if (!image.is_surface() && texture.layout != exec::TextureLayout::linear && chance(4)) {
    result.offset.emplace();
    for (int& one_axis : *result.offset) one_axis = static_cast<int>(below(16)) - 8;
  }
  if (opcode == Opcode::sust) {
    Block block = cuts_of(one);
    block.push_back({result});
    return {Group{std::move(block)}};
  }
  return {result};
}

}  // namespace lockstep::differential
