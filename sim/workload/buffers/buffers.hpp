#pragma once
// Typed contents of buffers, and the generators that fill them.

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/expression/expression.hpp"

namespace lockstep::workload {

/// The type of a buffer's elements; stored little-endian, as the GPU sees them.
enum class ElementType : std::uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f32, f64 };

std::optional<ElementType> element_type_named(std::string_view name);
std::string_view name_of(ElementType type);
std::vector<std::string> element_type_names();
unsigned bytes_of(ElementType type);
bool is_floating(ElementType type);

/// Writes `value` as one element. False when it does not fit: out of range, or a fraction in an integer type. A number
/// is rounded to the nearest f32. A u64 takes any integer, modulo 2^64.
bool store(ElementType type, const Number& value, std::uint8_t* bytes);

/// The contents of a buffer or variable with their element type. An element of type u64 may be a device address, which
/// has no bytes until it is known where memory lies. Elements that nobody has set take no room.
class Elements {
 public:
  struct Pointer {
    std::uint64_t index = 0;
    Address to;
  };

  /// `count` elements of zero.
  Elements(ElementType type, std::uint64_t count) : type_(type), count_(count) {}
  /// The size of `bytes` is a multiple of the element's.
  Elements(ElementType type, std::vector<std::uint8_t> bytes)
      : type_(type), count_(bytes.size() / bytes_of(type)), bytes_(std::move(bytes)) {}

  ElementType type() const { return type_; }
  std::uint64_t count() const { return count_; }
  /// In bytes.
  std::uint64_t size() const { return count_ * bytes_of(type_); }
  std::vector<std::uint8_t> bytes() const;
  /// All bytes, or none while all elements are zero and none was set.
  std::vector<std::uint8_t> take_set_bytes() && { return std::move(bytes_); }
  /// The bytes of one element.
  std::span<const std::uint8_t> element(std::uint64_t index) const;
  /// The elements that are device addresses, by index; zero in bytes().
  const std::vector<Pointer>& pointers() const { return pointers_; }
  /// Turns every device address into the number that address_of(its Address) says.
  template <typename F>
  void resolve(F&& address_of);

  double real(std::uint64_t index) const;
  /// Element as an integer, a double or an address. Those of u64 from 2^63 on are the negative number with their bits.
  Number number(std::uint64_t index) const;
  /// InputError when the value does not fit the type.
  void set(std::uint64_t index, const Number& value);
  /// The element as text, exact enough to tell two different elements apart.
  std::string text(std::uint64_t index) const;

 private:
  std::vector<Pointer>::const_iterator first_pointer(std::uint64_t index) const;

  ElementType type_;
  std::uint64_t count_;
  std::vector<std::uint8_t> bytes_;  ///< Of all elements, or none: zero.
  std::vector<Pointer> pointers_;
};

template <typename F>
void Elements::resolve(F&& address_of) {
  for (const Pointer& pointer : pointers_) {
    const std::uint64_t address = address_of(pointer.to);
    std::memcpy(bytes_.data() + pointer.index * sizeof address, &address, sizeof address);
  }
  pointers_.clear();
}

/// Numbers drawn in [minimum, maximum] (integers) or [minimum, maximum) (floating point), the same everywhere for the
/// same seed.
struct Distribution {
  std::uint64_t seed = 1;
  Number minimum = std::int64_t{0}, maximum = std::int64_t{0};
};

/// Every element drawn on its own.
Elements uniform(ElementType type, std::uint64_t count, const Distribution& distribution);
/// All elements the same, drawn once.
Elements degenerate(ElementType type, std::uint64_t count, const Distribution& distribution);
/// Runs of `run` neighbours that are equal; each run drawn on its own. The last run may be cut off.
Elements equal_neighbours(ElementType type, std::uint64_t count, std::uint64_t run, const Distribution& distribution);
Elements constant(ElementType type, std::uint64_t count, const Number& value);
/// start, start + step, start + 2 step, ...
Elements iota(ElementType type, std::uint64_t count, const Number& start, const Number& step);
/// The bytes of a file from byte `skip` on: `count` elements, or all of them. InputError when the file is shorter, or
/// holds no whole number of elements.
Elements raw_file(ElementType type, const std::string& path, std::uint64_t skip, std::optional<std::uint64_t> count);

}  // namespace lockstep::workload
