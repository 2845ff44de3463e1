#pragma once
// From values to places on an axis: scales, round tick values and their labels.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::report {

enum class ScaleKind : std::uint8_t { linear, log2, log10 };

/// Maps values from [low, high] to places from `from` to `to`, which may run backwards. Where low equals high, every
/// value is in the middle. A logarithmic scale needs low > 0.
class Scale {
 public:
  Scale(ScaleKind kind, double low, double high, double from, double to);
  double position(double value) const;

 private:
  double transformed(double value) const;
  ScaleKind kind_;
  double low_, high_, from_, to_;
};

/// The smallest of 1, 2, 5, 10, 20, 50, ... (and 0.5, 0.2, 0.1, ...) that fits at most `most` times into `span` > 0.
double round_step(double span, int most);
/// The multiples of round_step within [low, high]; `low` alone when the two are equal.
std::vector<double> round_ticks(double low, double high, int most);
/// 1, 2 and 5 times the powers of ten within [low, high], low > 0; where these are more than `most`, the powers alone,
/// or every second, third, ... of them.
std::vector<double> logarithmic_ticks(double low, double high, int most);

/// log2 for at least two powers of two (halves, quarters included); log10 for positive numbers that span a factor of
/// 100, or of 10 with gaps that differ by a factor of 8; linear otherwise.
ScaleKind suitable_scale(std::vector<double> values);

/// The labels of an axis: all with the same number of decimals, thousands grouped, in k, M or G where all are long.
std::vector<std::string> tick_labels(const std::vector<double>& ticks);
/// A single number in at most `digits` significant digits, thousands grouped.
std::string number_label(double value, int digits = 4);

}  // namespace lockstep::report
