#include "sim/report/legend.hpp"

namespace lockstep::report {

double draw_legend(Picture& picture, Place corner, double width, const std::string& title,
                   const std::vector<LegendEntry>& entries) {
  constexpr double row_height = 20, sample_width = 22, gap = 18;
  if (entries.empty()) return 0;
  double x = corner.first, y = corner.second + row_height / 2;
  if (!title.empty()) {
    picture.text({x, y + 4}, title + ":", {.colour = "#555"});
    x += text_width(title) + 14;
  }
  const double begin = x > corner.first + width / 3 ? corner.first : x;
  if (begin != x) {  // a long title has the first row alone
    x = begin;
    y += row_height;
  }
  for (const LegendEntry& entry : entries) {
    const double wide = sample_width + 6 + text_width(entry.name);
    if (x > begin && x + wide > corner.first + width) {
      x = begin;
      y += row_height;
    }
    entry.sample(picture, {x, y});
    picture.text({x + sample_width + 6, y + 4}, entry.name, {}, entry.tooltip);
    x += wide + gap;
  }
  return y + row_height / 2 - corner.second;
}

}  // namespace lockstep::report
