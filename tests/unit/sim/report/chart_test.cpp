#include <algorithm>
#include <set>

#include "sim/report/palette.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/svg_chart.hpp"
#include "tests/unit/sim/report/svg.hpp"

namespace lockstep::chart_test {

using namespace lockstep::report;
using Catch::Matchers::Contains;
using Catch::Matchers::VectorContains;

namespace {

Chart lines(std::vector<double> x, std::vector<std::optional<double>> y) {
  Chart chart;
  chart.title = "a chart";
  chart.x_title = "length";
  chart.y_title = "time (ms)";
  for (const double value : x) chart.x_labels.push_back(std::to_string(static_cast<int>(value)));
  chart.x = std::move(x);
  chart.series = {{"", std::move(y)}};
  return chart;
}

/// Centres of the circles with a tooltip: the first series' data.
std::vector<Place> data(const Element& picture) {
  std::vector<Place> places;
  for (const Element& circle : marks(picture, "circle", ": ")) {
    places.emplace_back(number(circle, "cx"), number(circle, "cy"));
  }
  return places;
}

}  // namespace

TEST_CASE("Text becomes safe for markup, whatever it holds") {
  CHECK(escaped("a < b & \"c\" > 'd'") == "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  CHECK(escaped("</svg><script>") == "&lt;/svg&gt;&lt;script&gt;");
  CHECK(escaped("µs · 日本") == "µs · 日本");
  CHECK(escaped(std::string("a\0b\x1b", 4)) == "a\uFFFDb\uFFFD");
  CHECK(escaped("\xff\xc3") == "\uFFFD\uFFFD");
  CHECK(escaped("\uFFFE") == "\uFFFD");  // no character of XML
  CHECK(escaped("two\nlines\t") == "two\nlines\t");
  CHECK(escaped("").empty());
}

TEST_CASE("Long text is cut between characters") {
  CHECK(shortened("short", 100) == "short");
  const std::string cut = shortened("ééééééééééééééééééééééééééééé", 60);
  CHECK(cut.size() < 30);
  CHECK(escaped(cut) == cut);  // still valid UTF-8
  CHECK_THAT(cut, Catch::StartsWith("é") && Catch::EndsWith("…"));
  CHECK(text_width(cut) <= 61);
  CHECK(shortened("anything", 1) == "…");
}

TEST_CASE("The first colours differ in lightness, and text on them can be read") {
  CHECK(lightness("#000000") == Approx(0));
  CHECK(lightness("#ffffff") == Approx(100));
  CHECK(lightness("#777777") == Approx(50).margin(0.5));  // middle grey
  CHECK(lightness("#ff0000") == Approx(53.2).margin(0.1));
  std::vector<double> ladder;
  for (std::size_t i = 0; i < series_colours; ++i) ladder.push_back(lightness(series_style(i).colour));
  std::sort(ladder.begin(), ladder.end());
  for (std::size_t i = 1; i < ladder.size(); ++i) CHECK(ladder[i] - ladder[i - 1] >= 5);
  CHECK(ladder.back() < 85);  // visible on white
  CHECK(text_on("#17306b") == "#ffffff");
  CHECK(text_on("#e6e6e6") == "#111111");
  for (std::size_t i = 0; i < series_colours; ++i) {  // one more round looks different
    CHECK(series_style(i).dashes != series_style(i + series_colours).dashes);
  }
}

TEST_CASE("A line goes through its values, on a logarithmic axis for powers of two") {
  const Element picture = parsed(chart_svg(lines({1, 2, 4, 8}, {10, 20, 40, 0})));
  const auto places = data(picture);
  REQUIRE(places.size() == 4);
  const double step = places[1].first - places[0].first;
  CHECK(step > 50);
  CHECK(places[2].first - places[1].first == Approx(step).margin(0.2));
  CHECK(places[3].first - places[2].first == Approx(step).margin(0.2));
  const double ground = places[3].second;  // y is 0
  CHECK(ground - places[1].second == Approx(2 * (ground - places[0].second)).margin(0.3));
  CHECK(ground - places[2].second == Approx(4 * (ground - places[0].second)).margin(0.5));
  for (const char* text : {"1", "2", "4", "8", "0", "10", "40", "length", "time (ms)"}) {
    CHECK_THAT(texts(picture), VectorContains(std::string(text)));
  }
}

TEST_CASE("Values in any order are joined from left to right") {
  const Element picture = parsed(chart_svg(lines({32, 1, 8}, {1, 2, 3})));
  std::vector<double> across;
  for (const Element& line : elements(picture, "polyline")) {
    if (attribute(line, "stroke") != series_style(0).colour) continue;
    std::istringstream points(attribute(line, "points"));
    double x = 0, y = 0;
    for (char comma = 0; points >> x >> comma >> y;) across.push_back(x);
  }
  REQUIRE(across.size() == 3);
  CHECK(std::is_sorted(across.begin(), across.end()));
}

TEST_CASE("A missing value is a gap in the line") {
  const Element picture = parsed(chart_svg(lines({1, 2, 3, 4, 5}, {10, 20, std::nullopt, 40, 50})));
  CHECK(data(picture).size() == 4);
  std::size_t stretches = 0;
  for (const Element& line : elements(picture, "polyline")) {
    stretches += attribute(line, "stroke") == series_style(0).colour ? 1 : 0;
  }
  CHECK(stretches == 2);
}

TEST_CASE("A chart without values, with one value, and with zeros alone is a picture, too") {
  for (const Chart& empty : {lines({}, {}), lines({1, 2}, {std::nullopt, std::nullopt}), Chart{}}) {
    const Element picture = parsed(chart_svg(empty));
    CHECK(texts(picture) == std::vector<std::string>{"There are no values to show."});
  }
  const auto one = data(parsed(chart_svg(lines({16}, {5}))));
  REQUIRE(one.size() == 1);
  CHECK(one.front().first > 400);  // in the middle of about 900
  CHECK(one.front().first < 550);
  const auto zeros = data(parsed(chart_svg(lines({1, 2}, {0, 0}))));
  REQUIRE(zeros.size() == 2);
  CHECK(zeros[0].second == zeros[1].second);
  for (const double value : {1e-30, 1e-9, 1e18, 1e300}) {
    INFO(value);
    const std::string svg = chart_svg(lines({1, 2}, {value, value / 2}));
    CHECK_THAT(svg, !Contains("nan") && !Contains("inf"));
    CHECK(data(parsed(svg)).size() == 2);
  }
}

TEST_CASE("Lines that span a factor above 100 get a logarithmic y axis, bars only where it is asked for") {
  Chart chart = lines({1, 2, 3}, {1, 100, 10000});
  const auto places = data(parsed(chart_svg(chart)));
  REQUIRE(places.size() == 3);
  CHECK(places[0].second - places[1].second == Approx(places[1].second - places[2].second).margin(0.2));
  chart.kind = ChartKind::bars;
  const auto bars = marks(parsed(chart_svg(chart)), "rect", ": ");
  REQUIRE(bars.size() == 3);
  CHECK(number(bars[1], "height") == Approx(number(bars[2], "height") / 100).epsilon(0.05));
  chart.y_scale = ChartScale::log;
  const auto logarithmic = marks(parsed(chart_svg(chart)), "rect", ": ");
  const double step = number(logarithmic[1], "height") - number(logarithmic[0], "height");
  CHECK(number(logarithmic[2], "height") - number(logarithmic[1], "height") == Approx(step).margin(0.05));
}

TEST_CASE("A linear axis that is asked for stays linear, a logarithmic one leaves out what is not positive") {
  Chart chart = lines({1, 2, 4, 8}, {1, 100, 10000, 0});
  chart.x_scale = chart.y_scale = ChartScale::linear;
  const auto linear = data(parsed(chart_svg(chart)));
  REQUIRE(linear.size() == 4);
  CHECK(linear[2].first - linear[1].first == Approx(2 * (linear[1].first - linear[0].first)).margin(0.2));
  CHECK(linear[3].second - linear[1].second == Approx((linear[3].second - linear[2].second) / 100).margin(0.2));
  chart.y_scale = ChartScale::log;
  CHECK(data(parsed(chart_svg(chart))).size() == 3);
  chart.x = std::vector<double>{0, 2, 4, 8};
  chart.x_scale = ChartScale::log;  // zero has no logarithm: as if linear
  const auto places = data(parsed(chart_svg(chart)));
  CHECK(places[2].first - places[1].first == Approx(places[1].first - places[0].first).margin(0.2));
}

TEST_CASE("What is negative reaches down from the line of zero") {
  Chart chart = lines({1, 2}, {3, -1});
  chart.kind = ChartKind::bars;
  const auto bars = marks(parsed(chart_svg(chart)), "rect", ": ");
  REQUIRE(bars.size() == 2);
  CHECK(number(bars[0], "height") == Approx(3 * number(bars[1], "height")).margin(0.1));
  CHECK(number(bars[0], "y") + number(bars[0], "height") == Approx(number(bars[1], "y")).margin(0.15));
}

TEST_CASE("Lines that lie on each other alternate in colour, and their marks are divided") {
  Chart chart = lines({1, 2, 3}, {10, 20, 30});
  chart.series = {{"a", {10.0, 20.0, 30.0}}, {"b", {10.0, 20.0, 5.0}}, {"c", {10.0, 20.0, std::nullopt}}};
  const Element picture = parsed(chart_svg(chart));
  std::set<std::string> offsets;
  std::size_t dashed = 0, whole = 0;
  for (const Element& line : elements(picture, "polyline")) {
    const bool of_series = attribute(line, "stroke") == series_style(0).colour ||
                           attribute(line, "stroke") == series_style(1).colour ||
                           attribute(line, "stroke") == series_style(2).colour;
    if (!of_series) continue;
    if (attribute(line, "stroke-dasharray") == "7 14") {  // a third each
      ++dashed;
      offsets.insert(attribute(line, "stroke-dashoffset"));
    } else if (attribute(line, "stroke-width") == "2.0" && attribute(line, "points").find(' ') != std::string::npos) {
      ++whole;
    }
  }
  CHECK(dashed == 3);
  CHECK(offsets == std::set<std::string>{"", "-7", "-14"});
  CHECK(whole == 2 + 3);  // from the second place on a and b apart; samples of the legend
  // At the first two places a sector each; at the third each has its own mark.
  CHECK(marks(picture, "polygon", "a, 1: 10").size() == 1);
  CHECK(marks(picture, "polygon", "b, 2: 20").size() == 1);
  CHECK(marks(picture, "polygon", "c, 2: 20").size() == 1);
  CHECK(marks(picture, "circle", "a, 3: 30").size() == 1);
  CHECK(marks(picture, "circle", "a, 1: 10").empty());
}

TEST_CASE("A published value is a hollow bar beside the simulated one, or a hollow mark") {
  Chart chart = lines({1, 2}, {4, 2});
  chart.series = {{"", {4.0, 2.0}, {std::nullopt, 3.0}}};
  chart.kind = ChartKind::bars;
  const Element bars = parsed(chart_svg(chart));
  const Element simulated = marks(bars, "rect", "2: 2").front(),
                published = marks(bars, "rect", "2: 3 published").front();
  CHECK(attribute(published, "fill") == "#fff");
  CHECK(attribute(published, "stroke") == series_style(0).colour);
  CHECK(number(published, "x") >= number(simulated, "x") + number(simulated, "width"));
  CHECK(number(published, "height") == Approx(1.5 * number(simulated, "height")).margin(2));
  CHECK_THAT(texts(bars), VectorContains(std::string("published")) && VectorContains(std::string("simulated")));
  chart.kind = ChartKind::lines;
  const auto rings = marks(parsed(chart_svg(chart)), "circle", "2: 3 published");
  REQUIRE(rings.size() == 1);
  CHECK(attribute(rings.front(), "fill") == "#fff");
}

TEST_CASE("Stacked bars add up") {
  Chart chart = lines({1, 2}, {4, 2});
  chart.series = {{"a", {4.0, 1.0}}, {"b", {2.0, 3.0}}};
  chart.kind = ChartKind::stacked;
  const Element picture = parsed(chart_svg(chart));
  const Element a = marks(picture, "rect", "a, 1: 4").front(), b = marks(picture, "rect", "b, 1: 2").front();
  CHECK(number(a, "x") == number(b, "x"));
  CHECK(number(b, "y") + number(b, "height") == Approx(number(a, "y")).margin(0.15));
  CHECK(number(a, "height") == Approx(2 * number(b, "height")).margin(0.1));
}

TEST_CASE("Points may share a place on the x axis, and no line joins them") {
  Chart chart = lines({1, 1, 2}, {10, 20, 30});
  chart.kind = ChartKind::points;
  const Element picture = parsed(chart_svg(chart));
  const auto places = data(picture);
  REQUIRE(places.size() == 3);
  CHECK(places[0].first == places[1].first);
  for (const Element& line : elements(picture, "polyline")) CHECK(attribute(line, "stroke") != series_style(0).colour);
}

TEST_CASE("Panels stand side by side under one legend, each with its own y axis; on a telephone one below the other") {
  Chart small = lines({1, 2}, {1, 2}), large = lines({1, 2}, {500, 900});
  small.series.front().name = large.series.front().name = "only";
  const std::vector<Panel> panels{{"small", small}, {"large", large}};
  const Element picture = parsed(panels_svg(panels));
  const auto places = data(picture);
  REQUIRE(places.size() == 4);
  CHECK(places[2].first > places[1].first);
  CHECK(places[1].second == Approx(places[3].second).margin(25));  // 2 of 2, 900 of 1,000
  const auto shown = texts(picture);
  for (const char* text : {"small", "large", "1,000", "2"}) CHECK_THAT(shown, VectorContains(std::string(text)));
  CHECK(std::count(shown.begin(), shown.end(), "only") == 1);
  const Element narrow = parsed(panels_svg(panels, narrow_width));
  CHECK(number(narrow.get_child("svg"), "width") <= narrow_width + 1);
  const auto below = data(narrow);
  CHECK(below[2].second > below[0].second);
  CHECK(below[2].first == Approx(below[0].first).margin(25));  // "1,000" is wider than "2.0"
}

TEST_CASE("Bars stand beside each other, as high as their values, and never overlap") {
  Chart chart;
  chart.kind = ChartKind::bars;
  chart.x_title = "kernel";
  chart.x_labels = {"copy", "transpose", "histogram"};
  chart.series = {{"a", {4.0, 2.0, std::nullopt}}, {"b", {1.0, 3.0, 2.0}}};
  const Element picture = parsed(chart_svg(chart));
  const auto bars = marks(picture, "rect", ": ");
  REQUIRE(bars.size() == 5);
  const double unit = number(bars[0], "height") / 4;
  CHECK(number(bars[1], "height") == Approx(2 * unit).margin(0.05));
  CHECK(number(marks(picture, "rect", "b, transpose").front(), "height") == Approx(3 * unit).margin(0.05));
  std::vector<std::pair<double, double>> spans;
  for (const Element& bar : bars) spans.emplace_back(number(bar, "x"), number(bar, "x") + number(bar, "width"));
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].first >= spans[i - 1].second);
}

