#include "sim/calibrate/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/calibrate/search.hpp"
#include "sim/calibrate/simulated_clocks.hpp"
#include "sim/config/value.hpp"

namespace lockstep::calibrate {

namespace {

using config::Parameter;

/// Of a point that a value makes impossible to simulate.
constexpr double impossible = 1e6;

double number_of(const config::Setting& setting) {
  if (const auto* whole = std::get_if<std::uint64_t>(&setting)) return static_cast<double>(*whole);
  return std::get<double>(setting);
}

/// A value as the parameter takes it: whole, or with four digits.
config::Setting setting_of(const Parameter& parameter, double value) {
  if (parameter.type == Parameter::Type::whole) return static_cast<std::uint64_t>(std::llround(value));
  const double scale = std::pow(10, 3 - std::floor(std::log10(std::max(value, 1e-6))));
  return std::round(value * scale) / scale;
}

bool breaks_a_rule(const gpu::GpuSpec& spec) {
  Diagnostics diagnostics;
  config::check_rules(
      spec, [](std::string_view) { return SourceLocation{}; }, diagnostics);
  return !diagnostics.empty();
}

/// One step on a GPU.
class Fit {
 public:
  Fit(const Step& step, gpu::GpuSpec& spec, std::vector<const Measurement*> rows, SimulatedClocks& clocks)
      : spec_(spec), clocks_(clocks) {
    fit_.step = &step;
    for (const Range& range : step.parameters) {
      ParameterFit one;
      one.parameter = config::find_gpu_parameter(range.path);
      if (one.parameter == nullptr) throw Bug("no parameter " + std::string(range.path));
      one.before = one.after = one.parameter->get(spec);
      const double before = number_of(one.before);
      dimensions_.push_back({std::min(range.least, before), std::max(range.most, before), before,
                             one.parameter->type == Parameter::Type::whole});
      fit_.parameters.push_back(std::move(one));
    }
    for (const Measurement* row : rows) fit_.points.push_back({row, 0, 0, ""});
  }

  StepFit run() {
    simulate_start();
    if (usable_.empty()) return std::move(fit_);
    const Values start = values_before();
    Search search(
        dimensions_, [this](const Values& values) { return residual(values); }, equal_residuals);
    const Values best = search.minimum();
    fit_.residual_before = residual(start);
    fit_.residual_after = residual(best);
    judge(best);
    const bool any_set = std::any_of(fit_.parameters.begin(), fit_.parameters.end(),
                                     [](const ParameterFit& one) { return is_set(one.verdict); });
    const Values& kept = any_set ? best : start;
    for (std::size_t i = 0; i < kept.size(); ++i)
      fit_.parameters[i].after = setting_of(*fit_.parameters[i].parameter, kept[i]);
    apply(kept, spec_);
    const std::vector<SimulatedClock> after = clocks_.all(spec_, usable_);
    for (std::size_t i = 0, next = 0; i < fit_.points.size(); ++i)
      if (fit_.points[i].problem.empty()) fit_.points[i].after = after[next++].cycles;
    return std::move(fit_);
  }

 private:
  Values values_before() const {
    Values values;
    for (const Dimension& dimension : dimensions_) values.push_back(dimension.start);
    return values;
  }

  void simulate_start() {
    std::vector<const Measurement*> rows;
    for (const Point& point : fit_.points) rows.push_back(point.row);
    const std::vector<SimulatedClock> found = clocks_.all(spec_, rows);
    for (std::size_t i = 0; i < found.size(); ++i) {
      fit_.points[i].before = found[i].cycles;
      fit_.points[i].problem = found[i].problem;
      if (found[i].problem.empty()) usable_.push_back(rows[i]);
    }
  }

  void apply(const Values& values, gpu::GpuSpec& spec) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      fit_.parameters[i].parameter->set(spec, setting_of(*fit_.parameters[i].parameter, values[i]));
  }

