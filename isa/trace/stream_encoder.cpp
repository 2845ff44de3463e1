#include <bit>
#include <cstring>

#include "isa/error.hpp"
#include "isa/trace/stream.hpp"
#include "isa/trace/stream_format.hpp"

namespace lockstep::trace {

namespace {

/// Addresses of the active lanes, without gaps, and what they have in common.
struct AddressPattern {
  std::uint64_t first = 0;
  std::uint32_t kind = access_none;
  std::uint64_t stride = 0;  ///< When kind is access_affine.
  std::uint32_t count = 0;   ///< Differences, one less than there are active lanes.
  std::uint64_t difference[31];
};

/// Bytes of the narrowest signed differences that hold every one of them; `spread` is the union of their magnitudes.
std::uint32_t difference_kind(std::uint64_t spread) {
  if (spread < (std::uint64_t{1} << 7)) return access_differences_1;
  if (spread < (std::uint64_t{1} << 15)) return access_differences_2;
  if (spread < (std::uint64_t{1} << 31)) return access_differences_4;
  return access_differences_8;
}

/// d for d >= 0, -d - 1 otherwise: fits n - 1 bits exactly when d fits n signed bits.
std::uint64_t magnitude(std::uint64_t difference) {
  return difference ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 63);
}

void finish_pattern(AddressPattern& pattern, std::uint64_t any, std::uint64_t spread, bool affine) {
  pattern.kind = any == 0 ? std::uint32_t{access_same}
                 : affine ? std::uint32_t{access_affine}
                          : difference_kind(spread);
}

void analyse_all_lanes(AddressPattern& pattern, const std::uint64_t* address) {
  pattern.first = address[0];
  pattern.count = 31;
  pattern.stride = address[1] - address[0];
  std::uint64_t any = 0, spread = 0, bent = 0;
  for (std::uint32_t i = 0; i < 31; ++i) {
    const std::uint64_t difference = address[i + 1] - address[i];
    pattern.difference[i] = difference;
    any |= difference;
    spread |= magnitude(difference);
    bent |= difference ^ pattern.stride;
  }
  finish_pattern(pattern, any, spread, bent == 0);
}

void analyse_some_lanes(AddressPattern& pattern, std::uint32_t mask, const std::uint64_t* address) {
  std::uint32_t lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  pattern.first = address[lane];
  pattern.count = static_cast<std::uint32_t>(std::popcount(mask)) - 1;
  std::uint64_t any = 0, spread = 0;
  bool affine = true;
  std::uint32_t rest = mask & (mask - 1);
  for (std::uint32_t i = 0; rest != 0; rest &= rest - 1, ++i) {
    const std::uint32_t next = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t gap = next - lane;
    const std::uint64_t difference = address[next] - address[lane];
    if (i == 0) pattern.stride = static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) / gap);
    pattern.difference[i] = difference;
    any |= difference;
    spread |= magnitude(difference);
    affine &= difference == pattern.stride * gap;
    lane = next;
  }
  finish_pattern(pattern, any, spread, affine);
}

template <class Integer>
std::byte* put(std::byte* at, std::uint64_t value) {
  const Integer narrow = static_cast<Integer>(value);
  std::memcpy(at, &narrow, sizeof narrow);
  return at + sizeof narrow;
}

template <class Integer>
std::byte* put_differences(std::byte* at, const AddressPattern& pattern) {
  for (std::uint32_t i = 0; i < pattern.count; ++i) at = put<Integer>(at, pattern.difference[i]);
  return at;
}

}  // namespace

void StreamEncoder::grow(std::size_t bytes) {
  std::size_t capacity = buffer_.empty() ? 512 : buffer_.size() * 2;
  while (capacity - size_ < bytes) capacity *= 2;
  buffer_.resize(capacity);
}

void StreamEncoder::start_piece() {
  size_ = 0;
  context_ = StreamContext{};
}

void StreamEncoder::block(std::uint32_t block, std::uint32_t mask) {
  std::byte* const begin = reserve(max_block_entry_bytes);
  std::byte* at = begin;
  const bool mask_changed = mask != context_.mask;
  std::uint64_t number = std::uint64_t{block} << 1 | (mask_changed ? 1 : 0);
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<std::byte>(number | 0x80);
  *at++ = static_cast<std::byte>(number);
  if (mask_changed) at = put<std::uint32_t>(at, mask);
  size_ += static_cast<std::size_t>(at - begin);
  context_.mask = mask;
  context_.slot = 0;
}

void StreamEncoder::access(std::uint32_t mask, const std::uint64_t* address) {
  if ((mask & ~context_.mask) != 0) throw Bug("trace encoder: a lane accesses memory that is not in the block's mask");
  const std::uint32_t slot = context_.slot;
  context_.slot = (slot + 1) % StreamContext::predictions;
  std::byte* const begin = reserve(max_access_entry_bytes);
  if (mask == 0) {
    *begin = std::byte{access_none};
    ++size_;
    return;
  }
  AddressPattern pattern;
  if (mask == ~std::uint32_t{0}) {
    analyse_all_lanes(pattern, address);
  } else {
    analyse_some_lanes(pattern, mask, address);
  }

  const std::uint64_t delta = pattern.first - context_.predicted[slot];
  context_.predicted[slot] = pattern.first;
  const std::uint64_t zigzag = (delta << 1) ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(delta) >> 63);
  const std::uint32_t bytes = (static_cast<std::uint32_t>(std::bit_width(zigzag)) + 7) / 8;
  const std::uint32_t length_code = bytes < 7 ? bytes : 7;
  const bool mask_differs = mask != context_.mask;
  const bool long_stride = pattern.kind == access_affine && magnitude(pattern.stride) >= (std::uint64_t{1} << 15);

  std::byte* at = begin;
  *at++ = static_cast<std::byte>(pattern.kind | (mask_differs ? access_mask_differs : 0) |
                                 length_code << access_length_shift | (long_stride ? access_long_stride : 0));
  if (mask_differs) at = put<std::uint32_t>(at, mask);
  std::memcpy(at, &zigzag, sizeof zigzag);
  at += access_length[length_code];
  switch (pattern.kind) {
    case access_same: break;
    case access_affine:
      at = long_stride ? put<std::uint64_t>(at, pattern.stride) : put<std::uint16_t>(at, pattern.stride);
      break;
    case access_differences_1: at = put_differences<std::uint8_t>(at, pattern); break;
    case access_differences_2: at = put_differences<std::uint16_t>(at, pattern); break;
    case access_differences_4: at = put_differences<std::uint32_t>(at, pattern); break;
    default: at = put_differences<std::uint64_t>(at, pattern); break;
  }
  size_ += static_cast<std::size_t>(at - begin);
}

}  // namespace lockstep::trace
