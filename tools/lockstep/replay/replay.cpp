// lockstep replay

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "isa/output_file.hpp"
#include "isa/program/source_place.hpp"
#include "isa/trace/file.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/report/activity_chart.hpp"
#include "sim/stats/activity.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/clock_intervals.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/order_dependences.hpp"
#include "tools/lockstep/point_text.hpp"
#include "tools/lockstep/replay/observation.hpp"
#include "tools/lockstep/replay/sampling.hpp"

namespace lockstep::cli {

namespace {

using stats::Table;

const program::Kernel& kernel_of(const trace::Header& header, std::uint32_t launch) {
  return header.kernels[header.launches[launch].kernel];
}

std::string intervals_table(const trace::Header& header, const std::vector<stats::IntervalSummary>& intervals) {
  Table table;
  table.column("launch", Table::Align::right);
  table.column("from", Table::Align::left, "clock read at");
  table.column("to", Table::Align::left, "clock read at");
  table.column("warps", Table::Align::right);
  table.column("intervals", Table::Align::right);
  for (const char* name : {"minimum", "mean", "maximum"}) table.column(name, Table::Align::right, "cycles");
  for (const stats::IntervalSummary& interval : intervals) {
    const program::Kernel& kernel = kernel_of(header, interval.launch);
    table.row({std::to_string(interval.launch), program::source_place(kernel, interval.from),
               program::source_place(kernel, interval.to), stats::grouped(interval.warps),
               stats::grouped(interval.count), stats::grouped(interval.least), fmt::format("{:.2f}", interval.mean),
               stats::grouped(interval.most)});
  }
  return table.text();
}

void add_intervals(stats::JsonWriter& json, const trace::Header& header,
                   const std::vector<stats::IntervalSummary>& intervals) {
  json.key("clock_intervals").begin_array();
  for (const stats::IntervalSummary& interval : intervals) {
    const program::Kernel& kernel = kernel_of(header, interval.launch);
    json.begin_object(true).field("launch", interval.launch);
    json.field("from", program::source_place(kernel, interval.from))
        .field("to", program::source_place(kernel, interval.to));
    json.field("from_instruction", interval.from).field("to_instruction", interval.to);
    json.field("warps", interval.warps).field("intervals", interval.count).field("min", interval.least);
    json.field("mean", interval.mean).field("max", interval.most).end_object();
  }
  json.end_array();
}

/// An instruction with what became of the issue slots around it.
struct Hot {
  std::uint32_t kernel = 0, instruction = 0;
  const gpu::InstructionCounters* counters = nullptr;
  std::uint64_t slots = 0;  ///< Used by it, or idle while the warp nearest to issue stood before it.
};

/// Those that ran, the one with most slots first.
std::vector<Hot> hottest(const gpu::Result& result) {
  std::vector<Hot> all;
  for (std::uint32_t k = 0; k < result.instructions.size(); ++k) {
    for (std::uint32_t i = 0; i < result.instructions[k].size(); ++i) {
      Hot hot{k, i, &result.instructions[k][i]};
      hot.slots = std::accumulate(hot.counters->slots.begin(), hot.counters->slots.end(), std::uint64_t{0});
      if (hot.slots > 0 || hot.counters->executed > 0) all.push_back(hot);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Hot& a, const Hot& b) { return a.slots > b.slots; });
  return all;
}

const std::string& mnemonic_of(const program::Kernel& kernel, std::uint32_t instruction) {
  return kernel.strings[kernel.instructions[instruction].mnemonic];
}

std::string instructions_table(const trace::Header& header, const std::vector<Hot>& all) {
  Table table;
  table.column("slots", Table::Align::right);
  table.column("share", Table::Align::right, "%");
  table.column("issued", Table::Align::right, "slots");
  table.column("idle because of", Table::Align::left, "slots");
  table.column("executed", Table::Align::right, "warps");
  table.column("lanes", Table::Align::right, "mean");
  table.column("source", Table::Align::left);
  table.column("pc", Table::Align::right);
  table.column("instruction", Table::Align::left);
  std::uint64_t sum = 0;
  for (const Hot& hot : all) sum += hot.slots;
  for (const Hot& hot : all) {
    const program::Kernel& kernel = header.kernels[hot.kernel];
    const gpu::InstructionCounters& counters = *hot.counters;
    std::vector<std::pair<std::uint64_t, std::string>> reasons;
    for (std::size_t slot = 1; slot < gpu::slot_count; ++slot)
      if (counters.slots[slot] > 0)
        reasons.emplace_back(counters.slots[slot], gpu::name_of(static_cast<gpu::Slot>(slot)));
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> texts;
    for (const auto& [count, name] : reasons) texts.push_back(fmt::format("{} {}", name, stats::grouped(count)));
    const double executed = static_cast<double>(counters.executed);
    table.row({stats::grouped(hot.slots),
               fmt::format("{:.1f}", sum == 0 ? 0 : 100 * static_cast<double>(hot.slots) / static_cast<double>(sum)),
               stats::grouped(counters.slots[0]), fmt::format("{}", fmt::join(texts, ", ")),
               stats::grouped(counters.executed),
               counters.executed == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(counters.lanes) / executed),
               program::source_place(kernel, hot.instruction), std::to_string(hot.instruction),
               mnemonic_of(kernel, hot.instruction)});
  }
  return table.text();
}

void add_instructions(stats::JsonWriter& json, const trace::Header& header, const std::vector<Hot>& all) {
  json.key("instructions").begin_array();
  for (const Hot& hot : all) {
    const program::Kernel& kernel = header.kernels[hot.kernel];
    const program::StaticInstruction& at = kernel.instructions[hot.instruction];
    json.begin_object(true).field("kernel", kernel.name).field("pc", hot.instruction);
    json.field("instruction", mnemonic_of(kernel, hot.instruction)).field("file", kernel.strings[at.source_file]);
    json.field("line", at.source_line).field("executed", hot.counters->executed).field("lanes", hot.counters->lanes);
    json.field("all_slots", hot.slots).key("slots").begin_object(true);
    for (std::size_t slot = 0; slot < gpu::slot_count; ++slot)
      if (hot.counters->slots[slot] > 0)
        json.field(gpu::name_of(static_cast<gpu::Slot>(slot)), hot.counters->slots[slot]);
    json.end_object().end_object();
  }
  json.end_array();
}

/// A line for the kernels whose instructions have no place in a source file.
std::string missing_lines_text(const trace::Header& header) {
  std::vector<std::string> kernels;
  for (const program::Kernel& kernel : header.kernels)
    if (std::all_of(kernel.instructions.begin(), kernel.instructions.end(),
                    [](const program::StaticInstruction& s) { return s.source_line == 0; }))
      kernels.push_back(kernel.name);
  if (kernels.empty()) return {};
  return fmt::format("the trace has no source lines of {}: instructions are numbered in the order of their addresses",
                     fmt::join(kernels, ", "));
}

}  // namespace

