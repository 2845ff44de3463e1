// Repeated steps on a grid whose cells see their four neighbours; outside lies the nearest cell inside.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

namespace {

class Grid {
 public:
  Grid(const Elements& cells, std::uint64_t width, std::uint64_t height) : width_(width), height_(height) {
    if (width == 0 || height == 0 || cells.count() != width * height) {
      throw InputError(fmt::format("{} cells are no grid of {}x{}", cells.count(), width, height));
    }
    for (std::uint64_t i = 0; i < cells.count(); ++i) cells_.push_back(cells.real(i));
  }

  double operator()(std::uint64_t column, std::uint64_t row, int dx = 0, int dy = 0) const {
    const auto moved = [](std::uint64_t at, int by, std::uint64_t size) {
      return static_cast<std::uint64_t>(
          std::clamp<std::int64_t>(static_cast<std::int64_t>(at) + by, 0, static_cast<std::int64_t>(size) - 1));
    };
    return cells_[moved(row, dy, height_) * width_ + moved(column, dx, width_)];
  }

  /// Every cell from its column and row.
  Grid made(const std::function<double(std::uint64_t, std::uint64_t)>& cell) const {
    Grid result = *this;
    for (std::uint64_t i = 0; i < cells_.size(); ++i) result.cells_[i] = cell(i % width_, i / width_);
    return result;
  }

  Elements elements(ElementType type) const {
    Elements result(type, cells_.size());
    for (std::uint64_t i = 0; i < cells_.size(); ++i) result.set(i, cells_[i]);
    return result;
  }

 private:
  std::uint64_t width_, height_;
  std::vector<double> cells_;
};

}  // namespace

Elements srad_reference(const Elements& image, std::uint64_t width, std::uint64_t height, std::uint64_t steps,
                        const SpeckleReduction& how, ElementType type) {
  Grid pixels(image, width, height);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const Grid coefficients = pixels.made([&](std::uint64_t x, std::uint64_t y) {
      const double centre = pixels(x, y);
      double squares = 0, sum = 0;
      for (const auto& [dx, dy] : {std::pair{0, -1}, std::pair{0, 1}, std::pair{-1, 0}, std::pair{1, 0}}) {
        const double difference = (pixels(x, y, dx, dy) - centre) / centre;
        squares += difference * difference;
        sum += difference;
      }
      const double variation = (squares / 2 - sum * sum / 16) / ((1 + sum / 4) * (1 + sum / 4));
      return std::clamp(1 / (1 + (variation - how.speckle) / (how.speckle * (1 + how.speckle))), 0.0, 1.0);
    });
    pixels = pixels.made([&](std::uint64_t x, std::uint64_t y) {
      const double centre = pixels(x, y);
      const double inflow = coefficients(x, y) * (pixels(x, y, 0, -1) + pixels(x, y, -1, 0) - 2 * centre) +
                            coefficients(x, y, 0, 1) * (pixels(x, y, 0, 1) - centre) +
                            coefficients(x, y, 1, 0) * (pixels(x, y, 1, 0) - centre);
      return centre + how.lambda / 4 * inflow;
    });
  }
  return pixels.elements(type);
}

Elements hotspot_reference(const Elements& temperature, const Elements& power, std::uint64_t width,
                           std::uint64_t height, std::uint64_t steps, const HeatExchange& how, ElementType type) {
  Grid cells(temperature, width, height);
  const Grid heating(power, width, height);
  for (std::uint64_t step = 0; step < steps; ++step) {
    cells = cells.made([&](std::uint64_t x, std::uint64_t y) {
      const double centre = cells(x, y);
      const double along_x = cells(x, y, -1, 0) + cells(x, y, 1, 0) - 2 * centre;
      const double along_y = cells(x, y, 0, -1) + cells(x, y, 0, 1) - 2 * centre;
      return centre +
             how.warming * (heating(x, y) + along_x * how.x + along_y * how.y + (how.ambient - centre) * how.z);
    });
  }
  return cells.elements(type);
}

}  // namespace lockstep::workload
