// tex, tld4, txq, suq.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/textures/access.hpp"

namespace lockstep::exec {

namespace {

using Kind = ptx::Operand::Kind;

/// The texture's own sampler, or the one that the instruction names.
Sampling sampling_of(Warp& warp, const Op& op, const TextureAccess& access, const Texture& texture, unsigned lane) {
  if (!access.has_sampler) return texture.sampling;
  const std::uint64_t address = plane<std::uint64_t>(warp.frame, access.sampler)[lane];
  const TextureTable::Sampler* sampler = warp.owner->context().textures->find_sampler(address);
  if (sampler == nullptr) {
    warp.owner->fail(warp, op, lane, fmt::format("{}: {:#x} is not a .samplerref variable", access.kind, address));
  }
  // Format and normalization belong to the texture, addressing and filter to the sampler.
  Sampling sampling = sampler->sampling;
  sampling.normalized_read = texture.sampling.normalized_read;
  sampling.normalized_coordinates = texture.sampling.normalized_coordinates && !sampler->force_unnormalized;
  return sampling;
}

void check_result_type(Warp& warp, const Op& op, const TextureAccess& access, const Texture& texture,
                       const Sampling& sampling, unsigned lane) {
  const bool real = returns_float(texture, sampling);
  if (real == (access.result == ptx::Type::f32)) {
    if (sampling.filter == FilterMode::point || real || access.gathers) return;
    warp.owner->fail(warp, op, lane,
                     fmt::format("texture fetch: linear filtering of texture '{}', whose format {} is read as integers",
                                 texture.name, name_of(texture.format)));
  }
  warp.owner->fail(
      warp, op, lane,
      fmt::format("texture fetch: the instruction returns .{}, but texture '{}' of format {} is read as {}; {}",
                  ptx::name_of(access.result), texture.name, name_of(texture.format),
                  real ? "floating point" : "integers",
                  real ? "fetch it as .f32"
                       : "fetch it as .u32 or .s32, or give it a floating-point format or normalized reading"));
}

/// Only level 0 exists: the level that the instruction asks for must be it.
void check_level(Warp& warp, const Op& op, const TextureAccess& access, const Texture& texture, unsigned lane) {
  if (access.level == TextureAccess::Level::none) return;
  double level = 0;
  if (access.level == TextureAccess::Level::level) {
    level = access.real_coordinates ? double{plane<float>(warp.frame, access.lod)[lane]}
                                    : double{static_cast<double>(plane<std::int32_t>(warp.frame, access.lod)[lane])};
  } else {
    // The longer of the two gradients, in texels; its logarithm is the level.
    const std::array<std::uint64_t, 3> extent{texture.width, texture.height, texture.depth};
    double longest = 0;
    for (unsigned g = 0; g < 2; ++g) {
      double square = 0;
      for (unsigned d = 0; d < access.geometry.dimensions; ++d) {
        const double along = plane<float>(warp.frame, access.gradient[3 * g + d])[lane];
        const double scale = texture.sampling.normalized_coordinates ? static_cast<double>(extent[d]) : 1;
        square += along * along * scale * scale;
      }
      longest = std::max(longest, square);
    }
    level = longest <= 1 ? 0 : std::log2(longest) / 2;
  }
  if (level > 0) {
    warp.owner->fail(
        warp, op, lane,
        fmt::format("texture fetch: level of detail {:g}, but texture '{}' has level 0 only", level, texture.name));
  }
}

/// Along one dimension at an integer coordinate, which knows no address modes: outside, .level gives the nearest texel,
/// other fetches zero (false). The ISA does not say; measured on an H200, and so are the layers.
bool take_texel(const TextureAccess& access, const Texture& texture, std::int64_t at, std::uint64_t extent,
                AxisTexels& axis) {
  const std::int64_t nearest = std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(extent) - 1);
  const bool clamps = access.level == TextureAccess::Level::level && texture.layout != TextureLayout::linear;
  axis.index[0] = static_cast<std::uint64_t>(nearest);
  return clamps || nearest == at;
}

/// The texels of one lane. False: an integer coordinate outside, which gives zero.
bool footprint_of(Warp& warp, const Op& op, const TextureAccess& access, const PlacedTexture& placed,
                  const Sampling& sampling, unsigned lane, Footprint& footprint) {
  const Texture& texture = *placed.texture;
  const std::array<std::uint64_t, 3> extent{texture.width, texture.height, texture.depth};
  if (texture.layout == TextureLayout::linear && access.real_coordinates) {
    warp.owner->fail(warp, op, lane,
                     fmt::format("texture fetch: texture '{}' is linear memory, which is read by integer coordinates "
                                 "(tex1Dfetch); floating-point ones need layout 'array'",
                                 texture.name));
  }
  const FilterMode filter = access.gathers ? FilterMode::linear : sampling.filter;
  for (unsigned d = 0; d < access.geometry.dimensions; ++d) {
    const int shift =
        access.shift[d] == no_plane ? 0 : static_cast<int>(plane<std::int32_t>(warp.frame, access.shift[d])[lane]);
    if (shift < -8 || shift > 7) {
      warp.owner->fail(warp, op, lane,
                       fmt::format("texture fetch: an offset of {} texels; -8 to 7 are possible", shift));
    }
    if (access.real_coordinates) {
      footprint.axis[d] = axis_at(plane<float>(warp.frame, access.coordinate[d])[lane], extent[d], sampling.address[d],
                                  sampling.normalized_coordinates, filter, shift);
      continue;
    }
    const std::int64_t at = std::int64_t{plane<std::int32_t>(warp.frame, access.coordinate[d])[lane]} + shift;
    if (!take_texel(access, texture, at, extent[d], footprint.axis[d])) return false;
  }
  // Integer coordinates find nothing in arrays of one dimension without layers (an H200).
  const bool is_plain_array =
      texture.layout == TextureLayout::array && texture.dimensions() == 1 && texture.layers == 0;
  if (!access.real_coordinates && is_plain_array) return false;
  if (access.layer == no_plane) return true;
  const std::uint32_t layer = plane<std::uint32_t>(warp.frame, access.layer)[lane];
  AxisTexels& layers = footprint.axis[2];
  if (!access.real_coordinates) return take_texel(access, texture, layer, texture.layers, layers);
  layers.index[0] = std::min<std::uint64_t>(layer, texture.layers - 1);  // Clamped (PTX ISA 9.7.10.3, tex.a1d).
  return true;
}

Outcome fetch(Warp& warp, const Op& op, LaneMask mask) {
  const auto& access = static_cast<const TextureAccess&>(*op.memory);
  std::array<std::array<std::uint32_t, lanes>, 4> values{};
  LaneMask touched = 0;
  const PlacedTexture* checked = nullptr;
  for_each_lane(mask, [&](unsigned lane) {
    const PlacedTexture& placed = texture_of(warp, op, access, lane);
    const Sampling sampling = sampling_of(warp, op, access, *placed.texture, lane);
    if (checked != &placed || access.has_sampler) {
      check_result_type(warp, op, access, *placed.texture, sampling, lane);
      checked = &placed;
    }
    check_level(warp, op, access, *placed.texture, lane);
    Footprint footprint;
    if (!footprint_of(warp, op, access, placed, sampling, lane, footprint)) return;
    const TexelBits bits =
        access.gathers ? gathered(placed, sampling, footprint, access.channel) : filtered(placed, sampling, footprint);
    for (unsigned c = 0; c < 4; ++c) values[c][lane] = bits[c];
    if (first_address(placed, footprint, warp.address[lane])) touched |= LaneMask{1} << lane;
  });
  record_access(warp, op, touched);
  for (unsigned c = 0; c < 4; ++c) {
    if (access.planes[c] == no_plane) continue;
    auto* to = plane<std::uint32_t>(warp.frame, access.planes[c]);
    for_each_lane(mask, [&](unsigned lane) { to[lane] = values[c][lane]; });
  }
  if (access.resident != no_plane) predicate(warp.frame, access.resident) |= mask;
  return Outcome::next;
}

// ---- queries --------------------------------------------------------------------------------------------------------

enum class Query : std::uint32_t {
  width,
  height,
  depth,
  channel_data_type,
  channel_order,
  normalized_coords,
  array_size,
  num_mipmap_levels,
  num_samples,
  force_unnormalized_coords,
  filter_mode,
  addr_mode_0,
  addr_mode_1,
  addr_mode_2,
  memory_layout
};
constexpr std::string_view queries[] = {"width",         "height",
                                        "depth",         "channel_data_type",
                                        "channel_order", "normalized_coords",
                                        "array_size",    "num_mipmap_levels",
                                        "num_samples",   "force_unnormalized_coords",
                                        "filter_mode",   "addr_mode_0",
                                        "addr_mode_1",   "addr_mode_2",
                                        "memory_layout"};
static_assert(std::size(queries) == static_cast<std::size_t>(Query::memory_layout) + 1);

/// The numbers of OpenCL 1.2, cl.h, which PTX ISA 5.3.3 refers to.
std::uint32_t channel_data_type(const Texture& texture) {
  const std::uint32_t step = texture.format.bits == 8 ? 0 : texture.format.bits == 16 ? 1 : 2;
  if (texture.format.kind == TexelFormat::Kind::floating) return texture.format.bits == 16 ? 0x10DD : 0x10DE;
  const bool is_signed = texture.format.kind == TexelFormat::Kind::signed_integer;
  if (texture.sampling.normalized_read) return (is_signed ? 0x10D0 : 0x10D2) + step;
  return (is_signed ? 0x10D7 : 0x10DA) + step;
}

std::uint32_t channel_order(const Texture& texture) {
  return texture.format.channels == 1 ? 0x10B0 : texture.format.channels == 2 ? 0x10B2 : 0x10B5;
}

/// The numbers of cl.h: CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP (a border), CL_ADDRESS_REPEAT, _MIRRORED_REPEAT.
std::uint32_t address_mode_number(AddressMode mode) {
  switch (mode) {
    case AddressMode::clamp: return 0x1131;
    case AddressMode::border: return 0x1132;
    case AddressMode::wrap: return 0x1133;
    case AddressMode::mirror: return 0x1134;
  }
  return 0;
}

std::uint32_t answer(Query query, const Texture& texture, const Sampling& sampling, bool forced) {
  switch (query) {
    case Query::width: return static_cast<std::uint32_t>(texture.width);
    case Query::height: return static_cast<std::uint32_t>(texture.height);
    case Query::depth: return static_cast<std::uint32_t>(texture.depth);
    case Query::channel_data_type: return channel_data_type(texture);
    case Query::channel_order: return channel_order(texture);
    case Query::normalized_coords: return sampling.normalized_coordinates ? 1 : 0;
    case Query::array_size: return static_cast<std::uint32_t>(texture.layers);
    case Query::num_mipmap_levels:
    case Query::num_samples: return 1;
    case Query::force_unnormalized_coords: return forced ? 1 : 0;
    case Query::filter_mode: return sampling.filter == FilterMode::linear ? 0x1141 : 0x1140;
    case Query::addr_mode_0: return address_mode_number(sampling.address[0]);
    case Query::addr_mode_1: return address_mode_number(sampling.address[1]);
    case Query::addr_mode_2: return address_mode_number(sampling.address[2]);
    case Query::memory_layout: return texture.layout == TextureLayout::array ? 1 : 0;
  }
  return 0;
}

Outcome query(Warp& warp, const Op& op, LaneMask mask) {
  const auto& access = static_cast<const TextureAccess&>(*op.memory);
  auto* to = plane<std::uint32_t>(warp.frame, access.planes[0]);
  const auto asked = static_cast<Query>(access.query);
  for_each_lane(mask, [&](unsigned lane) {
    if (access.handle != no_plane) {
      const std::uint64_t number = plane<std::uint64_t>(warp.frame, access.handle)[lane];
      if (const auto* sampler = warp.owner->context().textures->find_sampler(number); sampler != nullptr) {
        if (asked < Query::force_unnormalized_coords || asked == Query::memory_layout) {
          warp.owner->fail(warp, op, lane, fmt::format("a .samplerref has no {}", queries[access.query]));
        }
        to[lane] = answer(asked, Texture{}, sampler->sampling, sampler->force_unnormalized);
        return;
      }
    }
    const Texture& texture = *texture_of(warp, op, access, lane).texture;
    check_level(warp, op, access, texture, lane);
    to[lane] = answer(asked, texture, texture.sampling, false);
  });
  return Outcome::next;
}

// ---- decoding -------------------------------------------------------------------------------------------------------

void decode_sampler(Decoder& decoder, const ptx::Operand& operand, TextureAccess& access) {
  access.has_sampler = true;
  if (operand.kind == Kind::symbol) {
    const ptx::Variable* variable = ptx::find_visible(*decoder.kernel.module, decoder.function, operand.symbol);
    if (variable == nullptr || variable->opaque != ptx::Opaque::sampler) {
      decoder.fail(fmt::format("'{}' is not a .samplerref variable", operand.symbol));
    }
  }
  access.sampler = decoder.source_or_address(operand, ptx::Type::b64);
}

/// The four results, and the predicate behind '|'.
void decode_results(Decoder& decoder, const ptx::Operand& operand, TextureAccess& access) {
  if (operand.kind != Kind::vector || operand.elements.size() != 4) {
    decoder.fail("a fetch has four results, such as {%f1, %f2, %f3, %f4}");
  }
  for (unsigned c = 0; c < 4; ++c)
    access.planes[c] = decoder.destination_plane(operand.elements[c], ptx::Type::b32, Sink::dropped);
  access.resident = decoder.second_destination(operand);
}

/// Level or gradients, then offsets, then the value that a depth texture is compared with.
void decode_tail(Decoder& decoder, TextureAccess& access) {
  const auto& operands = decoder.instruction().operands;
  std::size_t next = 2;
  const unsigned dimensions = access.geometry.dimensions;
  const auto elements = [&](const char* what, ptx::Type type) {
    if (next >= operands.size()) decoder.fail(fmt::format("{} is missing", what));
    const ptx::Operand& operand = operands[next++];
    const bool is_vector = operand.kind == Kind::vector;
    const std::size_t given = is_vector ? operand.elements.size() : 1;
    if (given != dimensions && !(dimensions == 3 && given == 4)) {
      decoder.fail(fmt::format("{} of .{} has {} elements, not {}", what, access.geometry.name, dimensions, given));
    }
    std::array<PlaneOffset, 3> planes{no_plane, no_plane, no_plane};
    for (unsigned d = 0; d < dimensions; ++d) {
      planes[d] = decoder.source_plane(is_vector ? operand.elements[d] : operand, type);
    }
    return planes;
  };
  if (access.level == TextureAccess::Level::level) {
    if (next >= operands.size()) decoder.fail("the level of detail is missing");
    access.lod = decoder.source_plane(operands[next++], coordinate_type(access));
  } else if (access.level == TextureAccess::Level::gradient) {
    for (unsigned g = 0; g < 2; ++g) {
      const auto planes = elements("a gradient", ptx::Type::f32);
      std::copy(planes.begin(), planes.end(), access.gradient.begin() + 3 * g);
    }
  }
  const auto is_depth = [&](const ptx::Operand& operand) {
    return operand.kind == Kind::real ||
           (operand.kind == Kind::reg && decoder.function.registers[operand.index].type == ptx::Type::f32);
  };
  if (next < operands.size() && !is_depth(operands[next])) access.shift = elements("the offset", ptx::Type::s32);
  if (next < operands.size()) decoder.fail("comparison with a depth is not supported");
}

void decode_fetch(Decoder& decoder, bool gathers) {
  TextureAccess& access = new_texture_access(decoder);
  access.kind = "texture fetch";
  access.space = ptx::Space::global;
  access.gathers = gathers;
  if (gathers) {
    const std::string_view channel = decoder.take_any({"r", "g", "b", "a"});
    access.channel = static_cast<std::uint8_t>(std::string_view("rgba").find(channel));
  } else if (decoder.take("level")) {
    access.level = TextureAccess::Level::level;
  } else if (decoder.take("grad")) {
    access.level = TextureAccess::Level::gradient;
  }
  access.geometry = take_geometry(decoder);
  access.result = decoder.take_type();
  access.real_coordinates = decoder.take_type() == ptx::Type::f32;
  decoder.expect_operands(2, 6);
  const auto& operands = decoder.instruction().operands;
  decode_results(decoder, operands[0], access);
  decode_handle(decoder, operands[1], access);
  const auto& parts = operands[1].elements;
  if (parts.empty() || parts.size() > 2) {
    decoder.fail("[texture, coordinates] or [texture, sampler, coordinates] is needed here");
  }
  if (parts.size() == 2) {
    decode_sampler(decoder, parts[0], access);
  }
  decode_coordinates(decoder, parts.back(), access);
  decode_tail(decoder, access);
  decoder.op.step = fetch;
}

void decode_query(Decoder& decoder) {
  TextureAccess& access = new_texture_access(decoder);
  access.kind = "query";
  if (decoder.take("level")) access.level = TextureAccess::Level::level;
  while (access.query < std::size(queries) && !decoder.take(queries[access.query])) ++access.query;
  if (access.query == std::size(queries)) decoder.unhandled("query");
  const bool level = access.level == TextureAccess::Level::level;
  decoder.expect_operands(level ? 3 : 2, level ? 3 : 2);
  const auto& operands = decoder.instruction().operands;
  access.planes[0] = decoder.destination_plane(operands[0], ptx::Type::b32);
  decode_handle(decoder, operands[1], access);
  if (level) access.lod = decoder.source_plane(operands[2], ptx::Type::b32);
  decoder.op.step = query;
}

}  // namespace

void decode_texture(Decoder& decoder) {
  switch (decoder.opcode()) {
    case ptx::Opcode::tex: return decode_fetch(decoder, false);
    case ptx::Opcode::tld4: return decode_fetch(decoder, true);
    case ptx::Opcode::txq:
    case ptx::Opcode::suq: return decode_query(decoder);
    default: throw Bug(fmt::format("textures do not decode {}", ptx::name_of(decoder.opcode())));
  }
}

}  // namespace lockstep::exec
