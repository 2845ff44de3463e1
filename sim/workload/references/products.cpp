#include <fmt/format.h>

#include <vector>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements dot_reference(const Elements& a, const Elements& b, std::uint64_t length, ElementType type) {
  if (length == 0 || a.count() != b.count() || a.count() % length != 0) {
    throw InputError(
        fmt::format("{} and {} elements are not equally many vectors of {} elements", a.count(), b.count(), length));
  }
  Elements result(type, a.count() / length);
  for (std::uint64_t vector = 0; vector < result.count(); ++vector) {
    double sum = 0;
    for (std::uint64_t i = vector * length; i < (vector + 1) * length; ++i) sum += a.real(i) * b.real(i);
    result.set(vector, sum);
  }
  return result;
}

Elements matrix_product_reference(const Elements& a, const Elements& b, const MatrixProductShape& shape,
                                  ElementType type) {
  const auto [rows, columns, inner, a_transposed] = shape;
  if (rows == 0 || columns == 0 || inner == 0 || a.count() != rows * inner || b.count() != inner * columns) {
    throw InputError(fmt::format("{} and {} elements are no matrices of {}x{} and {}x{}", a.count(), b.count(), rows,
                                 inner, inner, columns));
  }
  Elements result(type, rows * columns);
  std::vector<double> row(columns);
  for (std::uint64_t r = 0; r < rows; ++r) {
    row.assign(columns, 0);
    for (std::uint64_t k = 0; k < inner; ++k) {
      const double factor = a.real(a_transposed ? k * rows + r : r * inner + k);
      for (std::uint64_t c = 0; c < columns; ++c) row[c] += factor * b.real(k * columns + c);
    }
    for (std::uint64_t c = 0; c < columns; ++c) result.set(r * columns + c, row[c]);
  }
  return result;
}

}  // namespace lockstep::workload
