#include "sim/workload/buffers/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <type_traits>

#include "isa/error.hpp"
#include "isa/trace/posix_file.hpp"

namespace lockstep::workload {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as the host holds them");

struct TypeInfo {
  std::string_view name;
  unsigned bytes;
  bool floating;
};
/// In the order of ElementType.
constexpr std::array<TypeInfo, 10> types{{{"u8", 1, false},
                                          {"s8", 1, false},
                                          {"u16", 2, false},
                                          {"s16", 2, false},
                                          {"u32", 4, false},
                                          {"s32", 4, false},
                                          {"u64", 8, false},
                                          {"s64", 8, false},
                                          {"f32", 4, true},
                                          {"f64", 8, true}}};
const TypeInfo& info(ElementType type) {
  return types[static_cast<std::size_t>(type)];
}

/// Calls f with a value of the C++ type that stands for `type`.
template <typename F>
auto with_type(ElementType type, F&& f) {
  switch (type) {
    case ElementType::u8: return f(std::uint8_t{});
    case ElementType::s8: return f(std::int8_t{});
    case ElementType::u16: return f(std::uint16_t{});
    case ElementType::s16: return f(std::int16_t{});
    case ElementType::u32: return f(std::uint32_t{});
    case ElementType::s32: return f(std::int32_t{});
    case ElementType::u64: return f(std::uint64_t{});
    case ElementType::s64: return f(std::int64_t{});
    case ElementType::f32: return f(float{});
    case ElementType::f64: break;
  }
  return f(double{});
}

template <typename T>
T load(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::string text_of(const Number& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const double* floating = std::get_if<double>(&value)) return fmt::format("{}", *floating);
  return "an address";
}

double real_of(const Number& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

/// Draws from a distribution. The engine is exact by the C++ standard; the mapping is our own, because the standard's
/// distributions differ between libraries.
class Draw {
 public:
  Draw(ElementType type, const Distribution& distribution) : engine_(distribution.seed) {
    const std::int64_t* low = std::get_if<std::int64_t>(&distribution.minimum);
    const std::int64_t* high = std::get_if<std::int64_t>(&distribution.maximum);
    const bool is_unsigned = type == ElementType::u64 && low != nullptr && high != nullptr;
    if (is_unsigned ? static_cast<std::uint64_t>(*low) > static_cast<std::uint64_t>(*high)
                    : real_of(distribution.minimum) > real_of(distribution.maximum)) {
      throw InputError(fmt::format("the smallest value {} is above the largest {}", text_of(distribution.minimum),
                                   text_of(distribution.maximum)));
    }
    floating_ = is_floating(type);
    if (floating_) {
      low_ = real_of(distribution.minimum);
      width_ = real_of(distribution.maximum) - low_;
      return;
    }
    if (low == nullptr || high == nullptr) {
      throw InputError(fmt::format("random elements of type {} need whole numbers as limits", name_of(type)));
    }
    first_ = *low;
    span_ = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
  }

  Number next() {
    if (floating_) return low_ + width_ * static_cast<double>(engine_() >> 11) * 0x1p-53;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(first_) + below_or_equal(span_));
  }

 private:
  /// Uniform in [0, limit]: draws of as many bits as the limit has, until one is not above it.
  std::uint64_t below_or_equal(std::uint64_t limit) {
    if (limit == 0) return 0;
    const int unused = std::countl_zero(limit);
    while (true) {
      const std::uint64_t drawn = engine_() >> unused;
      if (drawn <= limit) return drawn;
    }
  }

  std::mt19937_64 engine_;
  bool floating_ = false;
  double low_ = 0, width_ = 0;
  std::int64_t first_ = 0;
  std::uint64_t span_ = 0;
};

}  // namespace

std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

std::string_view name_of(ElementType type) {
  return info(type).name;
}
unsigned bytes_of(ElementType type) {
  return info(type).bytes;
}
bool is_floating(ElementType type) {
  return info(type).floating;
}

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const TypeInfo& type : types) names.emplace_back(type.name);
  return names;
}

bool store(ElementType type, const Number& value, std::uint8_t* bytes) {
  if (std::holds_alternative<Address>(value)) return false;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    T element{};
    if constexpr (std::is_floating_point_v<T>) {
      const double real = real_of(value);
      if (std::isfinite(real) && std::fabs(real) > static_cast<double>(std::numeric_limits<T>::max())) return false;
      element = static_cast<T>(real);
    } else {
      std::int64_t whole = 0;
      if (const double* floating = std::get_if<double>(&value)) {
        // 2^63 itself is the first double that is too large.
        if (!(*floating >= -0x1p63 && *floating < 0x1p63) || std::trunc(*floating) != *floating) return false;
        whole = static_cast<std::int64_t>(*floating);
      } else {
        whole = std::get<std::int64_t>(value);
      }
      const bool is_pattern = std::is_same_v<T, std::uint64_t> && std::holds_alternative<std::int64_t>(value);
      if (!is_pattern && !std::in_range<T>(whole)) return false;
      element = static_cast<T>(whole);
    }
    std::memcpy(bytes, &element, sizeof element);
    return true;
  });
}

