#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements mri_q_reference(const Elements& samples, const Elements& coordinates, bool imaginary, ElementType type) {
  if (samples.count() % 4 != 0 || coordinates.count() % 3 != 0) {
    throw InputError(fmt::format("{} numbers are no samples of four, or {} no points of three coordinates",
                                 samples.count(), coordinates.count()));
  }
  const std::uint64_t points = coordinates.count() / 3;
  Elements result(type, points);
  std::vector<double> sample(samples.count());
  for (std::uint64_t i = 0; i < samples.count(); ++i) sample[i] = samples.real(i);
  for (std::uint64_t point = 0; point < points; ++point) {
    const double x = coordinates.real(point), y = coordinates.real(points + point);
    const double z = coordinates.real(2 * points + point);
    double sum = 0;
    for (std::uint64_t k = 0; k < sample.size(); k += 4) {
      const double turns = sample[k] * x + sample[k + 1] * y + sample[k + 2] * z;
      const double angle = 2 * std::numbers::pi * turns;
      sum += sample[k + 3] * (imaginary ? std::sin(angle) : std::cos(angle));
    }
    result.set(point, sum);
  }
  return result;
}

}  // namespace lockstep::workload
