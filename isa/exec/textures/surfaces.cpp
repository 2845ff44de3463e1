// suld.b and sust.b: surface loads and stores of bytes as they are.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/textures/access.hpp"

namespace lockstep::exec {

namespace {

using Boundary = TextureAccess::Boundary;

/// Fills warp.address and warp.host of one lane. False: outside with .zero.
bool locate(Warp& warp, const Op& op, const TextureAccess& access, unsigned lane) {
  const PlacedTexture& placed = texture_of(warp, op, access, lane);
  const Texture& texture = *placed.texture;
  const std::uint64_t row = texture.width * texture.format.bytes();
  // x counts bytes, the others count elements (PTX ISA 9.7.11.1).
  std::array<std::uint64_t, 3> at{};
  const std::array<std::uint64_t, 3> extent{row, std::max<std::uint64_t>(1, texture.height),
                                            std::max<std::uint64_t>({1, texture.depth, texture.layers})};
  std::array<std::int64_t, 3> given{};
  for (unsigned d = 0; d < access.geometry.dimensions; ++d) {
    given[d] = plane<std::int32_t>(warp.frame, access.coordinate[d])[lane];
  }
  if (access.layer != no_plane) given[2] = plane<std::uint32_t>(warp.frame, access.layer)[lane];
  if (given[0] % access.bytes != 0) {
    warp.owner->fail(warp, op, lane,
                     fmt::format("{} of {} bytes at byte {} of a row of surface '{}': it must be a multiple of {}",
                                 access.kind, access.bytes, given[0], texture.name, access.bytes));
  }
  for (unsigned d = 0; d < 3; ++d) {
    const std::uint64_t size = d == 0 ? access.bytes : 1;
    const auto last = static_cast<std::int64_t>(extent[d]) - static_cast<std::int64_t>(size);
    if (given[d] >= 0 && given[d] <= last) {
      at[d] = static_cast<std::uint64_t>(given[d]);
      continue;
    }
    if (access.boundary == Boundary::zero) return false;
    if (access.boundary == Boundary::trap || last < 0) {
      static constexpr std::string_view names[] = {"byte", "row", "slice"};
      warp.owner->fail(warp, op, lane,
                       fmt::format("{} of {} bytes at {} {} is outside of surface '{}' of {} bytes by {} rows by {} "
                                   "slices (.trap); {}",
                                   access.kind, access.bytes, names[d], given[d], texture.name, row, extent[1],
                                   extent[2], warp.owner->context().memory->describe(placed.base)));
    }
    at[d] = given[d] < 0 ? 0 : static_cast<std::uint64_t>(last) / size * size;
  }
  warp.address[lane] = placed.address(at[0], at[1], at[2]);
  warp.host[lane] = placed.bytes(at[0], at[1], at[2]);
  return true;
}

Outcome load_or_store(Warp& warp, const Op& op, LaneMask mask) {
  const auto& access = static_cast<const TextureAccess&>(*op.memory);
  LaneMask inside = 0;
  for_each_lane(mask, [&](unsigned lane) {
    if (locate(warp, op, access, lane)) inside |= LaneMask{1} << lane;
  });
  record_access(warp, op, inside);
  if (access.writes) warp.owner->advance();
  if (!access.writes && inside != mask) {
    static const std::array<std::byte, 32> zeros{};
    for_each_lane(mask & ~inside, [&](unsigned lane) {
      // Only read from.
      warp.host[lane] = const_cast<std::byte*>(zeros.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    });
    inside = mask;
  }
  transfer_elements(warp, access, inside);
  return Outcome::next;
}

}  // namespace

void decode_surface(Decoder& decoder) {
  const bool writes = decoder.opcode() == ptx::Opcode::sust;
  TextureAccess& access = new_texture_access(decoder);
  access.kind = writes ? "surface store" : "surface load";
  access.space = ptx::Space::global;
  access.writes = writes;
  access.geometry = take_geometry(decoder);
  const std::string_view boundary = decoder.take_any({"trap", "clamp", "zero"});
  access.boundary = boundary == "trap" ? Boundary::trap : boundary == "clamp" ? Boundary::clamp : Boundary::zero;
  access.elements = decoder.take_vector().value_or(1);
  const ptx::Type type = decoder.take_type();
  access.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(type) / 8);
  access.bytes = std::uint32_t{access.elements} * access.element_bytes;
  decoder.expect_operands(2, 2);
  const auto& operands = decoder.instruction().operands;
  // One element may stand in braces.
  const ptx::Operand& values = operands[writes ? 1 : 0];
  const bool single = access.elements == 1 && values.kind == ptx::Operand::Kind::vector && values.elements.size() == 1;
  decode_values(decoder, single ? values.elements[0] : values, type, access);
  const ptx::Operand& surface = operands[writes ? 0 : 1];
  decode_handle(decoder, surface, access);
  if (surface.elements.size() != 1) decoder.fail("[surface, coordinates] is needed here");
  decode_coordinates(decoder, surface.elements[0], access);
  decoder.op.step = load_or_store;
}

}  // namespace lockstep::exec
