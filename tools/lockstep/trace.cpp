// lockstep trace

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "isa/exec/machine.hpp"
#include "isa/output_file.hpp"
#include "isa/trace/file.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "sim/workload/launches/launch_folder.hpp"
#include "sim/workload/launches/task_notes.hpp"
#include "sim/workload/workload.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/findings.hpp"
#include "tools/lockstep/order_dependences.hpp"

namespace lockstep::cli {

namespace {

workload::ArgumentOverrides argument_overrides(const TraceArguments& arguments) {
  workload::ArgumentOverrides result;
  Diagnostics diagnostics;
  for (const config::Override& given : parse_overrides(arguments)) {
    if (given.path.starts_with("args.")) {
      result.emplace_back(given.path.substr(5), given.value.text);
    } else {
      diagnostics.add(
          given.value.where,
          "only args.NAME can be set here: a trace does not depend on a GPU; give GPU parameters to `lockstep replay`");
    }
  }
  diagnostics.throw_if_any();
  return result;
}

/// The command as the trace holds it. The program's own folder is left out, so that every build writes the same trace, and
/// so are checks, which change nothing in it.
std::vector<std::string> recorded_words(std::vector<std::string> words) {
  words[0] = std::filesystem::path(words[0]).filename().string();
  for (auto word = words.begin(); word != words.end();) {
    if (*word == "--check" && word + 1 != words.end()) {
      word = words.erase(word, word + 2);
    } else {
      word = word->starts_with("--check=") ? words.erase(word) : word + 1;
    }
  }
  return words;
}

/// Writes the pictures that the workload has left; returns their files.
std::vector<std::string> write_pictures(const std::string& folder, const workload::Workload& workload,
                                        const workload::ArgumentOverrides& overrides, const exec::Machine& machine) {
  std::vector<std::string> files;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw ResourceError(fmt::format("{}: cannot create this folder: {}", folder, failed.message()));
  for (const workload::Picture& picture : workload.pictures(overrides, machine)) {
    files.push_back((std::filesystem::path(folder) / (picture.name + ".png")).string());
    write_whole_file(files.back(), workload::png_of(picture));
  }
  return files;
}

/// That the checks which were asked for beyond the usual ones have found nothing.
std::string checks_text(const TraceArguments& arguments, const exec::Machine& machine) {
  if (arguments.checks == TraceArguments().checks || !machine.findings().empty()) return "";
  const exec::CheckSet checks = checks_named(arguments.checks);
  std::vector<std::string_view> names;
  for (std::size_t n = 0; n < exec::check_texts.size(); ++n)
    if (checks.has(static_cast<exec::Check>(n))) names.push_back(exec::check_texts[n].name);
  return names.empty() ? "" : fmt::format("; checked for {}: nothing found", fmt::join(names, ", "));
}

/// What the host read between the launches: a line for each, of many the first and the last.
std::string host_values_text(const std::vector<exec::HostValue>& values) {
  constexpr std::size_t shown = 10;  // At either end.
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.size() > 2 * shown && i == shown) {
      text += fmt::format("... {} more\n", values.size() - 2 * shown);
      i = values.size() - shown;
    }
    const exec::HostValue& one = values[i];
    text += fmt::format("after {} launch{} the host read {} = {}\n", one.launches, one.launches == 1 ? "" : "es",
                        one.name, one.value);
  }
  return text;
}

}  // namespace

