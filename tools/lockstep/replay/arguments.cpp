// The options of replay, and those that other commands share with it.

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

void add_activity(CLI::App& command, ActivityArguments& activity) {
  CLI::Option* interval =
      command
          .add_option("--activity", activity.interval,
                      "Show the integer, floating-point and load-store operations in each interval of CYCLES")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
          ->type_name("CYCLES");
  command
      .add_option("--chart", activity.chart,
                  "With --activity: also draw those of SM 0 over time, together with the SM's peak")
      ->type_name("FILE.svg")
      ->needs(interval)
      ->each(name_output);
}

void add_observation(CLI::App& command, ObservationArguments& observation) {
  command
      .add_option(
          "--timeline", observation.timelines,
          "Also write what each warp does in every cycle, and how busy caches, DRAM and R-GPU FIFOs are: a Chrome "
          "trace for ui.perfetto.dev, where a microsecond is a cycle, compressed where the name ends in .gz; or "
          "a picture; may be repeated")
      ->type_name("FILE.json.gz|.svg")
      ->allow_extra_args(false)
      ->each(name_output);
  command
      .add_option(
          "--konata", observation.konata,
          "Also write the way of each instruction through the pipeline, for the viewer Konata; compressed where "
          "the name ends in .gz")
      ->type_name("FILE")
      ->each(name_output);
  command
      .add_option("--cycles,--timeline-cycles", observation.cycles,
                  fmt::format("With --timeline, --konata or --series: only these cycles [0-{}; of a series all]",
                              ObservationArguments::standard_cycles))
      ->type_name("FROM-TO");
  command
      .add_option("--sms,--timeline-sms", observation.sms,
                  "With these: only these SMs, separated by commas [0 for warps, all for counters]")
      ->type_name("N,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--warps", observation.warps,
                  "With --timeline or --konata: only these warps of thread blocks, separated by commas [all]")
      ->type_name("BLOCK[:FIRST[-LAST]],...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--series", observation.series,
                  "Also write statistics over time: what was counted in each interval, one line each")
      ->type_name("FILE.csv")
      ->each(name_output);
  command
      .add_option("--every", observation.every,
                  fmt::format("With --series or --timeline: cycles of an interval [{}]",
                              ObservationArguments::standard_interval))
      ->type_name("CYCLES")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62).description(""));
  command
      .add_option("--statistic", observation.statistics,
                  "With --series: statistics, separated by commas (`lockstep list stats`)")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_sampling(CLI::App& command, SamplingArguments& sampling) {
  CLI::Option* wanted = command.add_flag(
      "--sample", sampling.wanted,
      "Replay a part of each long launch and project the rest; the error is estimated and shown (nominally at "
      "95 %; nine of ten measured ones were within it)");
  command
      .add_option("--sample-error", sampling.percent,
                  fmt::format("With --sample: the error of the cycles that is aimed at, in percent [{:g}]",
                              SamplingArguments::standard_percent))
      ->type_name("PERCENT")
      ->check(CLI::Range(0.1, 50.0).description(""))
      ->needs(wanted);
}

void declare_replay(CLI::App& command, ReplayArguments& arguments) {
  command.add_option("TRACE", arguments.trace, "Trace file")->required();
  command.add_option("--gpu", arguments.gpu, "File, or name in configs/gpus")->type_name("NAME|FILE")->required();
  add_jobs(command, arguments.jobs, "Threads [number of cores]; results do not depend on it");
  command.add_flag("--per-instruction", arguments.per_instruction,
                   "Show the issue slots of each instruction and the stall reasons before it, with its source line");
  add_sampling(command, arguments.sampling);
  add_activity(command, arguments.activity);
  add_observation(command, arguments.observation);
  command.footer(
      "Example: lockstep replay histogram-64.trace --gpu gtx580 -s sm.scratchpad.banks=16\n"
      "         lockstep replay long.trace --gpu h200 --sample --sample-error 3\n"
      "         lockstep replay histogram-64.trace --gpu gtx580 --series ipc.csv --every 500 --statistic "
      "derived.ipc,memory.dram.reads");
}

}  // namespace lockstep::cli
