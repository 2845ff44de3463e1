#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

namespace {

/// The element, exact. InputError for an unsigned 64-bit element above the signed range.
Number exact(const Elements& elements, std::uint64_t index) {
  if (const std::optional<Number> number = elements.number(index)) return *number;
  throw InputError(fmt::format("element {} is {}, which a reference cannot hold", index, elements.text(index)));
}

Number plus(const Number& a, const Number& b) {
  if (std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b)) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(std::get<std::int64_t>(a), std::get<std::int64_t>(b), &sum)) {
      throw InputError("a sum of the expected result does not fit into 64 bits");
    }
    return sum;
  }
  const auto real = [](const Number& n) {
    const std::int64_t* whole = std::get_if<std::int64_t>(&n);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(n);
  };
  return real(a) + real(b);
}

}  // namespace

Elements vector_add_reference(const Elements& a, const Elements& b, ElementType type) {
  if (a.count() != b.count()) {
    throw InputError(fmt::format("vectors of {} and {} elements cannot be added", a.count(), b.count()));
  }
  Elements result(type, a.count());
  for (std::uint64_t i = 0; i < a.count(); ++i) result.set(i, plus(exact(a, i), exact(b, i)));
  return result;
}

Elements transpose_reference(const Elements& input, std::uint64_t width, std::uint64_t height, ElementType type) {
  if (width == 0 || height == 0 || input.count() / width < height) {
    throw InputError(
        fmt::format("a matrix of {}x{} does not fit into a buffer of {} elements", width, height, input.count()));
  }
  Elements result(type, width * height);
  for (std::uint64_t i = 0; i < width * height; ++i) result.set(i, exact(input, (i % height) * width + i / height));
  return result;
}

Elements gather_reference(const Elements& table, const Elements& indices, ElementType type) {
  Elements result(type, indices.count());
  for (std::uint64_t i = 0; i < indices.count(); ++i) {
    const Number index = exact(indices, i);
    const std::int64_t* place = std::get_if<std::int64_t>(&index);
    if (place == nullptr) throw InputError("the indices of a gather are whole numbers");
    if (*place < 0 || static_cast<std::uint64_t>(*place) >= table.count()) continue;
    result.set(i, exact(table, static_cast<std::uint64_t>(*place)));
  }
  return result;
}

Elements sum_reference(const Elements& input, ElementType type) {
  Number sum = std::int64_t{0};
  for (std::uint64_t i = 0; i < input.count(); ++i) sum = plus(sum, exact(input, i));
  Elements result(type, 1);
  result.set(0, sum);
  return result;
}

}  // namespace lockstep::workload
