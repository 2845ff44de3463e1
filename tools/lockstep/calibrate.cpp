// lockstep calibrate

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

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

}  // namespace

int execute(const CalibrateArguments& arguments, const Invocation&) {
  const std::vector<config::Override> given = parse_overrides(arguments);
  const std::vector<config::NamedFolder> folders = {{"configs/gpus"}, {"configs/gpus/generations"}};
  const std::string base = config::find_named_file(folders, arguments.from);
  std::error_code ignored;
  if (fs::equivalent(base, arguments.file, ignored))
    throw InputError(SourceLocation{arguments.file, 0, 0}, "is the file to start from; -o names another one");
  const gpu::GpuSpec start = config::load_gpu(base, given);
  const measurements::Measurements measurements = measurements::load_measurements(arguments.measurements);

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
