#include "sim/report/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/error.hpp"

namespace lockstep::report {

namespace {

bool near_whole(double value) {
  return std::abs(value - std::round(value)) <= 1e-9 * std::abs(value);
}

/// Puts commas between the thousands of a number's text.
std::string grouped(std::string text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t place = point; place > begin + 3;) text.insert(place -= 3, ",");
  return text;
}

}  // namespace

Scale::Scale(ScaleKind kind, double low, double high, double from, double to)
    : kind_(kind), low_(0), high_(0), from_(from), to_(to) {
  if (kind != ScaleKind::linear && low <= 0) throw Bug("a logarithmic axis begins at or below zero");
  low_ = transformed(low);
  high_ = transformed(high);
}

double Scale::transformed(double value) const {
  switch (kind_) {
    case ScaleKind::linear: return value;
    case ScaleKind::log2: return std::log2(value);
    case ScaleKind::log10: return std::log10(value);
  }
  return value;
}

double Scale::position(double value) const {
  if (low_ == high_) return (from_ + to_) / 2;
  return from_ + (transformed(value) - low_) / (high_ - low_) * (to_ - from_);
}

double round_step(double span, int most) {
  const double least = span / most;
  double power = std::pow(10.0, std::floor(std::log10(least)));
  if (power == 0) power = least;  // among the smallest numbers there are
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> round_ticks(double low, double high, int most) {
  if (low == high) return {low};
  const double step = round_step(high - low, most);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (int i = 0; i <= most && first + i <= last; ++i) {
    const double tick = (first + i) * step + 0.0;
    if (ticks.empty() || tick > ticks.back()) ticks.push_back(tick);  // a range may be finer than numbers are
  }
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int most) {
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const auto within = [&](double tick) { return tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9); };
  std::vector<double> decades, finer;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, exponent);
      if (!within(tick)) continue;
      finer.push_back(tick);
      if (factor == 1) decades.push_back(tick);
    }
  }
  if (finer.empty()) return {low, high};
  if (static_cast<int>(finer.size()) <= most) return finer;
  const std::size_t every = (decades.size() + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most);
  std::vector<double> ticks;
  for (std::size_t i = 0; i < decades.size(); i += every) ticks.push_back(decades[i]);
  return ticks;
}

ScaleKind suitable_scale(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.size() < 2 || values.front() <= 0 || values.front() == values.back()) return ScaleKind::linear;
  const bool powers = std::all_of(values.begin(), values.end(), [](double value) {
    int exponent = 0;
    return std::frexp(value, &exponent) == 0.5;
  });
  if (powers) return ScaleKind::log2;
  double least_gap = values.back() - values.front(), largest_gap = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    least_gap = std::min(least_gap, values[i] - values[i - 1]);
    largest_gap = std::max(largest_gap, values[i] - values[i - 1]);
  }
  const double factor = values.back() / values.front();
  return factor >= 100 || (factor >= 10 && largest_gap >= 8 * least_gap) ? ScaleKind::log10 : ScaleKind::linear;
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks) {
  double largest = 0;
  for (const double tick : ticks) largest = std::max(largest, std::abs(tick));
  struct Unit {
    double from, divisor;
    const char* suffix;
  };
  constexpr Unit units[] = {{1e9, 1e9, " G"}, {1e6, 1e6, " M"}, {1e5, 1e3, " k"}, {0, 1, ""}};
  const Unit& unit =
      *std::find_if(std::begin(units), std::end(units), [&](const Unit& u) { return largest >= u.from; });
  int decimals = 0;
  double power = 1;
  const auto exact = [&](double tick) { return near_whole(tick / unit.divisor * power); };
  while (decimals < 6 && !std::all_of(ticks.begin(), ticks.end(), exact)) {
    ++decimals;
    power *= 10;
  }
  const bool outside = largest / unit.divisor >= 1e6 || !std::all_of(ticks.begin(), ticks.end(), exact);
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    const double shown = tick / unit.divisor;
    if (tick == 0) {
      labels.emplace_back("0");
    } else if (outside) {
      labels.push_back(fmt::format("{:.4g}{}", shown, unit.suffix));
    } else {
      labels.push_back(grouped(fmt::format("{:.{}f}", shown, decimals)) + unit.suffix);
    }
  }
  return labels;
}

std::string number_label(double value, int digits) {
  if (value == 0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (before > 15 || before < -5) return fmt::format("{:.{}g}", value, digits);
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - before));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return grouped(text);
}

}  // namespace lockstep::report
