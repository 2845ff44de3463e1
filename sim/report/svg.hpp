#pragma once
// The elements of an SVG picture, and text made safe for it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::report {

/// Text as it stands in HTML, SVG and attribute values: & < > " ' become references, and what is no valid UTF-8 or no
/// character of XML (XML 1.0, 2.2) becomes U+FFFD.
std::string escaped(std::string_view text);

/// About how wide a text is in the page's font, in pixels.
double text_width(std::string_view text, double size = 12);

/// The text itself where it is at most `width` wide, else its beginning and an ellipsis.
std::string shortened(std::string_view text, double width, double size = 12);

using Place = std::pair<double, double>;

/// Collects elements; coordinates are pixels from the upper left corner. `tooltip`, where not empty, is what a browser
/// shows when the pointer rests on the element.
class Picture {
 public:
  struct TextStyle {
    const char* anchor = "start";  ///< start, middle or end: which part of the text is at the place.
    double size = 12;
    bool bold = false;
    std::string_view colour = "#222";
    double rotated = 0;  ///< Degrees clockwise around the place.
  };
  struct LineStyle {
    std::string_view colour = "#222";
    double width = 1;
    std::string_view dashes = {};  ///< As of stroke-dasharray; "" for a solid line.
    double dash_offset = 0;        ///< Where in the dashes the line begins.
  };

  void line(Place from, Place to, const LineStyle& style);
  void path(const std::vector<Place>& places, const LineStyle& style);
  /// A filled area with these corners.
  void polygon(const std::vector<Place>& corners, std::string_view colour, std::string_view tooltip = "");
  void rectangle(Place corner, double width, double height, std::string_view colour, std::string_view tooltip = "");
  /// A white rectangle with a coloured edge inside it.
  void frame(Place corner, double width, double height, std::string_view colour, std::string_view tooltip = "");
  /// A white circle with a coloured edge.
  void ring(Place place, std::string_view colour, std::string_view tooltip = "");
  /// The part of a marker-sized disc between two angles, in turns clockwise from the top.
  void sector(Place place, double from, double to, std::string_view colour, std::string_view tooltip = "");
  void text(Place place, std::string_view content, const TextStyle& style, std::string_view tooltip = "");
  void text(Place place, std::string_view content) { text(place, content, TextStyle{}); }
  /// One of eight shapes, `shape` modulo eight.
  void marker(Place place, std::size_t shape, std::string_view colour, std::string_view tooltip = "");

  /// The whole picture. `title` is for readers who do not see it; a picture that is a file of its own needs a
  /// background.
  std::string finish(double width, double height, std::string_view title, std::string_view background = "") const;

 private:
  void points(const char* element, const std::vector<Place>& places);
  void close(const char* element, std::string_view tooltip);
  std::string elements_;
};

}  // namespace lockstep::report
