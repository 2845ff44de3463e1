#include "isa/exec/textures/table.hpp"

#include <fmt/format.h>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep::exec {

namespace {

AddressMode address_mode(const ptx::Variable& variable, const std::string& value) {
  if (value == "wrap") return AddressMode::wrap;
  if (value == "mirror") return AddressMode::mirror;
  if (value == "clamp_to_border") return AddressMode::border;
  if (value == "clamp_to_edge" || value == "clamp_ogl") return AddressMode::clamp;
  throw InputError(variable.where,
                   fmt::format("'{}' is not an address mode of '{}'; there is: wrap, mirror, clamp_ogl, "
                               "clamp_to_edge, clamp_to_border",
                               value, variable.name));
}

/// The initialiser of a .samplerref (PTX ISA 5.3.2). What it does not name is wrap and nearest.
TextureTable::Sampler sampler_of(const ptx::Variable& variable) {
  TextureTable::Sampler sampler;
  sampler.sampling.address.fill(AddressMode::wrap);
  for (const auto& [field, value] : variable.fields) {
    if (field.rfind("addr_mode_", 0) == 0) {
      sampler.sampling.address[static_cast<std::size_t>(field.back() - '0')] = address_mode(variable, value);
    } else if (field == "filter_mode") {
      if (value != "nearest" && value != "linear") {
        throw InputError(variable.where, fmt::format("'{}' is not a filter mode of '{}'; there is: nearest, linear",
                                                     value, variable.name));
      }
      sampler.sampling.filter = value == "linear" ? FilterMode::linear : FilterMode::point;
    } else if (field == "force_unnormalized_coords") {
      sampler.force_unnormalized = value != "0";
    } else {
      throw InputError(variable.where, fmt::format("a .samplerref has no field '{}'", field));
    }
  }
  return sampler;
}

}  // namespace

void TextureTable::place(const std::vector<Texture>& textures, const std::vector<const Allocation*>& buffers,
                         DeviceMemory& memory) {
  Diagnostics diagnostics;
  for (const Texture& texture : textures) {
    if (texture.buffer >= buffers.size()) {
      diagnostics.add({}, fmt::format("texture '{}': there is no buffer {}", texture.name, texture.buffer));
      continue;
    }
    const Allocation& buffer = *buffers[texture.buffer];
    if (const std::string problem = texture_problem(texture, buffer.size); !problem.empty()) {
      diagnostics.add({}, fmt::format("texture '{}' over buffer '{}': {}", texture.name, buffer.name, problem));
      continue;
    }
    PlacedTexture placed{&texture, buffer.host + texture.offset, buffer.base + texture.offset};
    if (texture.layout == TextureLayout::array) {
      placed.base = memory.allocate(Allocation::Kind::array, texture.name, array_bytes(texture)).base;
    }
    placed_.push_back(placed);
  }
  diagnostics.throw_if_any();
}

void TextureTable::add_reference(const ptx::Variable& variable, std::uint64_t address) {
  if (variable.opaque == ptx::Opaque::none) return;
  if (variable.opaque == ptx::Opaque::sampler) {
    samplers_[address] = sampler_of(variable);
    return;
  }
  references_[address] = {variable.name, named(variable.name)};
}

const PlacedTexture* TextureTable::find(std::uint64_t number) const {
  if (number - first_texture_handle < placed_.size()) return &placed_[number - first_texture_handle];
  const auto reference = references_.find(number);
  return reference == references_.end() ? nullptr : reference->second.texture;
}

const PlacedTexture* TextureTable::named(const std::string& name) const {
  for (const PlacedTexture& placed : placed_) {
    if (placed.texture->name == name) return &placed;
  }
  return nullptr;
}

const TextureTable::Sampler* TextureTable::find_sampler(std::uint64_t number) const {
  const auto sampler = samplers_.find(number);
  return sampler == samplers_.end() ? nullptr : &sampler->second;
}

std::string TextureTable::list() const {
  std::string names;
  for (const PlacedTexture& placed : placed_) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", placed.texture->name);
  }
  return names.empty() ? "the workload has no textures" : "the workload's textures are " + names;
}

std::string TextureTable::explain(std::uint64_t number, const DeviceMemory& memory) const {
  if (const auto reference = references_.find(number); reference != references_.end()) {
    std::vector<std::string> names;
    for (const PlacedTexture& placed : placed_) names.push_back(placed.texture->name);
    return fmt::format("nothing is bound to the reference '{}', which takes a texture of its name{}; {}",
                       reference->second.name, did_you_mean_aside(reference->second.name, names), list());
  }
  const std::string place =
      memory.find(number) != nullptr ? fmt::format("; as an address, {}", memory.describe(number)) : "";
  return fmt::format("{:#x} is not a texture or surface object{}; {}", number, place, list());
}

}  // namespace lockstep::exec
