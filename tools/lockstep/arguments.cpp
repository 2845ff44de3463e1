#include "tools/lockstep/arguments.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <thread>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "isa/exec/checks/check.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

void add_common(CLI::App& command, Common& common) {
  command.add_flag("--json", common.json, "Write the result as JSON to standard output");
  command.add_flag("-q,--quiet", common.quiet, "Show nothing but the result and errors");
  command
      .add_option("-s,--set", common.overrides,
                  "Override a parameter of the GPU (sm.scratchpad.banks=16) or an argument of the workload "
                  "(args.bins=64); may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

CLI::Validator above_zero() {
  return {[](const std::string& given) {
            double value = 0;
            const bool fits = CLI::detail::lexical_cast(given, value) && std::isfinite(value) && value > 0;
            return fits ? std::string() : "expected a number above 0, found " + given;
          },
          ""};
}

void add_jobs(CLI::App& command, unsigned& jobs, const std::string& text) {
  jobs = std::max(1U, std::thread::hardware_concurrency());
  command.add_option("-j,--jobs", jobs, text)->type_name("N")->check(CLI::Range(1U, 1024U).description(""));
}

void add_kept_traces(CLI::App& command, KeptTraceArguments& traces) {
  const auto add = [&command](const char* name, std::uint64_t& mib, const std::string& text) {
    command.add_option(name, mib, fmt::format("{} [{}]; results do not depend on it", text, mib))
        ->type_name("MIB")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30).description(""));
  };
  add("--trace-memory", traces.memory_mib,
      "Memory in MiB for traces shared by several simulations, so that each workload is executed once");
  add("--trace-disk", traces.disk_mib,
      "Temporary files in MiB (in $TMPDIR) for shared traces that do not fit in memory; beyond it, workloads are "
      "executed again");
}

void add_memory(CLI::App& command, MemoryArguments& memory) {
  command
      .add_option("--memory-limit", memory.mib,
                  "Memory limit in MiB for concurrent simulations; others are queued [four fifths of the free memory]; "
                  "results do not depend on it")
      ->type_name("MIB")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30).description(""));
}

namespace {

void declare_run(CLI::App& command, RunArguments& arguments) {
  command
      .add_option(
          "EXPERIMENT", arguments.experiment,
          "File, or name in configs/experiments; or a workload, as an experiment of one point: file, or name in "
          "traces/workloads that no experiment has")
      ->required();
  command
      .add_option(
          "--gpu", arguments.gpu,
          fmt::format("With a workload: the GPU, a file or a name in configs/gpus [{}]", RunArguments::standard_gpu))
      ->type_name("NAME|FILE");
  command.add_option("-o,--output", arguments.folder, "Results folder [results/NAME]")->type_name("DIR");
  add_jobs(command, arguments.jobs, "Simulations in parallel [number of cores]; results do not depend on it");
  command.add_flag("--resume", arguments.resume,
                   "Resume an interrupted run; an error if a finished point would have to be computed again");
  add_slurm(command, arguments);
  add_cache(command, arguments.cache);
  add_kept_traces(command, arguments.traces);
  add_memory(command, arguments.memory);
  add_report_section(command, arguments.explain);
  command.footer(
      "Finished points in DIR/results.db are reused if none of their inputs has changed. The pictures of workloads are "
      "written to DIR/pictures.\n\n"
      "Example: lockstep run histogram-replication -s args.bins=128 -o results/bins128");
}

void declare_trace(CLI::App& command, TraceArguments& arguments) {
  std::vector<std::string> checks;
  for (const exec::CheckText& check : exec::check_texts)
    checks.push_back(fmt::format("{} ({})", check.name, check.text));
  command.add_option("WORKLOAD", arguments.workload, "File, or name in traces/workloads")->required();
  command
      .add_option("-o,--output", arguments.file,
                  "Trace file to write [none: the workload is only executed and checked]")
      ->type_name("FILE")
      ->each(name_output);
  command
      .add_option("--launches", arguments.launches,
                  "Also write what a real GPU needs to run the launches (tools/capture)")
      ->type_name("FOLDER");
  command.add_flag("--instrument", arguments.instrument,
                   "With --launches: also kernels that log there what they execute, for `lockstep import capture`");
  command
      .add_option("--pictures", arguments.pictures,
                  "Also write the pictures that the workload leaves, each as NAME.png")
      ->type_name("FOLDER");
  command
      .add_option("--resident-blocks", arguments.resident_blocks,
                  "Thread blocks that execute at a time when their kernel communicates between them (default: as the "
                  "workload says, or as many as an H200 holds)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62).description(""));
  command
      .add_option("--check", arguments.checks,
                  fmt::format("Errors of the kernel to look for: {}, all or none [{}]", fmt::join(checks, ", "),
                              arguments.checks))
      ->type_name("NAME,...");
  command.add_flag("--keep-on-mismatch", arguments.keep_on_mismatch,
                   "Write the trace even if the output differs from the expected one (the exit code stays 1)");
  command.footer(
      "The exit code is 1 if the output differs from the expected result or a check finds something.\n\n"
      "Example: lockstep trace histogram -s args.bins=64 --check all -o histogram-64.trace");
}

void declare_swizzle(CLI::App& command, SwizzleArguments& arguments) {
  command
      .add_option(
          "WORKLOAD|KERNEL.ptx", arguments.subject,
          "Workload (file, or name in traces/workloads), or a PTX file with its launch descriptor of the same name "
          "beside it")
      ->required();
  command.add_option("--gpu", arguments.gpu, "GPU: file, or name in configs/gpus [h200]")->type_name("NAME|FILE");
  command
      .add_option("--objective", arguments.objective,
                  "Fewest cycles, with all instructions that compute addresses, or fewest passes over the banks [time]")
      ->type_name("time|passes")
      ->check(CLI::IsMember({"time", "passes"}).description(""));
  command
      .add_option(
          "--least-gain", arguments.least_gain,
          "Smallest predicted gain, in percent, for which arrays are changed; smaller ones may be losses on a GPU [7]")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 1000.0).description(""));
  command.add_option("--kernel", arguments.kernel, "Only the arrays of this kernel")->type_name("NAME");
  command.add_option("-o,--output", arguments.file, "Write the rewritten PTX")->type_name("FILE")->each(name_output);
  add_jobs(command, arguments.jobs, "Threads [number of cores]; results do not depend on it");
  command.footer(
      "Arrays are padded, their rows rotated, or columns XORed with row numbers. Every candidate is executed, its "
      "output compared with the original's, and replayed; where none pays, the arrays stay as they are.\n\n"
      "Example: lockstep swizzle transpose -s args.variant=tiled --gpu h200 -o transpose.ptx");
}

