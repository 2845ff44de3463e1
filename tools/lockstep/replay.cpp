// lockstep replay

#include <fmt/format.h>

#include <chrono>

#include "isa/trace/file.hpp"
#include "sim/experiment/output.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

using stats::Table;

std::string launches_table(const std::vector<gpu::LaunchResult>& launches) {
  Table table;
  table.column("kernel", Table::Align::left);
  table.column("cycles", Table::Align::right, "cycles");
  table.column("warp instructions", Table::Align::right);
  table.column("thread blocks", Table::Align::right, "per SM");
  table.column("warps", Table::Align::right, "per SM");
  table.column("limited by", Table::Align::left);
  for (const gpu::LaunchResult& launch : launches) {
    table.row({launch.kernel, stats::grouped(launch.cycles), stats::grouped(launch.warp_instructions),
               std::to_string(launch.occupancy.blocks), std::to_string(launch.occupancy.warps),
               launch.occupancy.limit});
  }
  return table.text();
}

/// Every statistic that is not zero, then the derived ones that have a value.
std::string statistics_table(const experiment::PointResult& result) {
  Table table;
  table.column("statistic", Table::Align::left);
  table.column("value", Table::Align::right);
  table.column("unit", Table::Align::left);
  for (std::size_t i = 0; i < result.statistics.size(); ++i) {
    if (result.statistics[i] == 0) continue;
    const stats::Statistic& statistic = stats::statistics()[i];
    table.row({statistic.name, stats::grouped(result.statistics[i]), statistic.unit});
  }
  for (std::size_t i = 0; i < result.derived.size(); ++i) {
    if (!result.derived[i]) continue;
    const stats::Derived& derived = stats::derived_statistics()[i];
    table.row({derived.name, fmt::format("{:.4g}", *result.derived[i]), derived.unit});
  }
  return table.text();
}

}  // namespace

int replay_command(const ReplayArguments& arguments, const Invocation&) {
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  for (const config::Override& given : overrides) {
    if (given.path.starts_with("args.")) {
      throw InputError(given.value.where, "arguments are fixed in a trace; give them to `lockstep trace`");
    }
  }
  const gpu::GpuSpec spec = config::load_gpu(arguments.gpu, overrides);
  const auto source = trace::open_file(arguments.trace);

  ProgressLine line(arguments.quiet);
  gpu::Options options;
  options.threads = arguments.jobs;
  options.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t warp_instructions) {
    line.update("replay", all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), warp_instructions);
  };
  const auto start = std::chrono::steady_clock::now();
  const gpu::Result result = gpu::simulate(spec, *source, options);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  line.clear();

  const experiment::PointResult point = experiment::summarize(spec, source->header().workload, result, wall);
  if (!arguments.quiet) {
    for (const std::string& text : point.notes) note("note: " + text);
  }
  const std::string rate = fmt::format("{:.2f} s, {}", wall, rate_text(point.warp_instructions, wall));
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.replay/1").key("point").begin_object().end_object();
    experiment::add_fields(json, point, std::nullopt);
    print(json.end_object().take());
    if (!arguments.quiet) note(rate);
    return exit_done;
  }
  std::string text = fmt::format("{} on {}: {} cycles, {:.6g} ms, {} warp instructions\n\n", point.workload, point.gpu,
                                 stats::grouped(point.cycles), point.time_ms, stats::grouped(point.warp_instructions));
  text += launches_table(point.launches) + "\n" + statistics_table(point);
  if (!arguments.quiet) text += "\n" + rate + "\n";
  print(text);
  return exit_done;
}

}  // namespace lockstep::cli
