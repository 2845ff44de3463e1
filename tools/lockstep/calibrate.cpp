// lockstep calibrate

#include <fmt/format.h>

#include <boost/lexical_cast.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <regex>

#include "isa/output_file.hpp"
#include "sim/calibrate/output.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;

/// `base` as it stands in the `extends` of the file: both may be moved together.
std::string path_from(const std::string& file, const std::string& base) {
  const fs::path folder = fs::weakly_canonical(fs::absolute(file)).parent_path();
  return fs::weakly_canonical(fs::absolute(base)).lexically_relative(folder).string();
}

/// Measured cycles are those of the SM clock, and what is counted in cycles of another clock depends on its ratio to that one.
/// InputError when the GPU has another clock than the fastest that was seen while measuring, by more than a twentieth.
void check_clock(const gpu::GpuSpec& spec, const measurements::Measurements& measurements) {
  static const std::regex last_clock("([0-9]+) MHz");
  std::smatch found;
  const std::string seen = measurements.condition("SM clock");
  if (!std::regex_search(seen, found, last_clock)) return;
  const auto measured = boost::lexical_cast<double>(found[1].str());
  if (std::abs(spec.clock_mhz - measured) <= measured / 20) return;
  throw InputError(SourceLocation{measurements.file, 0, 0},
                   fmt::format("was measured at an SM clock of {} MHz, but clock_mhz is {}; give -s clock_mhz={}, and "
                               "memory.l2.clock_mhz and memory.dram.clock_mhz where the file to start from has none",
                               found[1].str(), spec.clock_mhz, found[1].str()));
}

}  // namespace

int execute(const CalibrateArguments& arguments, const Invocation&) {
  const std::vector<config::Override> given = parse_overrides(arguments);
  const std::vector<config::NamedFolder> folders = {{"configs/gpus"}, {"configs/gpus/generations"}};
  const std::string base = config::find_named_file(folders, arguments.from);
  const gpu::GpuSpec start = config::load_gpu(base, given);
  const measurements::Measurements measurements = measurements::load_measurements(arguments.measurements);
  check_clock(start, measurements);

  ProgressLine line(arguments.quiet);
  calibrate::CalibrationOptions options;
  options.jobs = arguments.jobs;
  options.progress = [&](std::size_t step, std::size_t of) {
    line.update(fmt::format("{} of {} steps", step, of), static_cast<double>(step) / static_cast<double>(of), 0);
  };
  const auto begin = std::chrono::steady_clock::now();
  const calibrate::Calibration calibration = calibrate::calibrate(start, measurements, options);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  line.clear();

  write_whole_file(arguments.file,
                   calibrate::gpu_yaml(calibration, measurements, path_from(arguments.file, base), given));
  if (arguments.json) {
    print(calibrate::to_json(calibration, measurements));
  } else {
    print(arguments.quiet ? calibrate::summary_text(calibration) : calibrate::to_text(calibration));
  }
  if (!arguments.quiet)
    note(fmt::format("wrote {}: {} simulations of {} executions, {:.0f} s", arguments.file, calibration.simulations,
                     calibration.executions, wall));
  return exit_done;
}

}  // namespace lockstep::cli
