#include <algorithm>
#include <set>

#include "sim/report/palette.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/svg_chart.hpp"
#include "tests/unit/sim/report/svg.hpp"

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

TEST_CASE("Lines that span a factor above 100 get a logarithmic y axis, bars never do") {
  Chart chart = lines({1, 2, 3}, {1, 100, 10000});
  const auto places = data(parsed(chart_svg(chart)));
  REQUIRE(places.size() == 3);
  CHECK(places[0].second - places[1].second == Approx(places[1].second - places[2].second).margin(0.2));
  chart.x.reset();
  const auto bars = marks(parsed(chart_svg(chart)), "rect", ": ");
  REQUIRE(bars.size() == 3);
  CHECK(number(bars[1], "height") == Approx(number(bars[2], "height") / 100).epsilon(0.05));
}

TEST_CASE("Bars stand beside each other, as high as their values, and never overlap") {
  Chart chart;
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

TEST_CASE("Charts with the same limits have the same y axis") {
  Chart small = lines({1, 2}, {1, 2}), large = lines({1, 2}, {50, 90});
  for (Chart* chart : {&small, &large}) {
    chart->y_least = 1;
    chart->y_largest = 90;
  }
  const auto low = data(parsed(chart_svg(small))), high = data(parsed(chart_svg(large)));
  CHECK(low[0].second > high[0].second);
  CHECK_THAT(texts(parsed(chart_svg(small))), VectorContains(std::string("100")));
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
}
