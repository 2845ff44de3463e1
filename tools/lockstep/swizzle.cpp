// lockstep swizzle

#include "sim/swizzle/swizzle.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "isa/output_file.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

using stats::grouped;
using stats::Table;
using swizzle::ArrayResult;

/// A PTX file says nothing of its launches: its descriptor stands beside it.
std::string descriptor_of(const std::string& subject) {
  const std::filesystem::path path(subject);
  if (path.extension() != ".ptx") return subject;
  for (const char* extension : {".yaml", ".yml"}) {
    std::filesystem::path descriptor = path;
    descriptor.replace_extension(extension);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(descriptor, ignored)) return descriptor.string();
  }
  std::filesystem::path wanted = path;
  throw InputError(
      fmt::format("{}: how it is launched is not known; describe that in {}, or name a workload "
                  "(traces/workloads/README.md)",
                  subject, wanted.replace_extension(".yaml").string()));
}

std::string rate(std::uint64_t passes, std::uint64_t requests) {
  return fmt::format("{:.2f}", static_cast<double>(passes) / static_cast<double>(std::max<std::uint64_t>(1, requests)));
}

std::string arrays_table(const swizzle::Result& result) {
  Table table;
  table.column("kernel", Table::Align::left);
  table.column("array", Table::Align::left);
  table.column("bytes", Table::Align::right);
  table.column("layout", Table::Align::left);
  table.column("conflicts", Table::Align::right, "before");
  table.column("conflicts", Table::Align::right, "after");
  table.column("conflicts", Table::Align::right, "at least");
  for (const ArrayResult& one : result.arrays) {
    const std::string bytes = one.bytes == one.bytes_after
                                  ? grouped(one.bytes)
                                  : fmt::format("{} -> {}", grouped(one.bytes), grouped(one.bytes_after));
    table.row({one.kernel, one.name, bytes, one.layout.is_unchanged() ? "as it is" : one.layout.name(),
               grouped(one.conflicts_before), grouped(one.conflicts_after), grouped(one.lower_bound)});
  }
  return table.text();
}

std::string lines_table(const swizzle::Result& result) {
  constexpr std::size_t shown = 8;
  Table table;
  table.column("array", Table::Align::left);
  table.column("conflicts at", Table::Align::left);
  table.column("instruction", Table::Align::left);
  table.column("requests", Table::Align::right);
  table.column("degree", Table::Align::right, "mean");
  table.column("degree", Table::Align::right, "most");
  bool any = false;
  for (const ArrayResult& one : result.arrays)
    for (std::size_t i = 0; i < std::min(shown, one.lines.size()); ++i) {
      const swizzle::ConflictLine& line = one.lines[i];
      table.row({one.name, line.source, line.instruction, grouped(line.requests), rate(line.passes, line.requests),
                 fmt::format("{}", line.most_passes)});
      any = true;
    }
  return any ? "\n" + table.text() : "";
}

std::string trials_table(const swizzle::Result& result) {
  if (result.trials.empty()) return "";
  Table table;
  table.column("tried", Table::Align::left);
  table.column("cycles", Table::Align::right);
  table.column("speed-up", Table::Align::right);
  table.column("instructions", Table::Align::right, "warps");
  table.column("conflicts", Table::Align::right, "replay");
  const auto row = [&](const std::string& what, const swizzle::ReplayResult& replay) {
    table.row({what, grouped(replay.cycles),
               fmt::format("{:.3f}", static_cast<double>(result.before.cycles) /
                                         static_cast<double>(std::max<std::uint64_t>(1, replay.cycles))),
               grouped(replay.warp_instructions), grouped(replay.bank_conflicts)});
  };
  row("as it is", result.before);
  std::string failures;
  for (const swizzle::Trial& trial : result.trials) {
    if (trial.failed.empty()) {
      row(trial.what, trial.replay);
    } else {
      failures += fmt::format("{}: {}\n", trial.what, trial.failed);
    }
  }
  return "\n" + table.text() + failures;
}

std::string source_text(const swizzle::Result& result) {
  std::string text;
  for (const ArrayResult& one : result.arrays) {
    if (one.layout.is_unchanged()) continue;
    text += fmt::format("\nCUDA source of {} in {}:\n", one.name, one.kernel);
    if (!one.source.function.empty()) text += "  " + one.source.function + "\n";
    if (!one.source.declaration.empty())
      text += fmt::format("  declare {}, instead of {} bytes\n", one.source.declaration, grouped(one.bytes));
    text += fmt::format("  {}{}\n", one.source.index,
                        one.source.function.empty() ? "" : "   where i is the number of the element");
  }
  for (const std::string& kernel : result.kernels_of_one_block)
    text += fmt::format("\nThe PTX is for thread blocks of {}: .reqntid says so.\n", kernel);
  return text;
}

