#pragma once
// Large arrays that begin as zero and cost memory only where they are touched.

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "isa/error.hpp"

namespace lockstep::dataflow {

template <class T>
class Zeroed {
 public:
  Zeroed() = default;
  explicit Zeroed(std::uint64_t count) : data_(static_cast<T*>(std::calloc(count == 0 ? 1 : count, sizeof(T)))) {
    if (!data_)
      throw ResourceError(
          fmt::format("no memory for {} bytes of bookkeeping of a graph's accesses", count * sizeof(T)));
  }
  explicit operator bool() const { return data_ != nullptr; }
  T& operator[](std::uint64_t i) { return data_.get()[i]; }
  const T& operator[](std::uint64_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
};

/// A set of the bytes of a buffer. Accesses are aligned to their 1, 2 or 4 bytes.
class ByteSet {
 public:
  ByteSet() = default;
  explicit ByteSet(std::uint64_t bytes) : bits_((bytes + 7) / 8) {}
  explicit operator bool() const { return static_cast<bool>(bits_); }
  void add(std::uint64_t at, std::uint32_t bytes) { bits_[at / 8] |= mask(at, bytes); }
  bool has_any(std::uint64_t at, std::uint32_t bytes) const { return (bits_[at / 8] & mask(at, bytes)) != 0; }
  bool has_all(std::uint64_t at, std::uint32_t bytes) const {
    return (bits_[at / 8] & mask(at, bytes)) == mask(at, bytes);
  }
  /// Every byte from `from` to before `to`.
  void add_all_of(std::uint64_t from, std::uint64_t to) {
    for (; from < to && from % 8 != 0; ++from) add(from, 1);
    for (; to - from >= 8; from += 8) bits_[from / 8] = 0xff;
    for (; from < to; ++from) add(from, 1);
  }
  /// Adds what `other` has between two bytes, and empties it there.
  void take(ByteSet& other, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from / 8; i < (to + 7) / 8; ++i) {
      bits_[i] |= other.bits_[i];
      other.bits_[i] = 0;
    }
  }
  void add_all(const ByteSet& other, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < (bytes + 7) / 8; ++i) bits_[i] |= other.bits_[i];
  }

 private:
  static std::uint8_t mask(std::uint64_t at, std::uint32_t bytes) {
    return static_cast<std::uint8_t>(((1u << bytes) - 1) << at % 8);
  }
  Zeroed<std::uint8_t> bits_;
};

}  // namespace lockstep::dataflow
