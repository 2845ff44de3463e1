#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "isa/error.hpp"
#include "isa/trace/stream.hpp"
#include "isa/trace/stream_format.hpp"

namespace lockstep::trace {

namespace {

/// Bytes that decoding an entry of any kind but differences may look at. The first address is always loaded as 8 bytes.
constexpr std::size_t short_entry_bytes = 1 + 4 + 8 + 8;

template <class Integer>
Integer load(const std::byte* at) {
  Integer value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class Integer>
const std::byte* add_differences(const std::byte* at, std::uint32_t mask, std::uint64_t first, std::uint64_t* address) {
  if (mask == ~std::uint32_t{0}) {
    address[0] = first;
    for (int i = 1; i < 32; ++i) {
      first += static_cast<std::uint64_t>(std::int64_t{load<Integer>(at + (i - 1) * sizeof(Integer))});
      address[i] = first;
    }
    return at + 31 * sizeof(Integer);
  }
  address[std::countr_zero(mask)] = first;
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
    first += static_cast<std::uint64_t>(std::int64_t{load<Integer>(at)});
    at += sizeof(Integer);
    address[std::countr_zero(mask)] = first;
  }
  return at;
}

/// Two lanes' addresses in one register (a vector type of gcc and clang; every x86-64 and ARM64 has it).
using AddressPair = std::uint64_t __attribute__((vector_size(16)));

/// address[lane] = origin + lane * stride. Written with pairs and one running sum, because g++ 12.2 at -O2 and above
/// stores wrong values from a loop with four running sums of equal step.
void fill_affine(std::uint64_t origin, std::uint64_t stride, std::uint64_t* address) {
  AddressPair pair = {origin, origin + stride};
  const AddressPair step = {2 * stride, 2 * stride};
  for (int lane = 0; lane < 32; lane += 2, pair += step) std::memcpy(address + lane, &pair, sizeof pair);
}

}  // namespace

void StreamCursor::fail(const char* what) const {
  const std::string place = stream_ == nullptr ? std::string() : stream_->place();
  throw InputError(fmt::format("{}{}the stream is damaged at byte {} of a piece of {}: {}", place,
                               place.empty() ? "" : ": ", at_ - begin_, end_ - begin_, what));
}

bool StreamCursor::next_piece() {
  if (stream_ == nullptr) return false;
  const std::span<const std::byte> piece = stream_->next_piece();
  begin_ = at_ = piece.data();
  end_ = begin_ + piece.size();
  context_ = StreamContext{};
  return !piece.empty();
}

const std::byte* StreamCursor::decode_block(const std::byte* at, BlockEntry& entry) {
  std::uint64_t number = std::to_integer<std::uint64_t>(*at++);
  if (number >= 0x80) [[unlikely]] {
    number &= 0x7f;
    for (int shift = 7;; shift += 7) {
      const std::uint64_t byte = std::to_integer<std::uint64_t>(*at++);
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      if (shift == 28) fail("a block number has more than 5 bytes");
    }
  }
  if (number >> 1 >= blocks_) fail("it enters a basic block that the kernel does not have");
  if ((number & 1) != 0) {
    context_.mask = load<std::uint32_t>(at);
    at += 4;
  }
  context_.slot = 0;
  entry.block = static_cast<std::uint32_t>(number >> 1);
  entry.mask = context_.mask;
  return at;
}

bool StreamCursor::next_block(BlockEntry& entry) {
  if (at_ == end_ && !next_piece()) return false;
  const std::size_t left = static_cast<std::size_t>(end_ - at_);
  if (left >= max_block_entry_bytes) [[likely]] {
    at_ = decode_block(at_, entry);
    return true;
  }
  std::byte padded[max_block_entry_bytes] = {};
  std::memcpy(padded, at_, left);
  const std::size_t used = static_cast<std::size_t>(decode_block(padded, entry) - padded);
  if (used > left) fail("it ends inside a block entry");
  at_ += used;
  return true;
}

const std::byte* StreamCursor::decode_access(const std::byte* at, AccessEntry& entry) {
  const std::uint32_t control = std::to_integer<std::uint32_t>(*at++);
  const std::uint32_t slot = context_.slot;
  context_.slot = (slot + 1) % StreamContext::predictions;
  if (control == access_none) {
    entry.mask = 0;
    return at;
  }
  std::uint32_t mask = context_.mask;
  if ((control & access_mask_differs) != 0) {
    mask = load<std::uint32_t>(at);
    at += 4;
  }
  if (mask == 0 || (mask & ~context_.mask) != 0) [[unlikely]] {
    fail(mask == 0 ? "an access without lanes has addresses"
                   : "a lane accesses memory that is not in the block's mask");
  }
  const std::uint32_t length_code = control >> access_length_shift & 7;
  const std::uint64_t zigzag = load<std::uint64_t>(at) & access_length_mask[length_code];
  at += access_length[length_code];
  const std::uint64_t first = context_.predicted[slot] + (zigzag >> 1 ^ (0 - (zigzag & 1)));
  context_.predicted[slot] = first;
  entry.mask = mask;
  switch (control & (access_addresses_bits | access_long_stride)) {
    case access_same:
      for (std::uint64_t& address : entry.address) address = first;
      return at;
    case access_affine:
    case access_affine | access_long_stride: {
      const bool long_stride = (control & access_long_stride) != 0;
      const std::uint64_t stride =
          long_stride ? load<std::uint64_t>(at) : static_cast<std::uint64_t>(std::int64_t{load<std::int16_t>(at)});
      fill_affine(first - static_cast<std::uint64_t>(std::countr_zero(mask)) * stride, stride, entry.address);
      return at + (long_stride ? 8 : 2);
    }
    case access_differences_1: return add_differences<std::int8_t>(at, mask, first, entry.address);
    case access_differences_2: return add_differences<std::int16_t>(at, mask, first, entry.address);
    case access_differences_4: return add_differences<std::int32_t>(at, mask, first, entry.address);
    case access_differences_8: return add_differences<std::int64_t>(at, mask, first, entry.address);
    default: fail("an access entry has an unknown control byte");
  }
}

void StreamCursor::next_access(AccessEntry& entry) {
  const std::size_t left = static_cast<std::size_t>(end_ - at_);
  if (left >= max_access_entry_bytes ||
      (left >= short_entry_bytes && (std::to_integer<std::uint32_t>(*at_) & access_addresses_bits) <= access_affine))
      [[likely]] {
    at_ = decode_access(at_, entry);
  } else {
    next_access_near_end(entry);
  }
}

void StreamCursor::next_access_near_end(AccessEntry& entry) {
  const std::size_t left = static_cast<std::size_t>(end_ - at_);
  std::byte padded[max_access_entry_bytes] = {};
  if (left != 0) std::memcpy(padded, at_, left);
  const std::size_t used = static_cast<std::size_t>(decode_access(padded, entry) - padded);
  if (used > left) fail("it ends inside an access entry");
  at_ += used;
}

}  // namespace lockstep::trace