void declare_probe(CLI::App& command, ProbeArguments& arguments) {
  command
      .add_option("PATTERN", arguments.pattern,
                  "Word address of each lane, lane 0 first: numbers and ranges (0,1024,2-31); x is an inactive lane, "
                  "lanes past the end are inactive")
      ->required();
  command.add_option("--gpu", arguments.gpu, "File, or name in configs/gpus")->type_name("NAME|FILE")->required();
  command
      .add_option("--op", arguments.operation, "Load, store, load-add-store, or atomic addition on scratchpad memory")
      ->type_name("ld|st|rmw|atom")
      ->required();
  command
      .add_option("--warps", arguments.warps,
                  "Warps of one thread block that access the pattern at the same time; the latency is then from the "
                  "first warp's start to the last warp's end [1]")
      ->type_name("N")
      ->check(CLI::Range(1U, 65536U).description(""));
  command.footer("Example: lockstep probe --gpu gtx580 --op atom 0,1024,2-31");
}

void declare_validate(CLI::App& command, ValidateArguments& arguments) {
  command.add_option("SUITE", arguments.suites, "Files, or names in configs/measurements [all]");
  command
      .add_option("--gpu", arguments.gpus, "Only measurements of this GPU, by its name in the suites; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_jobs(command, arguments.jobs, "Simulations in parallel [number of cores]; results do not depend on it");
  add_kept_traces(command, arguments.traces);
  add_memory(command, arguments.memory);
  command.add_flag("--write", arguments.write,
                   "Also write accuracy tables and figures to configs/measurements/README.md and figures/");
  command.footer(
      "The exit code is 1 if a suite exceeds its limits, a claim is false or something could not be run.\n\n"
      "Example: lockstep validate gtx580-scratchpad-atomics");
}

void declare_report(CLI::App& command, ReportArguments& arguments) {
  command.add_option("DIR", arguments.folder, "Results folder of `lockstep run`")->required();
  add_report_section(command, arguments.explain);
  add_jobs(command, arguments.jobs, "Threads [number of cores]; the report does not depend on it");
  command.footer(
      "Writes DIR/report.html, and its figures as SVG and PDF into DIR/figures, as `lockstep run` does at its end; "
      "during a run it shows the points finished so far.\n\n"
      "Example: lockstep report results/histogram-replication");
}

void declare_info(CLI::App& command, InfoArguments& arguments) {
  command
      .add_option("FILE", arguments.file,
                  "Trace, results.db, or YAML of a GPU, workload, graph or experiment (also by its name)")
      ->required();
  command.footer("Example: lockstep info histogram-64.trace");
}

void declare_list(CLI::App& command, ListArguments& arguments) {
  command.add_option("TOPIC", arguments.topic, "gpus, workloads, experiments, hashes, operations, params or stats")
      ->required();
  command.add_option("PATTERN", arguments.patterns,
                     "Only entries that contain all of these texts, ignoring case; * matches any characters");
  command
      .add_option("--gpu", arguments.gpu,
                  "With params: the values of this GPU, by name or file, and where each comes from")
      ->type_name("NAME|FILE");
  command.add_flag("--names", arguments.names, "Show the names alone, one a line");
  command.footer(
      "Example: lockstep list params bank --gpu h200 -s sm.scratchpad.banks=64\n"
      "         lockstep list stats 'sm.issue.*'");
}

void declare_calibrate(CLI::App& command, CalibrateArguments& arguments) {
  command
      .add_option("--from", arguments.from,
                  "Starting point, which the new file extends: a GPU or generation by name, or a file; -s sets what a "
                  "generation leaves open, such as sms")
      ->type_name("NAME")
      ->required();
  command.add_option("--measurements", arguments.measurements, "Clock intervals measured by tools/capture/measure")
      ->type_name("FILE.csv")
      ->required();
  command.add_option("-o,--output", arguments.file, "GPU file to write")
      ->type_name("GPU.yaml")
      ->required()
      ->each(name_output);
  add_jobs(command, arguments.jobs, "Simulations in parallel [number of cores]; results do not depend on it");
  command.footer("Example: lockstep calibrate --from h200 --measurements h200.csv -o my-h200.yaml");
}

/// The command that was named last: "hash count" for `lockstep hash count`.
const CLI::App& last_named(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : last_named(*chosen.front());
}

/// InputError when `word` is meant to name a subcommand of `app` and does not.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  if (word.starts_with('-') || std::find(commands.begin(), commands.end(), word) != commands.end()) return;
  const std::string what = app.get_parent() == nullptr ? "command" : app.get_name() + " command";
  const std::string all = fmt::format("; there are: {}", fmt::join(commands, ", "));
  throw InputError(fmt::format("unknown {} '{}'{}", what, word, did_you_mean(word, commands, all)));
}

