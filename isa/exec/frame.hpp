#pragma once
// The register frame of one warp in one function: a flat block of bytes in which every register, literal and special
// register is a plane of 32 lanes. A decoded instruction names planes by their byte offset, so executing it needs no
// distinction between a register and a constant.
//
//   width 1      predicate: one 32-bit mask, bit = lane (4 bytes)
//   width 8, 16  32 values of 2 bytes (8-bit registers are held in 16)
//   width 32     32 values of 4 bytes
//   width 64     32 values of 8 bytes
//   width 128    two 64-bit planes, low half first
// Planes are aligned to 64 bytes.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "isa/ptx/module.hpp"

namespace lockstep::exec {

inline constexpr unsigned lanes = 32;
using LaneMask = std::uint32_t;
using PlaneOffset = std::uint32_t;
inline constexpr PlaneOffset no_plane = ~PlaneOffset{0};

/// Where everything of one function's frame is. Built while the function is decoded.
class FrameLayout {
 public:
  explicit FrameLayout(const ptx::Function& function);

  PlaneOffset of_register(ptx::RegisterId id) const { return register_planes_[id]; }
  /// A plane that holds `bits` (the low `width` bits) in every lane; equal constants share one plane. Width 1 is a
  /// predicate mask that is all ones or zero.
  PlaneOffset of_constant(std::uint64_t bits, unsigned width);
  /// A plane of 32-bit (clock64 and globaltimer: 64-bit) values that the machine fills when a warp enters the function.
  PlaneOffset of_special(ptx::SpecialRegister special);
  /// A plane that holds the address of a byte in the activation's frame of local memory.
  PlaneOffset of_local(std::uint64_t offset, unsigned width);
  /// A plane for a value of its own, for example a converted operand.
  PlaneOffset temporary(unsigned width);

  /// The carry of the condition code (CC.CF), a predicate: what ends in .cc writes it, addc, subc and madc read it. A
  /// subtraction is the sum of a, ~b and 1 (subc: and the carry), so that its carry says that it took no borrow.
  PlaneOffset carry();

  std::uint32_t bytes() const { return bytes_; }
  struct Constant {
    PlaneOffset plane;
    unsigned width;
    std::uint64_t bits;
  };
  const std::vector<Constant>& constants() const { return constants_; }
  const std::map<ptx::SpecialRegister, PlaneOffset>& specials() const { return specials_; }
  const std::map<std::pair<std::uint64_t, unsigned>, PlaneOffset>& locals() const { return local_planes_; }

 private:
  PlaneOffset allocate(unsigned width);
  std::vector<PlaneOffset> register_planes_;
  std::vector<Constant> constants_;
  std::map<std::pair<std::uint64_t, unsigned>, PlaneOffset> constant_planes_;
  std::map<ptx::SpecialRegister, PlaneOffset> specials_;
  std::map<std::pair<std::uint64_t, unsigned>, PlaneOffset> local_planes_;  ///< By offset and width.
  PlaneOffset carry_ = no_plane;
  std::uint32_t bytes_ = 0;
};

/// Writes every constant plane of the layout into a frame of layout.bytes() bytes, aligned to 64.
void fill_constants(const FrameLayout& layout, std::byte* frame);

/// Writes the addresses in local memory of an activation whose frame there begins at `base`.
void fill_locals(const FrameLayout& layout, std::byte* frame, std::uint64_t base);

template <class T>
T* plane(std::byte* frame, PlaneOffset offset) {
  return reinterpret_cast<T*>(frame + offset);
}
inline LaneMask& predicate(std::byte* frame, PlaneOffset offset) {
  return *reinterpret_cast<LaneMask*>(frame + offset);
}

}  // namespace lockstep::exec
