// lockstep merge

#include "sim/experiment/results/merge.hpp"

#include <fmt/format.h>

#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/interruption.hpp"
#include "tools/lockstep/results/conclusion.hpp"

namespace lockstep::cli {

int execute(const MergeArguments& arguments, const Invocation& invocation) {
  refuse_overrides(arguments, "results are merged as they are; give overrides to `lockstep run`");
  experiment::MergeOptions options;
  options.folders = arguments.folders;
  options.output = arguments.output;
  if (!arguments.quiet) options.message = [](const std::string& message) { note(message); };
  const experiment::Merged merged = experiment::merge(options);
  const std::size_t all = merged.points.size(), missing = merged.missing.size();
  const std::string summary = fmt::format("{} of {} points from {} folder{}\n", all - missing, all,
                                          arguments.folders.size(), arguments.folders.size() == 1 ? "" : "s");
  const int code = conclude(
      {merged.experiment, merged.points, merged.outcome, arguments.output}, [] { return std::string(); }, summary,
      arguments, invocation);
  if (missing == 0) return code;
  print_error(
      fmt::format("{} of {} points are in none of the folders, the first is {}; `lockstep run {}/effective.yaml "
                  "-o {} --resume` runs them",
                  missing, all, merged.missing.front().empty() ? "the only one" : merged.missing.front(),
                  shell_word(arguments.output), shell_word(arguments.output)));
  return code == exit_done ? exit_mismatch : code;
}

}  // namespace lockstep::cli