std::string verdict(const swizzle::Result& result, double least_gain_percent) {
  if (result.changed)
    return fmt::format(
        "{} on {}: {:.3f} times as fast, {} -> {} cycles ({} instructions added, {} executed by warps)\n\n",
        result.workload, result.gpu, result.speedup(), grouped(result.before.cycles), grouped(result.after.cycles),
        result.added_instructions,
        fmt::format("{:+}", static_cast<std::int64_t>(result.after.warp_instructions) -
                                static_cast<std::int64_t>(result.before.warp_instructions)));
  std::string reason = "no array has conflicts that a layout could avoid";
  if (!result.trials.empty()) reason = "no layout makes it faster";
  if (result.left_gain > 0)
    reason = fmt::format("layouts make it {:.1f} % faster, but less than {:g} % may be none on the GPU (--least-gain)",
                         100 * result.left_gain, least_gain_percent);
  for (const ArrayResult& one : result.arrays)
    if (result.trials.empty() && one.conflicts_before > one.lower_bound)
      reason = one.fixed.empty() ? "no layout has fewer conflicts"
                                 : fmt::format("{} has conflicts, but has to stay: {}", one.name, one.fixed);
  return fmt::format("{} on {}: leave it: {} ({} cycles)\n\n", result.workload, result.gpu, reason,
                     grouped(result.before.cycles));
}

void add_replay(stats::JsonWriter& json, const char* name, const swizzle::ReplayResult& replay) {
  json.key(name).begin_object(true).field("cycles", replay.cycles).field("time_ms", replay.time_ms);
  json.field("warp_instructions", replay.warp_instructions).field("bank_conflicts", replay.bank_conflicts);
  json.end_object();
}

std::string json_text(const swizzle::Result& result, const SwizzleArguments& arguments) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.swizzle/1").field("workload", result.workload);
  json.field("gpu", result.gpu).field("objective", arguments.objective).field("changed", result.changed);
  json.field("conflicts_before", result.conflicts_before()).field("conflicts_after", result.conflicts_after());
  json.field("lower_bound", result.lower_bound());
  json.field("instructions_added", std::uint64_t{result.added_instructions});
  json.field("predicted_speedup", result.speedup()).field("output_checked", result.checked);
  add_replay(json, "before", result.before);
  add_replay(json, "after", result.after);
  json.key("arrays").begin_array();
  for (const ArrayResult& one : result.arrays) {
    json.begin_object().field("kernel", one.kernel).field("array", one.name).field("variable", one.variable);
    json.field("bytes_before", one.bytes).field("bytes_after", one.bytes_after).field("layout", one.layout.name());
    json.field("conflicts_before", one.conflicts_before).field("conflicts_after", one.conflicts_after);
    json.field("lower_bound", one.lower_bound).field("fixed", one.fixed);
    json.field("cuda_declaration", one.source.declaration).field("cuda_index", one.source.index);
    json.field("cuda_function", one.source.function).key("lines").begin_array();
    for (const swizzle::ConflictLine& line : one.lines) {
      json.begin_object(true).field("source", line.source).field("instruction", line.instruction);
      json.field("requests", line.requests).field("passes", line.passes);
      json.field("most_passes", std::uint64_t{line.most_passes}).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("trials").begin_array();
  for (const swizzle::Trial& trial : result.trials) {
    json.begin_object(true).field("layout", trial.what).field("failed", trial.failed);
    json.field("cycles", trial.replay.cycles).field("warp_instructions", trial.replay.warp_instructions);
    json.field("bank_conflicts", trial.replay.bank_conflicts).end_object();
  }
  json.end_array().key("required_thread_blocks").begin_array(true);
  for (const std::string& kernel : result.kernels_of_one_block) json.value(kernel);
  json.end_array();
  return json.end_object().take();
}

}  // namespace

int execute(const SwizzleArguments& arguments, const Invocation&) {
  const auto [parameters, workload_arguments] = divide_overrides(arguments);
  const gpu::GpuSpec spec = config::load_gpu(arguments.gpu, parameters);
  const workload::Workload workload = workload::Workload::load(descriptor_of(arguments.subject));
  ProgressLine line(arguments.quiet);
  swizzle::Options options;
  options.objective = arguments.objective == "time" ? swizzle::Objective::time : swizzle::Objective::passes;
  options.kernel = arguments.kernel;
  options.least_gain = arguments.least_gain / 100;
  options.threads = arguments.jobs;
  options.progress = [&](std::string_view what, double fraction) { line.update(what, fraction, 0); };
  const auto start = std::chrono::steady_clock::now();
  const swizzle::Result result = swizzle::swizzle(workload, workload_arguments, spec, options);
  line.clear();
  if (!arguments.file.empty()) {
    if (result.files.size() > 1)
      throw InputError(
          SourceLocation{"--output", 0, 0},
          fmt::format("kernels of {} PTX files would change; choose one with --kernel", result.files.size()));
    if (result.files.empty()) {
      note("nothing is written: the kernels stay as they are");
    } else {
      write_whole_file(arguments.file, result.files[0].text);
    }
  }
  print(arguments.json ? json_text(result, arguments)
                       : verdict(result, arguments.least_gain) + arrays_table(result) + lines_table(result) +
                             trials_table(result) + source_text(result));
  if (!arguments.quiet)
    note(fmt::format("{:.2f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  return exit_done;
}

}  // namespace lockstep::cli
