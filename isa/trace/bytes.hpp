#pragma once
// Numbers and text as bytes of a file: fixed widths in little endian, counts as varints.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::trace {

/// Appends to a byte vector.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
  void u32(std::uint32_t value) { little_endian(value, 4); }
  void u64(std::uint64_t value) { little_endian(value, 8); }
  /// 7 bits per byte, lowest first; the top bit says that more follow.
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    u8(static_cast<std::uint8_t>(value));
  }
  void text(std::string_view value) {
    varint(value.size());
    for (const char c : value) u8(static_cast<std::uint8_t>(c));
  }
  void raw(std::span<const std::byte> value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }

  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void little_endian(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::byte> bytes_;
};

/// Thrown by ByteReader; the caller knows what the bytes are and turns it into an InputError.
struct MalformedBytes {
  const char* problem;
};

/// Reads back what a ByteWriter wrote. Never reads outside its bytes: throws MalformedBytes instead.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint8_t u8() { return std::to_integer<std::uint8_t>(take(1)[0]); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian(4)); }
  std::uint64_t u64() { return little_endian(8); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw MalformedBytes{"a number has more than 64 bits"};
  }
  /// A number of elements that have at least `element_bytes` each; more than the bytes can hold is an error, so that
  /// no memory is allocated for them.
  std::size_t count(std::size_t element_bytes) {
    const std::uint64_t value = varint();
    if (value > rest_.size() / element_bytes) throw MalformedBytes{"a list is longer than its bytes"};
    return static_cast<std::size_t>(value);
  }
  std::string text() {
    const std::span<const std::byte> bytes = take(count(1));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) throw MalformedBytes{"it ends early"};
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::size_t left() const { return rest_.size(); }
  void expect_end() const {
    if (!rest_.empty()) throw MalformedBytes{"it is longer than it should be"};
  }

 private:
  std::uint64_t little_endian(int count) {
    const std::span<const std::byte> bytes = take(static_cast<std::size_t>(count));
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
      value |= std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i)]) << (8 * i);
    return value;
  }
  std::span<const std::byte> rest_;
};

}  // namespace lockstep::trace
