#pragma once
// The numbers of the access entry's control byte (see stream.hpp), for encoder and cursor alone.

#include <bit>
#include <cstdint>

namespace lockstep::trace {

static_assert(std::endian::native == std::endian::little, "streams are read and written in place, as little endian");

/// Bits 0-2.
enum AccessAddresses : std::uint8_t {
  access_none = 0,
  access_same = 1,
  access_affine = 2,
  access_differences_1 = 3,
  access_differences_2 = 4,
  access_differences_4 = 5,
  access_differences_8 = 6,
};
inline constexpr std::uint32_t access_addresses_bits = 0x07;
inline constexpr std::uint32_t access_mask_differs = 0x08;
inline constexpr std::uint32_t access_length_shift = 4;
inline constexpr std::uint32_t access_long_stride = 0x80;

/// Bytes of the first address, by bits 4-6, and the bits of 8 bytes that belong to it.
inline constexpr std::uint8_t access_length[8] = {0, 1, 2, 3, 4, 5, 6, 8};
inline constexpr std::uint64_t access_length_mask[8] = {
    0, 0xff, 0xffff, 0xff'ffff, 0xffff'ffff, 0xff'ffff'ffff, 0xffff'ffff'ffff, ~std::uint64_t{0}};

}  // namespace lockstep::trace
