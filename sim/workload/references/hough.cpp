#include <fmt/format.h>

#include <cmath>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements hough_reference(const Elements& points, const Elements& directions, std::uint64_t bins, double origin,
                         ElementType type) {
  if (directions.count() % 2 != 0) throw InputError("directions are pairs of a cosine and a sine");
  const std::uint64_t angles = directions.count() / 2;
  std::vector<std::int64_t> space(angles * bins, 0);
  // Point by point, as on a CPU; the rounding of each step to single precision is part of the definition.
  for (std::uint64_t i = 0; i < points.count(); ++i) {
    const double given = points.real(i);
    if (!(given >= 0 && given < 0x1p32)) {
      throw InputError(fmt::format("element {} is {}, which is no point: x + 65536 y", i, points.text(i)));
    }
    const auto point = static_cast<std::uint64_t>(given);
    const auto x = static_cast<float>(point % 65536), y = static_cast<float>(point / 65536);
    for (std::uint64_t angle = 0; angle < angles; ++angle) {
      const auto cosine = static_cast<float>(directions.real(2 * angle));
      const auto sine = static_cast<float>(directions.real(2 * angle + 1));
      const float distance = std::floor(std::fma(x, cosine, std::fma(y, sine, static_cast<float>(origin))));
      if (distance >= 0 && distance < static_cast<float>(bins)) {
        ++space[angle * bins + static_cast<std::uint64_t>(distance)];
      }
    }
  }
  Elements result(type, space.size());
  for (std::uint64_t i = 0; i < space.size(); ++i) result.set(i, space[i]);
  return result;
}

}  // namespace lockstep::workload
