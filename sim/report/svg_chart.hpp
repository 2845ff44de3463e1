#pragma once
// Charts as SVG: lines, bars and points, shares and areas. They know nothing of experiments.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

/// What the axes of all pictures have.
inline constexpr double tick_length = 5;
inline constexpr std::string_view grid_colour = "#e2e2e2", axis_colour = "#444";

/// How wide pictures are: on a page, and on a telephone.
inline constexpr double usual_width = 900, narrow_width = 350;

/// The marks of one colour.
struct Series {
  std::string name;
  std::vector<std::optional<double>> values;          ///< One per place on the x axis; none: a gap.
  std::vector<std::optional<double>> published = {};  ///< What a source has there; empty: nothing anywhere.
  /// How far the value there varies up and down, at least 0; empty: nothing anywhere.
  std::vector<std::optional<double>> deviations = {};
};

enum class ChartKind : std::uint8_t { lines, bars, stacked, points };
enum class ChartScale : std::uint8_t { automatic, linear, log };

struct Chart {
  std::string title;                     ///< For readers who do not see the picture.
  std::string x_title, y_title;          ///< With units.
  std::string legend_title;              ///< What tells the series apart.
  std::vector<std::string> x_labels;     ///< One per place on the x axis.
  std::optional<std::vector<double>> x;  ///< Their numbers, in any order. None: the places have equal distances.
  std::vector<Series> series;            ///< Values are finite.
  std::optional<double> reference;       ///< A dashed horizontal line.
  ChartKind kind = ChartKind::lines;     ///< Bars stand at equal distances, whatever the numbers.
  ChartScale x_scale = ChartScale::automatic, y_scale = ChartScale::automatic;
};

/// The picture. A linear y axis has zero on it; lines and points whose values span a factor above 100 get a logarithmic one
/// where nothing is asked for. What lies on the same place as other series is seen beside them: lines alternate in
/// colour, marks are divided. Published values are hollow marks, or hollow bars beside the simulated ones. A chart
/// without any value says so. It may be wider than `width` when many bars need it.
std::string chart_svg(const Chart& chart, double width = usual_width, std::string_view background = "");

/// One of several charts of the same series.
struct Panel {
  std::string heading;  ///< "" when there is one panel only.
  Chart chart;
};
/// Charts side by side under one legend, each with its own axes.
std::string panels_svg(const std::vector<Panel>& panels, double width = usual_width, std::string_view background = "");

/// Shares of a whole, as horizontal bars of equal length.
struct Shares {
  struct Part {
    std::string name, colour, text;  ///< `text` explains the part (tooltip).
  };
  struct Row {
    std::string label;
    std::vector<std::uint64_t> counts;  ///< One per part.
    std::string note;                   ///< Written behind the bar.
  };
  std::string title, label_title, note_title;
  std::vector<Part> parts;  ///< Those that no row has are left out of the legend.
  std::vector<Row> rows;
  std::string empty_text;  ///< In place of the bar of a row whose counts are all zero.
};
std::string shares_svg(const Shares& shares, double width = 920);

/// What several parts add up to over an axis from zero: areas on top of each other, with a height per interval.
struct Areas {
  struct Part {
    std::string name, text;       ///< `text` explains the part (tooltip).
    std::vector<double> heights;  ///< One per interval, finite and not negative.
  };
  /// A piece of the x axis, and a limit to compare with the heights in it.
  struct Stretch {
    std::string name;  ///< Shown when there are several.
    double end = 0, limit = 0;
    std::string limit_text;
  };
  std::string title, subtitle, legend_title;
  std::string x_title, y_title;
  std::string second_x_title;      ///< Of the x axis in another unit.
  double second_x_per_x = 1;       ///< So many of that unit for one of the first.
  std::string share_title;         ///< Of the axis of heights in percent of the limit, where all limits are the same.
  std::vector<double> ends;        ///< Of the intervals, rising.
  std::vector<Part> parts;         ///< The first lies at the bottom.
  std::vector<Stretch> stretches;  ///< Rising; the last ends with the last interval.
};
std::string areas_svg(const Areas& areas);

}  // namespace lockstep::report
