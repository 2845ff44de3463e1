#include "sim/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/stats/utf8.hpp"

namespace lockstep::report {

std::string escaped(std::string_view text) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = stats::utf8_sequence_length(text);
    const std::string_view character = text.substr(0, length);
    const auto code = static_cast<unsigned char>(text.front());
    const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
    if (length == 0 || control || character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") {
      result += replacement;
    } else if (code == '&') {
      result += "&amp;";
    } else if (code == '<') {
      result += "&lt;";
    } else if (code == '>') {
      result += "&gt;";
    } else if (code == '"') {
      result += "&quot;";
    } else if (code == '\'') {
      result += "&#39;";
    } else {
      result += character;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // counted with the character's first byte
    const bool narrow = std::string_view(" ,.'|:;!()[]fijlrt").find(c) != std::string_view::npos;
    width += narrow ? 0.32 : c >= 'A' && c <= 'Z' ? 0.72 : c == 'm' || c == 'w' ? 0.82 : 0.57;
  }
  return width * size;
}

std::string shortened(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) return std::string(text);
  while (!text.empty() && text_width(text, size) > width - size) {
    const auto continues = [&] { return (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80; };
    while (text.size() > 1 && continues()) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return std::string(text) + "\u2026";
}

void Picture::close(const char* element, std::string_view tooltip) {
  if (tooltip.empty()) {
    elements_ += "/>\n";
  } else {
    elements_ += fmt::format("><title>{}</title></{}>\n", escaped(tooltip), element);
  }
}

void Picture::line(Place from, Place to, const LineStyle& style) {
  path({from, to}, style);
}

void Picture::points(const char* element, const std::vector<Place>& places) {
  elements_ += fmt::format("<{} points=\"", element);
  for (std::size_t i = 0; i < places.size(); ++i) {
    elements_ += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", places[i].first, places[i].second);
  }
}

void Picture::polygon(const std::vector<Place>& corners, std::string_view colour, std::string_view tooltip) {
  points("polygon", corners);
  elements_ += fmt::format("\" fill=\"{}\"", colour);
  close("polygon", tooltip);
}

void Picture::path(const std::vector<Place>& places, const LineStyle& style) {
  points("polyline", places);
  elements_ += fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"", style.colour, style.width);
  if (!style.dashes.empty()) elements_ += fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
  if (style.dash_offset != 0) elements_ += fmt::format(" stroke-dashoffset=\"{:g}\"", style.dash_offset);
  close("polyline", "");
}

void Picture::rectangle(Place corner, double width, double height, std::string_view colour, std::string_view tooltip) {
  elements_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"",
                           corner.first, corner.second, width, height, colour);
  close("rect", tooltip);
}

void Picture::frame(Place corner, double width, double height, std::string_view colour, std::string_view tooltip) {
  constexpr double edge = 1.6;
  elements_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#fff\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"",
      corner.first + edge / 2, corner.second + edge / 2, std::max(0.0, width - edge), std::max(0.0, height - edge),
      colour, edge);
  close("rect", tooltip);
}

void Picture::ring(Place place, std::string_view colour, std::string_view tooltip) {
  elements_ +=
      fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.6\" fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.8\"",
                  place.first, place.second, colour);
  close("circle", tooltip);
}

void Picture::sector(Place place, double from, double to, std::string_view colour, std::string_view tooltip) {
  constexpr double radius = 5.5, step = 1.0 / 32;
  std::vector<Place> corners{place};
  const auto add = [&](double turn) {
    const double angle = 2 * std::numbers::pi * turn;
    corners.emplace_back(place.first + radius * std::sin(angle), place.second - radius * std::cos(angle));
  };
  for (int i = 0; from + i * step < to - 1e-9; ++i) add(from + i * step);
  add(to);
  polygon(corners, colour, tooltip);
}

void Picture::text(Place place, std::string_view content, const TextStyle& style, std::string_view tooltip) {
  elements_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\"",
                           place.first, place.second, style.size, style.colour, style.anchor);
  if (style.bold) elements_ += " font-weight=\"bold\"";
  if (style.rotated != 0) {
    elements_ += fmt::format(" transform=\"rotate({:g} {:.1f} {:.1f})\"", style.rotated, place.first, place.second);
  }
  elements_ += fmt::format(">{}", escaped(content));
  if (!tooltip.empty()) elements_ += fmt::format("<title>{}</title>", escaped(tooltip));
  elements_ += "</text>\n";
}

void Picture::marker(Place place, std::size_t shape, std::string_view colour, std::string_view tooltip) {
  const auto [x, y] = place;
  shape %= 8;
  if (shape == 0) {
    elements_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.3\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.7\"", x, y, colour);
    close("circle", tooltip);
    return;
  }
  // Corners on a circle: number, radius of every second corner, and the angle of the first.
  struct Shape {
    int corners;
    double radius, inner, turn;
  };
  constexpr Shape shapes[] = {{0, 0, 0, 0},        {4, 5, 5, 0.125},   {3, 5.5, 5.5, 0.25}, {4, 5.2, 5.2, 0},
                              {3, 5.5, 5.5, 0.75}, {10, 6, 2.6, 0.25}, {8, 6, 2.2, 0.125},  {6, 5, 5, 0}};
  const Shape& form = shapes[shape];
  elements_ += "<polygon points=\"";
  for (int i = 0; i < form.corners; ++i) {
    const double angle = 2 * std::numbers::pi * (form.turn + static_cast<double>(i) / form.corners);
    const double radius = i % 2 == 0 ? form.radius : form.inner;
    elements_ +=
        fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x + radius * std::cos(angle), y - radius * std::sin(angle));
  }
  elements_ += fmt::format("\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.7\"", colour);
  close("polygon", tooltip);
}

std::string Picture::finish(double width, double height, std::string_view title, std::string_view background) const {
  Picture behind;
  if (!background.empty()) behind.rectangle({0, 0}, width, height, background);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"Helvetica, Arial, sans-serif\">\n{}{}</svg>\n",
      escaped(title), width, height, width, height, behind.elements_, elements_);
}

}  // namespace lockstep::report
