#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/report/legend.hpp"
#include "sim/report/palette.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/svg_chart.hpp"

namespace lockstep::report {

namespace {

constexpr double bar_height = 17, longest_label = 260;

std::vector<LegendEntry> legend(const Shares& shares) {
  std::vector<LegendEntry> entries;
  for (std::size_t part = 0; part < shares.parts.size(); ++part) {
    const bool used = std::any_of(shares.rows.begin(), shares.rows.end(),
                                  [&](const Shares::Row& row) { return row.counts[part] > 0; });
    if (!used) continue;
    entries.push_back({shares.parts[part].name, shares.parts[part].text,
                       [colour = shares.parts[part].colour](Picture& picture, Place place) {
                         picture.rectangle({place.first + 4, place.second - 7}, 14, 14, colour);
                       }});
  }
  return entries;
}

}  // namespace

std::string shares_svg(const Shares& shares, double width) {
  Picture picture;
  const bool narrow = width < 500;  // then labels stand above their bars
  const double row_height = narrow ? 38 : 22;
  double label_width = text_width(shares.label_title), note_width = text_width(shares.note_title);
  for (const Shares::Row& row : shares.rows) {
    label_width = std::max(label_width, text_width(row.label));
    note_width = std::max(note_width, text_width(row.note));
  }
  label_width = narrow ? width - note_width - 14 : std::min(label_width, longest_label);
  const double left = narrow ? 2 : label_width + 12, bar = narrow ? width - 4 : width - left - note_width - 14;
  const auto draw_label = [&](double line, const std::string& label, std::string_view colour) {
    const std::string shown = shortened(label, label_width);
    picture.text({narrow ? left : label_width, line}, shown, {.anchor = narrow ? "start" : "end", .colour = colour},
                 shown == label ? "" : label);
  };
  double y = 4 + draw_legend(picture, {0, 2}, width, "", legend(shares)) + 8;
  draw_label(y + 10, shares.label_title, "#555");
  picture.text({width - 2, y + 10}, shares.note_title, {.anchor = "end", .colour = "#555"});
  if (narrow) y += 18;
  for (const int percent : {0, 25, 50, 75, 100}) {
    const double x = left + bar * percent / 100;
    const char* anchor = percent == 0 ? "start" : percent == 100 ? "end" : "middle";
    picture.text({x, y + 10}, fmt::format("{} %", percent), {.anchor = anchor, .size = 11, .colour = "#777"});
    const double end = y + 17 + row_height * static_cast<double>(shares.rows.size());
    picture.line({x, y + 14}, {x, end}, {grid_colour, 1, ""});
  }
  y += 18;
  for (const Shares::Row& row : shares.rows) {
    const double top = narrow ? y + 17 : y, text_line = top + bar_height / 2 + 4;
    draw_label(narrow ? y + 12 : text_line, row.label, "#222");
    picture.text({width - 2, narrow ? y + 12 : text_line}, row.note, {.anchor = "end"});
    const auto total = std::accumulate(row.counts.begin(), row.counts.end(), std::uint64_t{0});
    if (total == 0) picture.text({left + 4, text_line}, shares.empty_text, {.colour = "#777"});
    std::uint64_t before = 0;
    for (std::size_t part = 0; part < row.counts.size() && total > 0; ++part) {
      if (row.counts[part] == 0) continue;
      const auto place = [&](std::uint64_t count) {
        return left + bar * static_cast<double>(count) / static_cast<double>(total);
      };
      const double from = place(before), to = place(before += row.counts[part]);
      const double percent = 100 * static_cast<double>(row.counts[part]) / static_cast<double>(total);
      const Shares::Part& what = shares.parts[part];
      picture.rectangle({from, top}, to - from, bar_height, what.colour,
                        fmt::format("{}: {}: {:.2f} % ({})", row.label, what.name, percent, row.counts[part]));
      const std::string share = fmt::format("{:.0f} %", percent);
      if (text_width(share, 11) + 4 < to - from) {
        picture.text({(from + to) / 2, text_line}, share,
                     {.anchor = "middle", .size = 11, .colour = text_on(what.colour)});
      }
    }
    y += row_height;
  }
  return picture.finish(width, y + 2, shares.title);
}

}  // namespace lockstep::report