TEST_CASE("Many bars widen the picture, long names are turned, and nothing leaves it") {
  Chart chart;
  chart.kind = ChartKind::bars;
  for (int i = 0; i < 200; ++i) {
    chart.x_labels.push_back("a workload with a rather long name, number " + std::to_string(i));
    for (int s = 0; s < 3; ++s) {
      chart.series.resize(3);
      chart.series[static_cast<std::size_t>(s)].values.push_back(i + s);
    }
  }
  const std::string svg = chart_svg(chart);
  CHECK_THAT(svg, Contains("rotate(-40"));
  const Element picture = parsed(svg);
  const double width = number(picture.get_child("svg"), "width");
  const auto bars = marks(picture, "rect", ": ");
  REQUIRE(bars.size() == 600);
  for (const Element& bar : bars) {
    REQUIRE(number(bar, "width") >= 4);
    REQUIRE(number(bar, "x") >= 0);
    REQUIRE(number(bar, "x") + number(bar, "width") <= width);
  }
}

TEST_CASE("The legend names every series, in as many rows as it needs, and text in it is safe") {
  Chart chart = lines({1, 2}, {1, 2});
  chart.legend_title = "layout";
  chart.series.clear();
  for (int i = 0; i < 40; ++i) chart.series.push_back({"series <" + std::to_string(i) + "> & more", {i + 1.0, 2.0}});
  const Element picture = parsed(chart_svg(chart));
  const auto shown = texts(picture);
  std::set<double> rows;
  for (const Element& text : elements(picture, "text")) {
    if (text.data().starts_with("series <")) rows.insert(number(text, "y"));
  }
  for (const Series& series : chart.series) CHECK_THAT(shown, VectorContains(series.name));
  CHECK_THAT(shown, VectorContains(std::string("layout:")));
  CHECK(rows.size() > 3);
  CHECK(rows.size() < 20);
  CHECK_THAT(texts(parsed(chart_svg(lines({1, 2}, {1, 2})))), !VectorContains(std::string(":")));
}

