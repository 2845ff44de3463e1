// lockstep validate

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "isa/did_you_mean.hpp"
#include "sim/validate/output.hpp"
#include "sim/validate/suite_run.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

/// The overrides, which must be parameters of the GPU.
std::vector<config::Override> gpu_overrides(const ValidateArguments& arguments) {
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  Diagnostics diagnostics;
  std::vector<std::string> known;
  for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
  for (const config::Override& given : overrides) {
    if (config::find_gpu_parameter(given.path) != nullptr) continue;
    diagnostics.add(given.value.where,
                    given.path.starts_with("args.")
                        ? "the arguments are part of a measurement; only a GPU's parameters can be set"
                        : fmt::format("'{}' is not a GPU parameter{}", given.path,
                                      did_you_mean(given.path, known, "; `lockstep list params` shows all")));
  }
  diagnostics.throw_if_any();
  return overrides;
}

}  // namespace

int execute(const ValidateArguments& arguments, const Invocation&) {
  if (arguments.write && (!arguments.suites.empty() || !arguments.gpus.empty() || !arguments.overrides.empty()))
    throw InputError("--write documents all suites with unchanged GPUs; it excludes SUITE, --gpu and -s");
  validate::ValidationOptions options;
  options.overrides = gpu_overrides(arguments);
  options.jobs = arguments.jobs;
  options.memory_bytes = arguments.memory.bytes();
  options.gpus = arguments.gpus;
  options.traces = arguments.traces.limits();
  const std::vector<validate::Suite> suites = validate::load_suites(arguments.suites);

  ProgressLine line(arguments.quiet);
  options.progress = [&](const experiment::Progress& progress) {
    line.update(fmt::format("{} of {} runs", progress.finished, progress.runs), progress.fraction,
                progress.warp_instructions, progress.seconds, progress.seconds_left);
  };
  const auto start = std::chrono::steady_clock::now();
  const validate::Validation validation = validate::validate(suites, options);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  line.clear();

  if (!options.gpus.empty()) {
    const bool none = std::all_of(validation.suites.begin(), validation.suites.end(),
                                  [](const validate::SuiteOutcome& suite) { return suite.points.empty(); });
    if (none) throw InputError(fmt::format("no suite measures {}", fmt::join(options.gpus, ", ")));
  }
  const std::string rate = fmt::format("{:.1f} s, {}", wall, rate_text(validation.warp_instructions, wall));
  if (arguments.json) {
    print(validate::to_json(validation));
    if (!arguments.quiet) note(rate);
  } else {
    print(arguments.quiet ? validate::summary_text(validation) : validate::to_text(validation) + "\n" + rate + "\n");
  }
  if (arguments.write) {
    const auto folder = std::filesystem::path(config::home_directory()) / "configs" / "measurements";
    validate::write_document(folder.string(), validation);
    if (!arguments.quiet) note(fmt::format("wrote {}/README.md and its figures", folder.string()));
  }
  if (validation.found_bug) return exit_bug;
  return validation.holds ? exit_done : exit_mismatch;
}

}  // namespace lockstep::cli
