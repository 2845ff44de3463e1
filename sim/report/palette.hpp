#pragma once
// Colours that stay apart in grey, too.

#include <cstddef>
#include <string_view>

namespace lockstep::report {

/// What distinguishes a line or group of bars from the others. Colours repeat after eight with other dashes, and dashes
/// after four.
struct SeriesStyle {
  std::string_view colour, dashes;
  std::size_t marker = 0;
};
SeriesStyle series_style(std::size_t number);
inline constexpr std::size_t series_colours = 8;
/// What takes the place of the colour of a series on a dark page.
std::string_view colour_on_dark(std::size_t number);

/// Lightness of a colour "#rrggbb": CIE L*, 0 (black) to 100 (white).
double lightness(std::string_view colour);
/// Black or white, whichever is easier to read on `colour`.
std::string_view text_on(std::string_view colour);

}  // namespace lockstep::report
