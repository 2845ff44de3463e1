#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements needleman_wunsch_reference(const Elements& scores, const Elements& similarity, const AlignedTiles& tiles,
                                    std::int64_t penalty, ElementType type) {
  const std::uint64_t width = tiles.width, tile = tiles.tile;
  if (width < 2 || scores.count() % width != 0 || similarity.count() != scores.count()) {
    throw InputError(fmt::format("{} scores and {} similarities are no two matrices with rows of {}", scores.count(),
                                 similarity.count(), width));
  }
  const auto whole = [](const Elements& elements, std::uint64_t i) {
    const std::optional<Number> number = elements.number(i);
    const std::int64_t* value = number ? std::get_if<std::int64_t>(&*number) : nullptr;
    if (value == nullptr) throw InputError("scores and similarities are whole numbers");
    return *value;
  };
  std::vector<std::int64_t> best(scores.count());
  for (std::uint64_t i = 0; i < scores.count(); ++i) best[i] = whole(scores, i);
  for (std::uint64_t i = width; i < scores.count(); ++i) {
    const std::uint64_t row = i / width, column = i % width;
    if (column == 0) continue;
    const std::uint64_t diagonal = (row - 1) / tile + (column - 1) / tile;
    if (diagonal < tiles.first_diagonal || diagonal > tiles.last_diagonal) continue;
    best[i] = std::max({best[i - width - 1] + whole(similarity, i), best[i - 1] - penalty, best[i - width] - penalty});
  }
  Elements result(type, scores.count());
  for (std::uint64_t i = 0; i < scores.count(); ++i) result.set(i, best[i]);
  return result;
}

}  // namespace lockstep::workload