  double residual(const Values& values) {
    gpu::GpuSpec spec = spec_;
    apply(values, spec);
    if (breaks_a_rule(spec)) return impossible;
    double sum = 0;
    const std::vector<SimulatedClock> found = clocks_.all(spec, usable_);
    for (std::size_t i = 0; i < usable_.size(); ++i) {
      if (!found[i].problem.empty()) return impossible;
      sum += std::abs(found[i].cycles - *usable_[i]->clock) / *usable_[i]->clock;
    }
    return sum / static_cast<double>(usable_.size());
  }

  /// How much the residual rises from the best values when one is replaced.
  double rise(const Values& best, std::size_t index, double value) {
    const Dimension& dimension = dimensions_[index];
    if (value < dimension.least || value > dimension.most) return std::numeric_limits<double>::quiet_NaN();
    Values moved = best;
    moved[index] = value;
    return residual(moved) - fit_.residual_after;
  }

  void judge(const Values& best) {
    const auto is_equal = [](double rise) { return rise <= equal_residuals; };
    for (std::size_t i = 0; i < best.size(); ++i) {
      ParameterFit& one = fit_.parameters[i];
      const Dimension& dimension = dimensions_[i];
      const double by = dimension.whole ? std::max(1.0, std::round(best[i] / 10)) : best[i] / 10;
      one.rise_below = rise(best, i, best[i] - by);
      one.rise_above = rise(best, i, best[i] + by);
      if (fit_.residual_after > residual_limit) {
        one.verdict = Verdict::disagrees;
      } else if (is_equal(one.rise_below) || is_equal(one.rise_above)) {
        const bool ends_are_equal = is_equal(rise(best, i, dimension.least)) && is_equal(rise(best, i, dimension.most));
        one.verdict = ends_are_equal ? Verdict::not_determined : Verdict::bounded;
      } else {
        one.verdict = Verdict::determined;
      }
    }
  }

  StepFit fit_;
  gpu::GpuSpec& spec_;
  SimulatedClocks& clocks_;
  std::vector<Dimension> dimensions_;
  std::vector<const Measurement*> usable_;
};

void find_unused(const Measurements& measurements, Calibration& calibration) {
  const std::vector<std::string> known = config::list_named_files(workload::workload_folder);
  for (const Measurement& row : measurements.rows) {
    if (std::any_of(steps().begin(), steps().end(), [&](const Step& step) { return step.sees(row); })) continue;
    ++calibration.unused;
    std::vector<std::string>& unknown = calibration.unknown_workloads;
    if (std::find(known.begin(), known.end(), row.workload) == known.end() &&
        std::find(unknown.begin(), unknown.end(), row.workload) == unknown.end())
      unknown.push_back(row.workload);
  }
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::determined: return "determined";
    case Verdict::bounded: return "bounded";
    case Verdict::not_determined: return "not determined";
    case Verdict::disagrees: return "disagrees";
    case Verdict::no_points: return "no points";
  }
  throw Bug("verdict without a name");
}

bool is_set(Verdict verdict) {
  return verdict == Verdict::determined || verdict == Verdict::bounded;
}

Calibration calibrate(gpu::GpuSpec spec, const Measurements& measurements, const CalibrationOptions& options) {
  Calibration calibration;
  calibration.spec = std::move(spec);
  find_unused(measurements, calibration);
  SimulatedClocks clocks(options.jobs, options.traces);
  for (const Step& step : steps()) {
    if (options.progress) options.progress(calibration.steps.size(), steps().size());
    std::vector<const Measurement*> rows;
    for (const Measurement& row : measurements.rows)
      if (step.sees(row)) rows.push_back(&row);
    const SimulatedClocks::Kept kept(clocks, calibration.spec, rows);
    calibration.steps.push_back(Fit(step, calibration.spec, rows, clocks).run());
  }
  calibration.simulations = clocks.simulations();
  calibration.executions = clocks.executions();
  return calibration;
}

}  // namespace lockstep::calibrate
