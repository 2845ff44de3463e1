#include "sim/report/palette.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/svg_chart.hpp"
#include "tests/unit/sim/report/svg.hpp"

namespace lockstep::areas_test {

using namespace lockstep::report;
using Catch::Matchers::Contains;
using Catch::Matchers::VectorContains;

namespace {

std::vector<Place> corners_of(const Element& shape) {
  std::vector<Place> places;
  std::istringstream points(attribute(shape, "points"));
  double x = 0, y = 0;
  for (char comma = 0; points >> x >> comma >> y;) places.emplace_back(x, y);
  return places;
}

/// The area of a part, which reaches down to the axis; the part below lies on it.
std::vector<Place> area(const Element& picture, std::size_t part) {
  for (const Element& shape : elements(picture, "polygon")) {
    if (attribute(shape, "fill") == series_style(part).colour) return corners_of(shape);
  }
  FAIL("no area of part " << part);
  return {};
}

/// The first line with this stroke.
std::vector<Place> line(const Element& picture, const std::string& dashes) {
  for (const Element& shape : elements(picture, "polyline")) {
    if (attribute(shape, "stroke-dasharray") == dashes) return corners_of(shape);
  }
  return {};
}

/// Heights 2 and 1 for 30 cycles, 0 and 4 for 10; the limit is 8.
Areas two_parts() {
  Areas areas;
  areas.title = "kernel on a GPU";
  areas.x_title = "cycles";
  areas.y_title = "operations";
  areas.second_x_title = "ms";
  areas.second_x_per_x = 0.5;
  areas.share_title = "of the peak";
  areas.ends = {30, 40};
  areas.parts = {{"low", "text of low", {2, 0}}, {"high", "", {1, 4}}};
  areas.stretches = {{"kernel", 40, 8, "peak: 8"}};
  return areas;
}

}  // namespace

TEST_CASE("Areas lie on top of each other, as wide as their intervals and as high as their values") {
  const Element picture = parsed(areas_svg(two_parts()));
  const std::vector<Place> limit = line(picture, "6 4");
  const std::vector<Place> low = area(picture, 0), high = area(picture, 1);
  REQUIRE(limit.size() == 2);
  REQUIRE(high.size() == 6);  // axis, two steps, axis
  const double left = limit[0].first, right = limit[1].first, ground = high[0].second;
  const double unit = (ground - limit[0].second) / 8, cycle = (right - left) / 40;
  CHECK(unit > 10);
  CHECK(high[0].first == left);
  CHECK(high[1].first == left);
  CHECK(high[1].second == Approx(ground - 3 * unit).margin(0.11));
  CHECK(high[2].first == Approx(left + 30 * cycle).margin(0.11));
  CHECK(high[3].first == high[2].first);
  CHECK(high[3].second == Approx(ground - 4 * unit).margin(0.11));
  CHECK(high[4].first == Approx(right).margin(0.11));
  CHECK(high[5].second == ground);
  CHECK(low[1].second == Approx(ground - 2 * unit).margin(0.11));
  CHECK(low[2].first == high[2].first);
  for (std::size_t i = 3; i < low.size(); ++i) CHECK(low[i].second == ground);  // nothing in the second interval
}

TEST_CASE("The area below is drawn later, so that it hides the one above it") {
  std::vector<std::string> colours;
  for (const Element& shape : elements(parsed(areas_svg(two_parts())), "polygon")) {
    colours.push_back(attribute(shape, "fill"));
  }
  CHECK(colours == std::vector<std::string>{std::string(series_style(1).colour), std::string(series_style(0).colour)});
}

TEST_CASE("Areas have titles, both units of their axis, the limit and shares of it") {
  const Element picture = parsed(areas_svg(two_parts()));
  const auto shown = texts(picture);
  for (const char* text : {"kernel on a GPU", "cycles", "ms", "operations", "low", "high", "peak: 8", "of the peak",
                           "100 %", "8", "40", "20"}) {
    CHECK_THAT(shown, VectorContains(std::string(text)));
  }
  CHECK_THAT(shown, !VectorContains(std::string("kernel")));  // the only stretch needs no name
  CHECK(marks(picture, "polygon", "text of low").size() == 1);
  std::vector<double> forty, twenty;  // 40 cycles are 20 ms: the same place
  for (const Element& text : elements(picture, "text")) {
    if (text.data() == "40") forty.push_back(number(text, "x"));
    if (text.data() == "20") twenty.push_back(number(text, "x"));
  }
  REQUIRE(forty.size() == 1);
  REQUIRE(twenty.size() == 2);
  CHECK((twenty[0] == forty[0]) != (twenty[1] == forty[0]));
}

TEST_CASE("Stretches with limits of their own have names, a line each, and no shares") {
  Areas areas = two_parts();
  areas.stretches = {{"first <kernel>", 30, 8, "peak: 8"}, {"second", 40, 4, "peak: 4"}};
  const Element picture = parsed(areas_svg(areas));
  const auto shown = texts(picture);
  for (const char* text : {"first <kernel>", "second", "peak: 8", "peak: 4"}) {
    CHECK_THAT(shown, VectorContains(std::string(text)));
  }
  CHECK_THAT(shown, !VectorContains(std::string("100 %")) && !VectorContains(std::string("of the peak")));
  const std::vector<Place> between = line(picture, "2 3");
  REQUIRE(between.size() == 2);
  CHECK(between[0].first == area(picture, 1)[2].first);
}

TEST_CASE("Hundreds of stretches are told apart without names") {
  Areas areas = two_parts();
  areas.ends.clear();
  areas.stretches.clear();
  for (Areas::Part& part : areas.parts) part.heights.assign(500, 1);
  for (int i = 1; i <= 500; ++i) {
    areas.ends.push_back(i);
    areas.stretches.push_back({"stretch", static_cast<double>(i), 8, "peak: 8"});
  }
  const Element picture = parsed(areas_svg(areas));
  CHECK(line(picture, "2 3").empty());
  CHECK_THAT(texts(picture), !VectorContains(std::string("stretch")));
  std::size_t limits = 0;
  for (const Element& text : elements(picture, "text")) limits += text.data() == "peak: 8" ? 1 : 0;
  CHECK(limits == 1);
  CHECK(area(picture, 0).size() == 4);  // equal heights are one step
}

TEST_CASE("Areas without an interval, or of zeros alone, are a picture, too") {
  CHECK(texts(parsed(areas_svg(Areas{}))) == std::vector<std::string>{"There are no values to show."});
  Areas areas = two_parts();
  areas.stretches.clear();
  for (Areas::Part& part : areas.parts) part.heights = {0, 0};
  const std::string svg = areas_svg(areas);
  CHECK_NOTHROW(parsed(svg));
  CHECK_THAT(svg, !Contains("nan") && !Contains("inf"));
}

}  // namespace lockstep::areas_test