int execute(const TraceArguments& arguments, const Invocation& invocation) {
  const workload::ArgumentOverrides overrides = argument_overrides(arguments);
  const workload::Workload workload = workload::Workload::load(arguments.workload);
  if (workload.has_graph()) {
    throw InputError(
        fmt::format("{} has a graph, which runs in R-GPU mode; a trace holds the instructions of warps. "
                    "`lockstep rgpu run {}` executes and simulates it",
                    workload.name(), arguments.workload));
  }
  if (!arguments.pictures.empty() && workload.picture_names().empty())
    throw InputError(fmt::format("--pictures: the workload {} leaves no pictures", workload.name()));
  if (arguments.keep_on_mismatch && arguments.file.empty())
    throw InputError("--keep-on-mismatch: there is no trace to keep; --output names its file");
  if (arguments.instrument && arguments.launches.empty())
    throw InputError("--instrument: instrumented kernels are written to the folder that --launches names");
  auto task = workload.build(overrides, nullptr, workload::LargeGraphs::split, arguments.resident_blocks);
  task->checks = checks_named(arguments.checks);
  const std::string command =
      fmt::format("lockstep {}: {}", LOCKSTEP_VERSION, fmt::join(recorded_words(invocation.words), " "));
  task->origin = task->origin.empty() ? command : command + "\n" + task->origin;

  const std::vector<std::string> notes = workload::notes_of(*task);
  if (!arguments.quiet)
    for (const std::string& text : notes) note("note: " + text);
  ProgressLine progress(arguments.quiet);
  task->print = show_printed(arguments.json, progress);
  double done_part = 0;
  task->progress = [&](std::uint64_t warp_instructions) { progress.update("trace", done_part, warp_instructions); };
  const auto start = std::chrono::steady_clock::now();
  std::optional<workload::LaunchFolder> launches;
  if (!arguments.launches.empty()) launches.emplace(arguments.launches, *task, arguments.instrument);
  exec::Machine machine(std::move(task));
  if (launches) launches->write_inputs(machine);
  UnfinishedFile file(arguments.file.empty() ? "/dev/null" : arguments.file);
  try {
    trace::write_file(file.name(), machine, [&](std::uint64_t done, std::uint64_t all) {
      done_part = all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
      progress.update("trace", done_part, machine.warp_instructions());
    });
  } catch (const InputError&) {
    progress.clear();
    print_findings(machine.findings());  // They may say why.
    throw;
  }
  machine.finish();
  progress.clear();
  if (launches) launches->write_results(machine);
  const workload::CheckResult check = workload.check(overrides, machine);
  const std::vector<exec::HostValue>& host = machine.host_values();
  std::vector<std::string> pictures;
  if (!arguments.pictures.empty()) pictures = write_pictures(arguments.pictures, workload, overrides, machine);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool mismatch = check.checked && !check.passed;
  const bool keep = !mismatch || arguments.keep_on_mismatch;
  const std::uint64_t bytes = std::filesystem::file_size(file.name());
  if (keep) file.keep();

  const char* verdict = mismatch        ? "differs from the expected result"
                        : check.checked ? "is as expected"
                                        : "was not checked: the workload has no expected result";
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.trace/1").field("workload", workload.name());
    json.key("file");
    keep && !arguments.file.empty() ? json.value(arguments.file) : json.null();
    json.field("output_checked", check.checked).field("output_matches", check.checked && check.passed);
    json.field("bytes", bytes).field("warp_instructions", machine.warp_instructions());
    json.key("host_values").begin_array();
    for (const exec::HostValue& one : host) {
      json.begin_object(true).field("name", one.name).field("value", one.value).field("launches", one.launches);
      json.end_object();
    }
    json.end_array().key("pictures").begin_array();
    for (const std::string& picture : pictures) json.value(picture);
    json.end_array();
    json.key("notes").begin_array();
    for (const std::string& text : notes) json.value(text);
    json.end_array();
    add_order_dependences(json, machine);
    add_findings(json, machine.findings());
    json.field("wall_s", wall);
    print(json.end_object().take());
  } else if (keep) {
    const std::string written =
        arguments.file.empty() ? std::string() : fmt::format(", {} bytes", stats::grouped(bytes));
    print(fmt::format("{}: {} warp instructions{}; the output {}{}\n",
                      arguments.file.empty() ? workload.name() : arguments.file,
                      stats::grouped(machine.warp_instructions()), written, verdict, checks_text(arguments, machine)) +
          order_dependences_text(machine));
    if (!arguments.quiet) print(host_values_text(host));
    for (const std::string& picture : pictures) print(fmt::format("Picture: {}\n", picture));
  }
  if (!arguments.quiet) note(fmt::format("{:.2f} s, {}", wall, rate_text(machine.warp_instructions(), wall)));
  print_findings(machine.findings());
  if (!mismatch) return machine.findings().empty() ? exit_done : exit_mismatch;
  print_error(fmt::format("{}: the output {}: {}", to_string(check.where), verdict, check.message));
  if (!keep && !arguments.file.empty()) print_error("the trace was not written; --keep-on-mismatch writes it anyway");
  return exit_mismatch;
}

}  // namespace lockstep::cli
