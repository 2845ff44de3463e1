#pragma once
// Every texture of a task by the 64-bit number that a program knows it by: the handle of an object, or the address of
// a .texref, .surfref or .samplerref variable.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "isa/exec/memory/device_memory.hpp"
#include "isa/exec/textures/layout.hpp"
#include "isa/exec/textures/sampling.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::exec {

/// Handles of texture objects count from here. It is not an address of any space.
inline constexpr std::uint64_t first_texture_handle = 0x7000'0000'0000'0001;

class TextureTable {
 public:
  /// Places every texture of the task: an array gets device memory of its own, others lie where their buffer does.
  /// InputError when a texture is impossible. `textures` outlives the table.
  void place(const std::vector<Texture>& textures, const std::vector<const Allocation*>& buffers, DeviceMemory& memory);
  /// A reference variable of a module at its address; it stands for the texture of the same name, if there is one.
  void add_reference(const ptx::Variable& variable, std::uint64_t address);

  static std::uint64_t handle(std::uint32_t texture) { return first_texture_handle + texture; }
  std::size_t size() const { return placed_.size(); }

  /// nullptr when the number stands for no texture.
  const PlacedTexture* find(std::uint64_t number) const;
  /// The texture that a reference variable of this name stands for, or nullptr.
  const PlacedTexture* named(const std::string& name) const;
  /// nullptr when the number is not an address of a .samplerref variable. The flag says that the sampler overrides
  /// normalized coordinates of the texture.
  struct Sampler {
    Sampling sampling;
    bool force_unnormalized = false;
  };
  const Sampler* find_sampler(std::uint64_t number) const;
  /// Why find() found nothing: what the number is, and which textures there are.
  std::string explain(std::uint64_t number, const DeviceMemory& memory) const;

 private:
  struct Reference {
    std::string name;
    const PlacedTexture* texture = nullptr;
  };
  std::string list() const;

  std::deque<PlacedTexture> placed_;
  std::map<std::uint64_t, Reference> references_;
  std::map<std::uint64_t, Sampler> samplers_;
};

}  // namespace lockstep::exec
