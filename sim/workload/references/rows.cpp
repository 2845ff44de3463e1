// Sums along rows, and of the rectangle above and to the left.
#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

namespace {

/// Calls visit(index, sum of what lies before it in its row, its value) for whole numbers or real ones.
template <typename Visit>
void along_rows(const Elements& input, std::uint64_t row, Visit&& visit) {
  if (row == 0) throw InputError("a row has at least one element");
  std::int64_t whole_sum = 0;
  double real_sum = 0;
  for (std::uint64_t i = 0; i < input.count(); ++i) {
    if (i % row == 0) whole_sum = 0, real_sum = 0;
    if (is_floating(input.type())) {
      const double value = input.real(i);
      visit(i, Number{real_sum}, Number{real_sum + value});
      real_sum += value;
      continue;
    }
    const std::optional<Number> value = input.number(i);
    std::int64_t next = 0;
    if (!value || __builtin_add_overflow(whole_sum, std::get<std::int64_t>(*value), &next)) {
      throw InputError(fmt::format("the sum up to element {} does not fit into 64 bits", i));
    }
    visit(i, Number{whole_sum}, Number{next});
    whole_sum = next;
  }
}

}  // namespace

Elements prefix_sum_reference(const Elements& input, std::uint64_t row, bool exclusive, ElementType type) {
  Elements result(type, input.count());
  along_rows(input, row, [&](std::uint64_t i, const Number& before, const Number& with) {
    result.set(i, exclusive ? before : with);
  });
  return result;
}

Elements row_sums_reference(const Elements& input, std::uint64_t row, ElementType type) {
  Elements result(type, row == 0 ? 0 : (input.count() + row - 1) / row);
  along_rows(input, row, [&](std::uint64_t i, const Number&, const Number& with) {
    if (i % row == row - 1 || i + 1 == input.count()) result.set(i / row, with);
  });
  return result;
}

Elements integral_image_reference(const Elements& input, std::uint64_t width, std::uint64_t pitch, ElementType type) {
  if (is_floating(input.type())) throw InputError("an integral image is one of whole numbers");
  if (pitch < width) throw InputError(fmt::format("rows of {} elements cannot lie {} apart", width, pitch));
  std::vector<std::int64_t> columns(width, 0);  // Of each, the sum down to the row.
  std::int64_t sum = 0;                         // Of these, up to the element.
  Elements result(type, (input.count() + width - 1) / width * pitch);
  for (std::uint64_t i = 0; i < input.count(); ++i) {
    const std::optional<Number> value = input.number(i);
    std::int64_t& column = columns[i % width];
    if (i % width == 0) sum = 0;
    if (!value || __builtin_add_overflow(column, std::get<std::int64_t>(*value), &column) ||
        __builtin_add_overflow(sum, column, &sum)) {
      throw InputError(fmt::format("the sum up to element {} does not fit into 64 bits", i));
    }
    result.set(i / width * pitch + i % width, Number{sum});
  }
  return result;
}

}  // namespace lockstep::workload
