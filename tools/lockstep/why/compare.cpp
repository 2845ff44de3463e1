// lockstep compare

#include <fmt/format.h>

#include "sim/explain/difference_output.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/subject.hpp"

namespace lockstep::cli {

namespace {

/// "transpose on GTX 580, sm.scratchpad.banks=16".
std::string name_of(const Subject& subject, const std::vector<std::string>& settings) {
  std::string name =
      fmt::format("{}{} on {}", subject.name, subject.label.empty() ? "" : " " + subject.label, subject.spec.name);
  for (const std::string& setting : settings) name += ", " + setting;
  return name;
}

explain::Side measured(const CompareArguments& arguments, const SubjectChoice& choice, const Common& common,
                       const std::vector<std::string>& settings, const char* letter) {
  const Subject subject = load_subject(choice, common);
  ProgressLine line(arguments.quiet);
  explain::Options options;
  options.jobs = arguments.jobs;
  options.remedies = false;
  options.progress = [&](const std::string& what, double done) {
    line.update(fmt::format("{} {}", what, letter), done, 0);
  };
  const explain::Explanation explanation = explain::explain(subject.spec, subject.open, options);
  line.clear();
  std::vector<std::string> folders = arguments.sources;
  folders.insert(folders.end(), subject.source_folders.begin(), subject.source_folders.end());
  explain::SourceFiles sources(folders);
  return explain::side_of(name_of(subject, settings), explanation, sources);
}

}  // namespace

int execute(const CompareArguments& arguments, const Invocation&) {
  const std::string b = arguments.b.empty() ? arguments.a : arguments.b;
  const bool whole_folders =
      is_results_folder(arguments.a) && is_results_folder(b) && arguments.point.empty() && arguments.with_point.empty();
  explain::Comparison comparison;
  if (whole_folders) {
    refuse_overrides(arguments, "two results folders are compared as they are; --point compares two of their points");
    if (!arguments.gpu.empty() || !arguments.with_gpu.empty() || !arguments.with.empty())
      throw InputError(
          "two results folders are compared as they are; with --point, --gpu and --with-gpu compare two of their "
          "points");
    comparison = explain::matched(arguments.a, experiment::read_results(arguments.a), b, experiment::read_results(b));
    if (comparison.pairs.empty())
      throw InputError(fmt::format(
          "no point of {} has the swept values of exactly one point of {}; --point and --with-point choose two",
          arguments.a, b));
  } else {
    for (const std::string& given : arguments.with)
      if (given.starts_with("gpu="))
        throw InputError(fmt::format("--with {}: the GPU of B is named by --with-gpu {}", given, given.substr(4)));
    Common common_b = arguments;
    common_b.overrides.insert(common_b.overrides.end(), arguments.with.begin(), arguments.with.end());
    const std::string point_b =
        !arguments.with_point.empty() || !is_results_folder(b) ? arguments.with_point : arguments.point;
    const std::string gpu_b = arguments.with_gpu.empty() ? arguments.gpu : arguments.with_gpu;
    if (b == arguments.a && arguments.with.empty() && gpu_b == arguments.gpu && point_b == arguments.point)
      throw InputError(
          "both sides are the same; name a second trace, workload or folder, or say how B differs with --with-gpu, "
          "--with PATH=VALUE or --with-point");
    explain::Pair pair;
    const std::string point_a = is_results_folder(arguments.a) ? arguments.point : "";
    pair.a = measured(arguments, {arguments.a, arguments.gpu, point_a}, arguments, arguments.overrides, "A");
    pair.b = measured(arguments, {b, gpu_b, point_b, "--with-gpu"}, common_b, common_b.overrides, "B");
    comparison.a = pair.a.name;
    comparison.b = pair.b.name;
    comparison.pairs.push_back(std::move(pair));
  }
  print(arguments.json ? explain::to_json(comparison)
                       : explain::to_text(comparison, arguments.lines, arguments.columns));
  return exit_done;
}

}  // namespace lockstep::cli