/// The error message, with the nearest name for an unknown option.
std::string described(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& command = last_named(app);
  std::string words = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent != nullptr; parent = parent->get_parent())
    words = parent->get_name() + " " + words;
  const std::string help = fmt::format("; see `{} -h`", words);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what() + help;
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  std::string message;
  for (const std::string& word : app.remaining(true)) {
    if (!message.empty()) message += ", ";
    message += fmt::format("unexpected '{}'", word);
    if (word.starts_with('-')) message += did_you_mean_aside(word.substr(0, word.find('=')), options);
  }
  return message + help;
}

}  // namespace

std::optional<Arguments> parse(int count, const char* const* words) {
  CLI::App app("Lockstep: a cycle-level, trace-driven GPU simulator for scratchpad-memory research", "lockstep");
  app.set_version_flag("--version", std::string("lockstep ") + LOCKSTEP_VERSION);
  app.require_subcommand(1);
  app.footer("Example: lockstep run histogram-replication\n`lockstep COMMAND -h` explains each command.");
  std::optional<Arguments> chosen;
  add_command(app, "run", "Run an experiment and show its table", declare_run, chosen);
  add_command(app, "trace", "Execute a workload and write its trace", declare_trace, chosen);
  add_command(app, "replay", "Replay a trace on a GPU, cycle by cycle", declare_replay, chosen);
  add_command(app, "swizzle", "Find the layout of scratchpad arrays with which a workload runs fastest, and apply it",
              declare_swizzle, chosen);
  add_command(app, "probe", "Measure the latency of one warp access pattern", declare_probe, chosen);
  add_why_commands(app, chosen);
  add_command(app, "validate", "Compare the simulator with published measurements", declare_validate, chosen);
  add_command(app, "calibrate", "Set the parameters of a GPU from its microbenchmarks", declare_calibrate, chosen);
  add_command(app, "report", "Write the HTML report of a results folder", declare_report, chosen);
  add_results_commands(app, chosen);
  add_command(app, "info", "Describe a file", declare_info, chosen);
  add_command(app, "list", "List what exists: gpus, workloads, experiments, hashes, operations, params, stats",
              declare_list, chosen);
  const CLI::App& hash = add_hash_commands(app, chosen);
  const CLI::App& rgpu = add_rgpu_commands(app, chosen);
  add_instrument_command(app, chosen);
  const CLI::App& import = add_import_commands(app, chosen);
  add_terminal_commands(app, chosen);
  if (count < 2) {
    print(app.help());
    throw InputError("a command is missing");
  }
  check_command(app, words[1]);
  for (const CLI::App* group : {&hash, &rgpu, &import}) {
    if (group->get_name() != words[1]) continue;
    if (count < 3) {
      print(group->help(app.get_name()));
      throw InputError(fmt::format("`{}` needs a command", group->get_name()));
    }
    check_command(*group, words[2]);
  }
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return std::nullopt;
  } catch (const CLI::CallForVersion& version) {
    print(fmt::format("{}\n", version.what()));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw InputError(described(error, app));
  }
  if (auto* completion = std::get_if<CompletionArguments>(&*chosen)) completion->program = described(app);
  if (auto* man = std::get_if<ManArguments>(&*chosen)) man->program = described(app);
  return chosen;
}

}  // namespace lockstep::cli
