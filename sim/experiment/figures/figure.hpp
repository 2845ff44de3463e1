#pragma once
// A figure as an experiment file declares it; the format is described in configs/experiments/README.md.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/experiment/checks/check_spec.hpp"
#include "sim/experiment/columns/column.hpp"

namespace lockstep::experiment {

struct Experiment;

/// What a figure shows at a place: a column of the only point there, or a number picked from the points there.
struct FigureValue {
  CheckValue::Pick pick;  ///< only, minimum, maximum, mean or geometric_mean
  TableColumn shown;
};

struct Figure {
  enum class Kind : std::uint8_t { automatic, lines, bars, stacked, points };
  enum class Scale : std::uint8_t { automatic, linear, log };
  /// What a source prints for the places whose points all match.
  struct Published {
    CheckValue::Where at;
    double value = 0;
  };

  std::string title;
  std::vector<FigureValue> y;
  std::optional<Column> x;                            ///< Left out: of the axes that nothing else names.
  std::optional<std::vector<Column>> series, facets;  ///< Left out: what is left of the axes.
  Kind kind = Kind::automatic;
  Scale x_scale = Scale::automatic, y_scale = Scale::automatic;
  CheckValue::Where where;  ///< The points that the figure shows; empty: all.
  std::vector<Published> published;
};

/// The ways to pick a value, by the key that names them in a file.
inline constexpr std::array<std::pair<std::string_view, CheckValue::Pick>, 5> figure_picks{
    {{"column", CheckValue::Pick::only},
     {"minimum", CheckValue::Pick::minimum},
     {"maximum", CheckValue::Pick::maximum},
     {"mean", CheckValue::Pick::mean},
     {"geometric_mean", CheckValue::Pick::geometric_mean}}};
inline constexpr std::array<std::pair<std::string_view, Figure::Kind>, 4> figure_kinds{
    {{"lines", Figure::Kind::lines},
     {"bars", Figure::Kind::bars},
     {"stacked", Figure::Kind::stacked},
     {"points", Figure::Kind::points}}};
inline constexpr std::array<std::pair<std::string_view, Figure::Scale>, 2> figure_scales{
    {{"linear", Figure::Scale::linear}, {"log", Figure::Scale::log}}};

/// The figure as flow YAML, without the values that no axis of the experiment has any more; "" when it shows nothing then.
std::string figure_yaml(const Experiment& experiment, const Figure& figure);

}  // namespace lockstep::experiment