int execute(const ReplayArguments& arguments, const Invocation&) {
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  for (const config::Override& given : overrides) {
    if (given.path.starts_with("args.")) {
      throw InputError(given.value.where, "arguments are fixed in a trace; give them to `lockstep trace`");
    }
  }
  check_sampling(arguments);
  const gpu::GpuSpec spec = config::load_gpu(arguments.gpu, overrides);
  const auto source = trace::open_file(arguments.trace);

  ProgressLine line(arguments.quiet);
  gpu::Options options;
  options.threads = arguments.jobs;
  options.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t warp_instructions) {
    line.update("replay", all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), warp_instructions);
  };
  std::vector<gpu::ClockRead> reads;
  options.clock_reads = &reads;
  options.per_instruction = arguments.per_instruction;
  options.activity_interval = arguments.activity.interval;
  options.sampled_error = arguments.sampling.wanted_error();
  Observation observation(arguments.observation, spec);
  observation.observe(options);
  const auto start = std::chrono::steady_clock::now();
  const gpu::Result result = gpu::simulate(spec, *source, options);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  line.clear();
  const std::vector<stats::IntervalSummary> intervals = stats::summarize(stats::clock_intervals(reads));
  const std::vector<Hot> instructions = hottest(result);

  const experiment::PointResult point = experiment::summarize(spec, source->header().workload, result, wall);
  if (!arguments.quiet) {
    for (const std::string& text : point.notes) note("note: " + text);
    if (const std::string text = observation.note(); !text.empty()) note("note: " + text);
    const std::string missing = arguments.per_instruction ? missing_lines_text(source->header()) : std::string();
    if (!missing.empty()) note("note: " + missing);
  }
  const std::string rate = fmt::format("{:.2f} s, {}", wall, rate_text(point.warp_instructions, wall));
  const auto write_pictures = [&] {  // last: a full disk takes away nothing but these
    if (arguments.activity.chart)
      write_whole_file(*arguments.activity.chart,
                       report::activity_svg(spec, point.workload, result, options.activity_interval));
    observation.write(source->header(), result);
  };
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.replay/1").key("point").begin_object().end_object();
    experiment::add_fields(json, point);
    add_sampling(json, result);
    add_order_dependences(json, *source);
    add_intervals(json, source->header(), intervals);
    if (options.activity_interval != 0) stats::add_activity(json, spec, result, options.activity_interval);
    if (arguments.per_instruction) add_instructions(json, source->header(), instructions);
    print(json.end_object().take());
    if (!arguments.quiet) note(rate);
    write_pictures();
    return exit_done;
  }
  std::string text = point_text(point) + sampling_text(result);
  if (!intervals.empty()) text += "\n" + intervals_table(source->header(), intervals);
  if (options.activity_interval != 0) text += "\n" + stats::activity_table(result, options.activity_interval);
  if (arguments.per_instruction) text += "\n" + instructions_table(source->header(), instructions);
  if (!arguments.quiet) text += "\n" + rate + "\n";
  print(text);
  write_pictures();
  return exit_done;
}

}  // namespace lockstep::cli