std::vector<std::uint8_t> Elements::bytes() const {
  return bytes_.empty() ? std::vector<std::uint8_t>(size()) : bytes_;
}

std::span<const std::uint8_t> Elements::element(std::uint64_t index) const {
  static constexpr std::array<std::uint8_t, 8> zero{};
  const unsigned bytes = bytes_of(type_);
  return {bytes_.empty() ? zero.data() : bytes_.data() + index * bytes, bytes};
}

double Elements::real(std::uint64_t index) const {
  return with_type(type_, [&](auto zero) { return static_cast<double>(load<decltype(zero)>(element(index).data())); });
}

std::vector<Elements::Pointer>::const_iterator Elements::first_pointer(std::uint64_t index) const {
  return std::lower_bound(pointers_.begin(), pointers_.end(), index,
                          [](const Pointer& pointer, std::uint64_t wanted) { return pointer.index < wanted; });
}

Number Elements::number(std::uint64_t index) const {
  if (const auto pointer = first_pointer(index); pointer != pointers_.end() && pointer->index == index) {
    return pointer->to;
  }
  if (is_floating(type_)) return real(index);
  return with_type(type_,
                   [&](auto zero) { return static_cast<std::int64_t>(load<decltype(zero)>(element(index).data())); });
}

void Elements::set(std::uint64_t index, const Number& value) {
  if (bytes_.empty()) bytes_.resize(size());
  auto pointer = first_pointer(index);
  if (pointer != pointers_.end() && pointer->index == index) pointer = pointers_.erase(pointer);
  if (const Address* address = std::get_if<Address>(&value); address != nullptr && type_ == ElementType::u64) {
    pointers_.insert(pointer, {index, *address});
    std::memset(bytes_.data() + index * sizeof(std::uint64_t), 0, sizeof(std::uint64_t));
    return;
  }
  if (store(type_, value, bytes_.data() + index * bytes_of(type_))) return;
  throw InputError(fmt::format("element {}: {} does not fit into the type {}{}", index, text_of(value), name_of(type_),
                               std::holds_alternative<Address>(value) ? ", but into u64" : ""));
}

std::string Elements::text(std::uint64_t index) const {
  return with_type(type_, [&](auto zero) {
    const auto value = load<decltype(zero)>(element(index).data());
    if constexpr (sizeof zero == 1) return fmt::format("{}", static_cast<int>(value));
    return fmt::format("{}", value);
  });
}

Elements uniform(ElementType type, std::uint64_t count, const Distribution& distribution) {
  return equal_neighbours(type, count, 1, distribution);
}

Elements degenerate(ElementType type, std::uint64_t count, const Distribution& distribution) {
  return constant(type, count, Draw(type, distribution).next());
}

Elements equal_neighbours(ElementType type, std::uint64_t count, std::uint64_t run, const Distribution& distribution) {
  Elements elements(type, count);
  Draw draw(type, distribution);
  Number value = std::int64_t{0};
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % run == 0) value = draw.next();
    elements.set(i, value);
  }
  return elements;
}

Elements constant(ElementType type, std::uint64_t count, const Number& value) {
  Elements elements(type, count);
  for (std::uint64_t i = 0; i < count; ++i) elements.set(i, value);
  return elements;
}

Elements iota(ElementType type, std::uint64_t count, const Number& start, const Number& step) {
  Elements elements(type, count);
  const bool whole = std::holds_alternative<std::int64_t>(start) && std::holds_alternative<std::int64_t>(step);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!whole) {
      elements.set(i, real_of(start) + static_cast<double>(i) * real_of(step));
      continue;
    }
    std::int64_t value = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(i), std::get<std::int64_t>(step), &value) ||
        __builtin_add_overflow(value, std::get<std::int64_t>(start), &value)) {
      throw InputError(fmt::format("element {}: the value does not fit into 64 bits", i));
    }
    elements.set(i, value);
  }
  return elements;
}

Elements raw_file(ElementType type, const std::string& path, std::uint64_t skip, std::optional<std::uint64_t> count) {
  const auto file = trace::PosixFile::open_for_reading(path);
  const std::uint64_t size = file.size();
  if (skip > size) throw InputError(SourceLocation{path}, fmt::format("{} bytes to skip, but it has {}", skip, size));
  const std::uint64_t left = size - skip;
  if (!count && left % bytes_of(type) != 0) {
    throw InputError(SourceLocation{path},
                     fmt::format("{} bytes are not a whole number of {} elements", left, name_of(type)));
  }
  const std::uint64_t wanted = count ? *count * bytes_of(type) : left;
  if (wanted > left) {
    throw InputError(SourceLocation{path}, fmt::format("{} elements of type {} need {} bytes, found {}", *count,
                                                       name_of(type), wanted, left));
  }
  std::vector<std::uint8_t> bytes(wanted);
  if (file.read_at(skip, std::as_writable_bytes(std::span(bytes))) < wanted)
    throw InputError(SourceLocation{path}, "became shorter while it was read");
  return Elements(type, std::move(bytes));
}

}  // namespace lockstep::workload
