#include "sim/timeline/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "isa/program/demangled.hpp"
#include "sim/report/legend.hpp"
#include "sim/report/palette.hpp"
#include "sim/report/scale.hpp"
#include "sim/report/slot_colours.hpp"
#include "sim/report/svg.hpp"
#include "sim/stats/table.hpp"
#include "sim/timeline/levels.hpp"

namespace lockstep::timeline {

namespace {

using report::Place;  // Of a picture; places of thread blocks are timeline::Place.

constexpr double width = 1240, margin = 14, left = 150, plot = width - left - margin;
constexpr double text_size = 11, band_height = 14, level_height = 34, most_row = 11, least_row = 3, rows_height = 620;
constexpr std::string_view ready_colour = "#f4d34e", grid = "#e2e2e2", pale = "#555";

/// What a warp can be seen to do: an entry for each reason to wait, then ready and issuing.
constexpr std::size_t ready_state = gpu::slot_count, issue_state = gpu::slot_count + 1, states = gpu::slot_count + 2;

std::size_t state_of(const WarpStretch& stretch) {
  switch (stretch.kind) {
    case WarpStretch::Kind::waits: return static_cast<std::size_t>(stretch.waited_for);
    case WarpStretch::Kind::ready: return ready_state;
    case WarpStretch::Kind::issues: break;
  }
  return issue_state;
}

std::string_view colour_of(std::size_t state) {
  if (state == ready_state) return ready_colour;
  return report::colour_of(state == issue_state ? gpu::Slot::issued : static_cast<gpu::Slot>(state));
}

std::string name_of(std::size_t state) {
  if (state == ready_state) return "ready";
  if (state == issue_state) return "issues";
  std::string name(gpu::name_of(static_cast<gpu::Slot>(state)));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// The cycles of each state, by pixel.
using Pixels = std::vector<std::array<double, states>>;

class Drawing {
 public:
  Drawing(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result, const Events& events)
      : spec_(spec),
        result_(result),
        events_(events),
        history_(history_of(header, result, events, spec.sm.scheduler_interval)),
        workload_(header.workload),
        from_(std::min(events.window.from, result.cycles)),
        to_(std::min(events.window.to, result.cycles)) {}

  std::string draw() {
    const std::string title = fmt::format("{} on {}", workload_, spec_.name);
    picture_.text({margin, 24}, title, {.size = 15, .bold = true});
    picture_.text({margin, 42},
                  fmt::format("cycles {} to {} of {}", stats::grouped(from_), stats::grouped(to_),
                              stats::grouped(result_.cycles)),
                  {.colour = pale});
    y_ = 56;
    if (to_ <= from_) {
      picture_.text({margin, y_ + 16}, "The replay ends before the first of these cycles.", {.colour = pale});
      return picture_.finish(width, y_ + 34, title, "#ffffff");
    }
    draw_axis();
    draw_kernels();
    draw_levels();
    draw_warps();
    return picture_.finish(width, y_ + margin, title, "#ffffff");
  }

 private:
  double x_of(Cycle cycle) const {
    const double share = (static_cast<double>(std::clamp(cycle, from_, to_)) - static_cast<double>(from_)) /
                         static_cast<double>(to_ - from_);
    return left + plot * share;
  }

  void label(double y, const std::string& text, std::string_view tooltip = "") {
    picture_.text({left - 8, y}, report::shortened(text, left - 16, text_size),
                  {.anchor = "end", .size = text_size, .colour = "#333"}, tooltip);
  }

  void draw_axis() {
    const std::vector<double> ticks = report::round_ticks(static_cast<double>(from_), static_cast<double>(to_), 10);
    const std::vector<std::string> labels = report::tick_labels(ticks);
    picture_.text({left - 40, y_ + 10}, "cycles", {.anchor = "end", .size = text_size, .colour = pale});
    for (std::size_t n = 0; n < ticks.size(); ++n) {
      const double x = x_of(static_cast<Cycle>(ticks[n]));
      picture_.text({x, y_ + 10}, labels[n], {.anchor = "middle", .size = text_size, .colour = pale});
      picture_.line({x, y_ + 14}, {x, y_ + 19}, {"#444", 1, ""});
    }
    y_ += 20;
    picture_.line({left, y_}, {left + plot, y_}, {"#444", 1, ""});
    y_ += 4;
  }

  /// A bar with as much of its name as fits.
  void bar(Cycle from, Cycle to, std::string_view colour, const std::string& name, const std::string& tooltip) {
    const double begin = x_of(from), end = x_of(to);
    picture_.rectangle({begin, y_}, std::max(0.6, end - begin - 0.6), band_height - 2, colour, tooltip);
    const std::string shown = report::shortened(name, end - begin - 6, 10);
    if (end - begin > 16 && shown.size() > 3)
      picture_.text({begin + 3, y_ + band_height - 4}, shown, {.size = 10, .colour = report::text_on(colour)});
  }

  void draw_kernels() {
    label(y_ + 10, "kernels");
    for (std::size_t n = 0; n < result_.launches.size(); ++n) {
      const Cycle begin = history_.begins[n], end = begin + result_.launches[n].cycles;
      if (end <= from_ || begin >= to_) continue;
      bar(begin, end, n % 2 == 0 ? "#35598f" : "#7fa8d9", program::short_name(result_.launches[n].kernel),
          fmt::format("launch {}: {}, cycles {} to {}", n, program::demangled(result_.launches[n].kernel), begin, end));
    }
    y_ += band_height + 4;
  }

  void draw_levels() {
    const std::vector<gpu::Sample>& samples = events_.samples;
    if (samples.size() < 2) return;
    for (const Level& level : levels()) {
      const double bottom = y_ + level_height - 6, height = level_height - 8;
      label(bottom - height / 2 + 4, fmt::format("{}, %", level.name), level.text);
      picture_.text({left - 2, bottom - height + 7}, "100", {.anchor = "end", .size = 8, .colour = "#888"});
      picture_.line({left, bottom - height}, {left + plot, bottom - height}, {grid, 1, ""});
      std::vector<Place> corners = {{x_of(samples.front().at), bottom}};
      double sum = 0;
      for (std::size_t n = 1; n < samples.size(); ++n) {
        const Cycle cycles = samples[n].at - samples[n - 1].at;
        const gpu::Counters counted = counter::difference(samples[n].counters, samples[n - 1].counters);
        const double percent = std::clamp(level.percent(spec_, counted, cycles).value_or(0), 0.0, 100.0);
        const double top = bottom - height * percent / 100;
        corners.emplace_back(x_of(samples[n - 1].at), top);
        corners.emplace_back(x_of(samples[n].at), top);
        sum += percent * static_cast<double>(cycles);
      }
      corners.emplace_back(x_of(samples.back().at), bottom);
      const double mean = sum / static_cast<double>(samples.back().at - samples.front().at);
      picture_.polygon(corners, "#62b0e0", fmt::format("{}: mean {:.1f} %", level.text, mean));
      picture_.line({left, bottom}, {left + plot, bottom}, {"#999", 1, ""});
      y_ += level_height;
    }
    y_ += 4;
  }

  /// By warp of a place, in order.
  std::map<std::pair<timeline::Place, std::uint32_t>, Pixels> pixels_of_warps() {
    std::map<std::pair<timeline::Place, std::uint32_t>, Pixels> rows;
    const double cycles_per_pixel = static_cast<double>(to_ - from_) / plot;
    for (const WarpStretch& stretch : history_.warps) {
      if (stretch.to <= from_ || stretch.from >= to_) continue;
      Pixels& pixels = rows[{stretch.place, stretch.warp}];
      if (pixels.empty()) pixels.resize(static_cast<std::size_t>(plot) + 1);
      const std::size_t state = state_of(stretch);
      used_[state] = true;
      const double begin = x_of(stretch.from) - left, end = x_of(stretch.to) - left;
      for (auto p = static_cast<std::size_t>(begin); p < pixels.size() && static_cast<double>(p) < end; ++p) {
        const double from = std::max(begin, static_cast<double>(p)), to = std::min(end, static_cast<double>(p + 1));
        pixels[p][state] += (to - from) * cycles_per_pixel;
      }
    }
    return rows;
  }

  static std::optional<std::size_t> longest(const std::array<double, states>& pixel) {
    const auto most = std::max_element(pixel.begin(), pixel.end());
    if (*most <= 0) return std::nullopt;
    return static_cast<std::size_t>(most - pixel.begin());
  }

  void draw_row(const Pixels& pixels, double height, const std::string& warp) {
    for (std::size_t p = 0; p < pixels.size();) {
      const std::optional<std::size_t> state = longest(pixels[p]);
      std::size_t end = p + 1;
      while (end < pixels.size() && longest(pixels[end]) == state) ++end;
      if (state)
        picture_.rectangle({left + static_cast<double>(p), y_}, static_cast<double>(end - p), height - 0.6,
                           timeline::colour_of(*state), fmt::format("{}: {}", warp, timeline::name_of(*state)));
      p = end;
    }
  }

  void draw_warps() {
    const auto rows = pixels_of_warps();
    if (rows.empty()) {
      picture_.text({left, y_ + 14}, "No warp issues anything in these cycles.", {.colour = pale});
      y_ += 22;
      return;
    }
    const double height = std::clamp(rows_height / static_cast<double>(rows.size()), least_row, most_row);
    std::optional<timeline::Place> place;
    for (const auto& [key, pixels] : rows) {
      if (place != key.first) {
        place = key.first;
        y_ += 4;
        label(y_ + 10, fmt::format("SM {} place {}", place->sm, place->number));
        bool odd = false;
        for (const BlockStretch& block : history_.blocks) {
          if (block.place != *place) continue;
          bar(block.from, block.to, odd ? "#c9c9c9" : "#a8a8a8", fmt::format("thread block {}", block.thread_block),
              fmt::format("thread block {} of launch {}, cycles {} to {}", block.thread_block, block.launch, block.from,
                          block.to));
          odd = !odd;
        }
        y_ += band_height;
      }
      if (height > 8) label(y_ + height - 2, fmt::format("warp {}", key.second));
      draw_row(pixels, height, fmt::format("SM {} place {} warp {}", place->sm, place->number, key.second));
      y_ += height;
    }
    y_ += 8;
    std::vector<report::LegendEntry> entries;
    for (const std::size_t state : legend_order()) {
      if (!used_[state]) continue;
      entries.push_back(
          {timeline::name_of(state), "", [colour = timeline::colour_of(state)](report::Picture& picture, Place at) {
             picture.rectangle({at.first + 4, at.second - 7}, 14, 14, colour);
           }});
    }
    y_ += report::draw_legend(picture_, {left, y_}, plot, "", entries);
  }

  static std::vector<std::size_t> legend_order() {
    std::vector<std::size_t> order = {issue_state, ready_state};
    for (const report::SlotColour& entry : report::slot_colours) order.push_back(static_cast<std::size_t>(entry.slot));
    return order;
  }

  const gpu::GpuSpec& spec_;
  const gpu::Result& result_;
  const Events& events_;
  History history_;
  std::string workload_;
  Cycle from_, to_;
  double y_ = 0;
  std::array<bool, states> used_{};
  report::Picture picture_;
};

}  // namespace

std::string timeline_svg(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result,
                         const Events& events) {
  return Drawing(header, spec, result, events).draw();
}

}  // namespace lockstep::timeline
