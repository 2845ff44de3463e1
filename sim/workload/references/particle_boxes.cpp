#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements particle_boxes_reference(const Elements& positions, const Elements& charges, const ParticleBoxes& boxes,
                                  ElementType type) {
  const std::uint64_t count = boxes.x * boxes.y * boxes.z, particles = boxes.particles;
  if (charges.count() != count * particles || positions.count() != 4 * charges.count()) {
    throw InputError(fmt::format("{} positions and {} charges are not those of {} particles in each of {} boxes",
                                 positions.count(), charges.count(), particles, count));
  }
  std::vector<std::array<double, 4>> particle(charges.count());
  for (std::uint64_t i = 0; i < positions.count(); ++i) particle[i / 4][i % 4] = positions.real(i);
  const auto place = [&](std::uint64_t box) {
    return std::array<std::int64_t, 3>{static_cast<std::int64_t>(box % boxes.x),
                                       static_cast<std::int64_t>(box / boxes.x % boxes.y),
                                       static_cast<std::int64_t>(box / boxes.x / boxes.y)};
  };
  const auto touch = [&](std::uint64_t a, std::uint64_t b) {
    const auto p = place(a), q = place(b);
    return std::abs(p[0] - q[0]) <= 1 && std::abs(p[1] - q[1]) <= 1 && std::abs(p[2] - q[2]) <= 1;
  };

  std::vector<std::array<double, 4>> sums(charges.count());
  for (std::uint64_t a = 0; a < count; ++a) {
    for (std::uint64_t b = 0; b < count; ++b) {
      if (!touch(a, b)) continue;
      for (std::uint64_t i = a * particles; i < (a + 1) * particles; ++i) {
        for (std::uint64_t j = b * particles; j < (b + 1) * particles; ++j) {
          const auto &p = particle[i], &q = particle[j];
          const double r2 = p[0] + q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
          const double potential = charges.real(j) * std::exp(-2 * boxes.alpha * boxes.alpha * r2);
          sums[i][0] += potential;
          for (std::size_t k = 1; k < 4; ++k) sums[i][k] += 2 * potential * (p[k] - q[k]);
        }
      }
    }
  }
  Elements result(type, positions.count());
  for (std::uint64_t i = 0; i < positions.count(); ++i) result.set(i, sums[i / 4][i % 4]);
  return result;
}

}  // namespace lockstep::workload
