#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements lu_decomposition_reference(const Elements& matrices, std::uint64_t size, std::uint64_t given,
                                    std::uint64_t columns, ElementType type) {
  if (size == 0 || matrices.count() % (size * size) != 0) {
    throw InputError(
        fmt::format("a buffer of {} elements does not hold matrices of {}x{}", matrices.count(), size, size));
  }
  if (given > size || columns > size) {
    throw InputError(fmt::format("of a {}x{} matrix, {} columns cannot be given and {} not be decomposed", size, size,
                                 given, columns));
  }
  Elements result(type, matrices.count());
  std::vector<double> matrix(size * size);
  for (std::uint64_t first = 0; first < matrices.count(); first += size * size) {
    for (std::uint64_t i = 0; i < size * size; ++i) matrix[i] = matrices.real(first + i);
    // Every element is the inner product of what is left of it in L and above it in U away from its final value.
    for (std::uint64_t row = 0; row < size; ++row) {
      for (std::uint64_t column = 0; column < size; ++column) {
        const std::uint64_t terms = std::min(row, column);
        if (terms >= columns || (row < given && column < given)) continue;
        double& element = matrix[row * size + column];
        for (std::uint64_t k = 0; k < terms; ++k) element -= matrix[row * size + k] * matrix[k * size + column];
        if (row > column) element /= matrix[column * size + column];
      }
    }
    for (std::uint64_t i = 0; i < size * size; ++i) result.set(first + i, matrix[i]);
  }
  return result;
}

}  // namespace lockstep::workload