TEST_CASE("Shares fill their bar in proportion, and a row of zeros says what it is") {
  Shares shares;
  shares.label_title = "point";
  shares.empty_text = "nothing";
  shares.parts = {{"used", "#17306b", "what was used"}, {"never", "#e57c1f", ""}, {"lost", "#e6e6e6", ""}};
  shares.rows = {{"first", {75, 0, 25}, "100"}, {"none", {0, 0, 0}, "0"}, {"huge", {1ULL << 62, 0, 1ULL << 62}, ""}};
  const Element picture = parsed(shares_svg(shares));
  const auto first = marks(picture, "rect", "first: ");
  REQUIRE(first.size() == 2);
  const double whole = number(first[0], "width") + number(first[1], "width");
  CHECK(number(first[0], "width") == Approx(0.75 * whole).margin(0.1));
  CHECK(number(first[1], "x") == Approx(number(first[0], "x") + number(first[0], "width")).margin(0.1));
  CHECK(marks(picture, "rect", "none: ").empty());
  const auto huge = marks(picture, "rect", "huge: ");
  REQUIRE(huge.size() == 2);
  CHECK(number(huge[0], "width") == Approx(whole / 2).margin(0.1));
  const auto shown = texts(picture);
  for (const char* text : {"used", "lost", "nothing", "75 %", "25 %", "first", "100"}) {
    CHECK_THAT(shown, VectorContains(std::string(text)));
  }
  CHECK_THAT(shown, !VectorContains(std::string("never")));  // no row has it
  CHECK_NOTHROW(parsed(shares_svg(Shares{})));
  // In a narrow picture the label stands above its bar, which has the whole width.
  const Element narrow = parsed(shares_svg(shares, narrow_width));
  const auto bar = marks(narrow, "rect", "first: ");
  CHECK(number(bar[0], "width") + number(bar[1], "width") > 0.95 * narrow_width);
  for (const Element& text : elements(narrow, "text"))
    if (text.data() == "first") CHECK(number(text, "y") < number(bar[0], "y"));
}

}  // namespace lockstep::chart_test
