#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements path_finder_reference(const Elements& grid, std::uint64_t width, std::uint64_t border, ElementType type) {
  if (width == 0 || 2 * border > width || grid.count() == 0 || grid.count() % width != 0) {
    throw InputError(
        fmt::format("{} numbers are no grid with rows of {} and a border of {}", grid.count(), width, border));
  }
  std::vector<std::int64_t> cost(width, 0);
  for (std::uint64_t row = 0; row < grid.count() / width; ++row) {
    const std::vector<std::int64_t> above = cost;
    for (std::uint64_t x = 0; x < width; ++x) {
      const std::optional<Number> number = grid.number(row * width + x);
      const std::int64_t* step = number ? std::get_if<std::int64_t>(&*number) : nullptr;
      if (step == nullptr) throw InputError("the cost of a step is a whole number");
      const auto first = above.begin() + static_cast<std::ptrdiff_t>(x - (x > 0 ? 1 : 0));
      const auto last = above.begin() + static_cast<std::ptrdiff_t>(std::min(x + 2, width));
      cost[x] = *std::min_element(first, last) + *step;
    }
  }
  Elements result(type, width - 2 * border);
  for (std::uint64_t x = border; x < width - border; ++x) result.set(x - border, cost[x]);
  return result;
}

}  // namespace lockstep::workload
