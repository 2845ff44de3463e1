#include "isa/exec/frame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::exec {

namespace {

constexpr std::uint32_t plane_alignment = 64;

std::uint32_t plane_bytes(unsigned width) {
  switch (width) {
    case 1: return sizeof(LaneMask);
    case 8:
    case 16: return lanes * 2;
    case 32: return lanes * 4;
    case 64: return lanes * 8;
    case 128: return lanes * 16;
    default: throw Bug(fmt::format("a register frame has no planes of width {}", width));
  }
}

std::uint64_t low_bits(std::uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

FrameLayout::FrameLayout(const ptx::Function& function) {
  register_planes_.reserve(function.registers.size());
  for (const ptx::Register& reg : function.registers) register_planes_.push_back(allocate(ptx::bits_of(reg.type)));
}

PlaneOffset FrameLayout::allocate(unsigned width) {
  const PlaneOffset offset = bytes_;
  bytes_ += (plane_bytes(width) + plane_alignment - 1) / plane_alignment * plane_alignment;
  return offset;
}

PlaneOffset FrameLayout::of_constant(std::uint64_t bits, unsigned width) {
  bits = low_bits(bits, width);
  const auto [at, inserted] = constant_planes_.try_emplace({bits, width}, no_plane);
  if (inserted) {
    at->second = allocate(width);
    constants_.push_back({at->second, width, bits});
  }
  return at->second;
}

PlaneOffset FrameLayout::of_special(ptx::SpecialRegister special) {
  const auto [at, inserted] = specials_.try_emplace(special, no_plane);
  if (inserted) at->second = allocate(ptx::bits_of(special));
  return at->second;
}

PlaneOffset FrameLayout::of_local(std::uint64_t offset, unsigned width) {
  const auto [at, inserted] = local_planes_.try_emplace({offset, width}, no_plane);
  if (inserted) at->second = allocate(width);
  return at->second;
}

PlaneOffset FrameLayout::temporary(unsigned width) {
  return allocate(width);
}

PlaneOffset FrameLayout::carry() {
  if (carry_ == no_plane) carry_ = allocate(1);
  return carry_;
}

void fill_constants(const FrameLayout& layout, std::byte* frame) {
  for (const FrameLayout::Constant& constant : layout.constants()) {
    switch (constant.width) {
      case 1: predicate(frame, constant.plane) = constant.bits != 0 ? ~LaneMask{0} : 0; break;
      case 8:
      case 16:
        std::fill_n(plane<std::uint16_t>(frame, constant.plane), lanes, static_cast<std::uint16_t>(constant.bits));
        break;
      case 32:
        std::fill_n(plane<std::uint32_t>(frame, constant.plane), lanes, static_cast<std::uint32_t>(constant.bits));
        break;
      case 64: std::fill_n(plane<std::uint64_t>(frame, constant.plane), lanes, constant.bits); break;
      default:
        std::fill_n(plane<std::uint64_t>(frame, constant.plane), lanes, constant.bits);
        std::fill_n(plane<std::uint64_t>(frame, constant.plane) + lanes, lanes, std::uint64_t{0});
    }
  }
}

void fill_locals(const FrameLayout& layout, std::byte* frame, std::uint64_t base) {
  for (const auto& [local, at] : layout.locals()) {
    const auto& [offset, width] = local;
    if (width == 32) {
      std::fill_n(plane<std::uint32_t>(frame, at), lanes, static_cast<std::uint32_t>(base + offset));
    } else {
      std::fill_n(plane<std::uint64_t>(frame, at), lanes, base + offset);
    }
  }
}

}  // namespace lockstep::exec
