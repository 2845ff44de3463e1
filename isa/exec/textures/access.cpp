#include "isa/exec/textures/access.hpp"

#include <fmt/format.h>

#include <cstring>

namespace lockstep::exec {

namespace {

using Kind = ptx::Operand::Kind;

std::string dimensions_text(unsigned dimensions, bool layered) {
  return fmt::format("{} dimension{}{}", dimensions, dimensions == 1 ? "" : "s", layered ? " and layers" : "");
}

std::uint64_t handle_of(const Warp& warp, const TextureAccess& access, unsigned lane) {
  if (access.handle != no_plane) return plane<std::uint64_t>(warp.frame, access.handle)[lane];
  std::uint64_t handle = 0;
  std::memcpy(&handle, warp.owner->context().parameters->host + access.handle_parameter, sizeof handle);
  return handle;
}

}  // namespace

Geometry take_geometry(Decoder& decoder) {
  static constexpr Geometry all[] = {
      {"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};
  for (const Geometry& geometry : all) {
    if (decoder.take(geometry.name)) return geometry;
  }
  decoder.unhandled("cube");
}

TextureAccess& new_texture_access(Decoder& decoder) {
  TextureAccess& access = decoder.kernel.textures.emplace_back();
  decoder.op.memory = &access;
  return access;
}

void decode_handle(Decoder& decoder, const ptx::Operand& operand, TextureAccess& access) {
  if (operand.kind != Kind::address) decoder.fail("a texture or surface in [ ] is needed here");
  if (operand.offset != 0) decoder.fail("the reference to a texture or surface takes no offset");
  if (operand.index != ptx::no_index) {
    if (decoder.register_width(operand.index) != 64) {
      decoder.fail(fmt::format("the register {} has {} bits, but a texture or surface object has 64",
                               decoder.function.registers[operand.index].name, decoder.register_width(operand.index)));
    }
    access.handle = decoder.layout.of_register(operand.index);
    return;
  }
  if (operand.symbol.empty()) decoder.fail("a texture or surface is a variable or a register, not a number");
  const Place place = decoder.place(operand.symbol);
  if (place.space == ptx::Space::param) {
    access.handle_parameter = place.address;
    return;
  }
  const ptx::Variable* variable = ptx::find_visible(*decoder.kernel.module, decoder.function, operand.symbol);
  if (variable == nullptr || variable->opaque == ptx::Opaque::none) {
    decoder.fail(fmt::format("'{}' is not a .texref or .surfref variable", operand.symbol));
  }
  access.handle = decoder.layout.of_constant(place.address, 64);
}

ptx::Type coordinate_type(const TextureAccess& access) {
  return access.real_coordinates ? ptx::Type::f32 : ptx::Type::s32;
}

void decode_coordinates(Decoder& decoder, const ptx::Operand& operand, TextureAccess& access) {
  const bool is_vector = operand.kind == Kind::vector;
  const std::size_t given = is_vector ? operand.elements.size() : 1;
  const std::size_t needed = access.geometry.dimensions + (access.geometry.layered ? 1U : 0U);
  // Three coordinates stand in a vector of four, whose last one means nothing (PTX ISA 9.7.10.3).
  const bool padded = needed == 3 && given == 4;
  if (given != needed && !padded) {
    decoder.fail(fmt::format(".{} takes {} coordinates, not {}", access.geometry.name, needed, given));
  }
  const auto element = [&](std::size_t n, ptx::Type type) {
    const ptx::Operand& part = is_vector ? operand.elements[n] : operand;
    return decoder.source_plane(part, type);
  };
  std::size_t n = 0;
  if (access.geometry.layered) access.layer = element(n++, ptx::Type::u32);
  for (unsigned d = 0; d < access.geometry.dimensions; ++d)
    access.coordinate[d] = element(n++, coordinate_type(access));
}

const PlacedTexture& texture_of(Warp& warp, const Op& op, const TextureAccess& access, unsigned lane) {
  const LaunchContext& context = warp.owner->context();
  const std::uint64_t handle = handle_of(warp, access, lane);
  const PlacedTexture* found = context.textures->find(handle);
  if (found == nullptr) {
    warp.owner->fail(warp, op, lane,
                     fmt::format("{}: {}", access.kind, context.textures->explain(handle, *context.memory)));
  }
  const Texture& texture = *found->texture;
  if (!access.geometry.name.empty() &&
      (texture.dimensions() != access.geometry.dimensions || (texture.layers != 0) != access.geometry.layered)) {
    warp.owner->fail(warp, op, lane,
                     fmt::format("{}: .{} names {}, but texture '{}' has {}", access.kind, access.geometry.name,
                                 dimensions_text(access.geometry.dimensions, access.geometry.layered), texture.name,
                                 dimensions_text(texture.dimensions(), texture.layers != 0)));
  }
  return *found;
}

}  // namespace lockstep::exec
