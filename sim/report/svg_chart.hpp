#pragma once
// Charts as SVG: lines over a numeric axis, or bars over names. They know nothing of experiments.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

/// What the axes of all pictures have.
inline constexpr double tick_length = 5;
inline constexpr std::string_view grid_colour = "#e2e2e2", axis_colour = "#444";

/// A line, or the bars of one colour.
struct Series {
  std::string name;
  std::vector<std::optional<double>> values;  ///< One per place on the x axis; none: a gap.
};

struct Chart {
  std::string title;                         ///< For readers who do not see the picture.
  std::string x_title, y_title;              ///< With units.
  std::string legend_title;                  ///< What tells the series apart.
  std::vector<std::string> x_labels;         ///< One per place on the x axis.
  std::optional<std::vector<double>> x;      ///< Their numbers, in any order: lines. None: bars.
  std::vector<Series> series;                ///< Values are finite and not negative.
  std::optional<double> reference;           ///< A dashed horizontal line.
  std::optional<double> y_least, y_largest;  ///< Values that the y axis shows in any case: charts to be compared.
};

/// The picture. Axes begin at zero, except that lines whose values span a factor above 100 get a logarithmic y axis.
/// A chart without any value says so.
std::string chart_svg(const Chart& chart);

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
std::string shares_svg(const Shares& shares);

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
