// lockstep rgpu run

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "isa/exec/machine.hpp"
#include "isa/output_file.hpp"
#include "sim/experiment/result.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/report/activity_chart.hpp"
#include "sim/stats/activity.hpp"
#include "sim/stats/node_cycles.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/point_text.hpp"
#include "tools/lockstep/replay/observation.hpp"
#include "tools/lockstep/rgpu_graphs.hpp"

namespace lockstep::cli {

int execute(const RgpuRunArguments& arguments, const Invocation&) {
  const auto [parameters, workload_arguments] = divide_overrides(arguments);
  const gpu::GpuSpec spec = load_rgpu(arguments.gpu, parameters);
  const workload::Workload workload = workload::Workload::load(find_graph(arguments.graph));
  auto task = workload.build(workload_arguments, &spec.sm.rgpu);
  different_graphs(*task);

  const auto start = std::chrono::steady_clock::now();
  ProgressLine line(arguments.quiet);
  task->print = show_printed(arguments.json, line);
  exec::Machine machine(std::move(task));
  gpu::Options options;
  options.threads = arguments.jobs;
  options.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t warp_instructions) {
    line.update("rgpu run", all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), warp_instructions);
  };
  const Cycle interval = arguments.activity.interval;
  options.activity_interval = interval;
  options.per_node = arguments.nodes;
  Observation observation(arguments.observation, spec);
  observation.observe(options);
  const gpu::Result result = gpu::simulate(spec, machine, options);
  machine.finish();
  const workload::CheckResult check = workload.check(workload_arguments, machine, &spec.sm.rgpu);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  line.clear();

  experiment::PointResult point = experiment::summarize(spec, workload.name(), result, wall);
  point.checked = check.checked;
  const bool mismatch = check.checked && !check.passed;
  const char* verdict = mismatch        ? "differs from the expected result"
                        : check.checked ? "is as expected"
                                        : "was not checked: the file has no expected result";
  if (!arguments.quiet) {
    for (const std::string& text : point.notes) note("note: " + text);
  }
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.rgpu-run/1").key("point").begin_object();
    for (const auto& [name, value] : workload_arguments) json.field(name, value);
    json.end_object();
    experiment::add_fields(json, point);
    if (interval != 0) stats::add_activity(json, spec, result, interval);
    if (arguments.nodes) stats::add_node_cycles(json, result);
    json.field("checked", check.checked).field("passed", check.checked && check.passed);
    print(json.end_object().take());
  } else {
    const std::string activity = interval == 0 ? "" : "\n" + stats::activity_table(result, interval);
    const std::string nodes = arguments.nodes ? "\n" + stats::node_cycles_table(result) : "";
    print(fmt::format("{}{}{}\nThe output {}\n", point_text(point), activity, nodes, verdict));
  }
  if (arguments.activity.chart) {
    write_whole_file(*arguments.activity.chart, report::activity_svg(spec, point.workload, result, interval));
  }
  observation.write(machine.header(), result);
  if (!arguments.quiet) note(fmt::format("{:.2f} s", wall));
  if (!mismatch) return exit_done;
  print_error(fmt::format("{}: the output {}: {}", to_string(check.where), verdict, check.message));
  return exit_mismatch;
}

}  // namespace lockstep::cli
