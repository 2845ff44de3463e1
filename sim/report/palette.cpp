#include "sim/report/palette.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace lockstep::report {

SeriesStyle series_style(std::size_t number) {
  static constexpr std::array<std::string_view, series_colours> colours{"#17306b", "#e57c1f", "#117a5b", "#62b0e0",
                                                                        "#8e1538", "#e6c229", "#9871d2", "#6d5641"};
  static constexpr std::array<std::string_view, 4> dashes{"", "7 3", "2 3", "9 3 2 3"};
  const std::size_t round = number / series_colours;
  return {colours[number % series_colours], dashes[round % dashes.size()], number % series_colours + round};
}

std::string_view colour_on_dark(std::size_t number) {
  static constexpr std::array<std::string_view, series_colours> colours{"#7f9cf0", "#f0913f", "#35a882", "#8fd0f5",
                                                                        "#d9537a", "#e6c229", "#b496ea", "#a58a70"};
  return colours[number % series_colours];
}

double lightness(std::string_view colour) {
  const auto channel = [&](std::size_t place) {
    unsigned byte = 0;
    std::from_chars(colour.data() + place, colour.data() + place + 2, byte, 16);
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance <= 216.0 / 24389 ? luminance * 24389 / 27 : 116 * std::cbrt(luminance) - 16;
}

std::string_view text_on(std::string_view colour) {
  return lightness(colour) < 58 ? "#ffffff" : "#111111";
}

}  // namespace lockstep::report
