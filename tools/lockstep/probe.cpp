// lockstep probe

#include "sim/probe/probe.hpp"

#include <fmt/format.h>

#include <bit>
#include <map>

#include "sim/probe/lane_pattern.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

using machine::Operation;
using probe::AccessOperation;
using probe::Step;
using stats::Table;

AccessOperation operation_named(const std::string& name) {
  static const std::map<std::string, AccessOperation> operations = {{"ld", AccessOperation::load},
                                                                    {"st", AccessOperation::store},
                                                                    {"rmw", AccessOperation::read_modify_write},
                                                                    {"atom", AccessOperation::atomic}};
  const auto found = operations.find(name);
  if (found != operations.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, operation] : operations) names.push_back(known);
  throw InputError(SourceLocation{"--op", 0, 0},
                   fmt::format("unknown operation '{}'; there are: {}", name, fmt::join(names, ", ")));
}

/// One way through read, update, write and branch.
struct Iteration {
  std::uint32_t lanes = 0, done = 0, read_degree = 0, write_degree = 0;
  Cycle read = 0, update = 0, write = 0, branch = 0;

  void add(const Step& step) {
    if (step.operation == Operation::scratchpad_store || step.operation == Operation::store_unlock) {
      if (lanes == 0) lanes = step.lanes;
      done = step.lanes;
      write_degree = step.degree;
      write += step.cycles;
    } else if (machine::unit_of(step.operation) == machine::Unit::load_store) {
      lanes = step.lanes;
      done = step.operation == Operation::load_lock ? step.acquired : step.lanes;
      read_degree = step.degree;
      read += step.cycles;
    } else if (step.operation == Operation::branch) {
      branch += step.cycles;
    } else {
      update += step.cycles;
    }
  }
  /// Whether the two look the same in the table.
  bool looks_like(const Iteration& other) const {
    return std::popcount(lanes) == std::popcount(other.lanes) && std::popcount(done) == std::popcount(other.done) &&
           read_degree == other.read_degree && write_degree == other.write_degree && read == other.read &&
           update == other.update && write == other.write && branch == other.branch;
  }
};

/// Where the cycles of the last warp went, an iteration a line; equal ones that follow each other share a line.
std::string steps_table(const probe::Result& result) {
  std::vector<Iteration> iterations;
  for (const Step& step : result.steps) {
    if (iterations.empty() || step.operation == Operation::load_lock) iterations.emplace_back();
    iterations.back().add(step);
  }
  Table table;
  table.column("iteration", Table::Align::left);
  table.column("lanes", Table::Align::right, "asked");
  table.column("lanes", Table::Align::right, "done");
  table.column("degree", Table::Align::right, "read");
  table.column("degree", Table::Align::right, "write");
  for (const char* name : {"read", "update", "write", "branch", "sum"})
    table.column(name, Table::Align::right, "cycles");
  const auto degree = [](std::uint32_t value) { return value == 0 ? "-" : std::to_string(value); };
  for (std::size_t first = 0; first < iterations.size();) {
    std::size_t last = first;
    while (last + 1 < iterations.size() && iterations[last + 1].looks_like(iterations[first])) ++last;
    const Iteration& one = iterations[first];
    table.row({last == first ? std::to_string(first + 1) : fmt::format("{}-{}, each", first + 1, last + 1),
               std::to_string(std::popcount(one.lanes)), std::to_string(std::popcount(one.done)),
               degree(one.read_degree), degree(one.write_degree), stats::grouped(one.read), stats::grouped(one.update),
               stats::grouped(one.write), stats::grouped(one.branch),
               stats::grouped(one.read + one.update + one.write + one.branch)});
    first = last + 1;
  }
  return table.text();
}

std::string estimates_text(const probe::Result& result, std::uint32_t warps) {
  if (!result.analytic_cycles && !result.state_machine_cycles)
    return warps > 1 ? "closed-form model: none for several warps" : "closed-form model: none for this GPU";
  std::vector<std::string> parts;
  if (result.analytic_cycles)
    parts.push_back(fmt::format("closed-form model: {} cycles", stats::grouped(*result.analytic_cycles)));
  if (result.state_machine_cycles)
    parts.push_back(fmt::format("four-state model: {} cycles", stats::grouped(*result.state_machine_cycles)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::optional<double> number(const std::optional<Cycle>& cycles) {
  return cycles ? std::optional<double>(static_cast<double>(*cycles)) : std::nullopt;
}

}  // namespace

int execute(const ProbeArguments& arguments, const Invocation&) {
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  for (const config::Override& given : overrides)
    if (given.path.starts_with("args.")) throw InputError(given.value.where, "a probe runs no workload");
  const AccessOperation operation = operation_named(arguments.operation);
  const gpu::GpuSpec spec = config::load_gpu(arguments.gpu, overrides);
  const analytic::WarpAccess access = probe::parse_lane_pattern(arguments.pattern, probe::scratchpad_words(spec));
  const probe::Result result = probe::measure(spec, operation, access, arguments.warps);

  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.probe/1").field("cycles", result.cycles);
    json.field("analytic_cycles", number(result.analytic_cycles));
    json.field("state_machine_cycles", number(result.state_machine_cycles));
    json.field("bank_degree", result.bank_degree).field("lock_degree", result.lock_degree);
    json.field("position_degree", result.position_degree).field("iterations", result.iterations);
    json.field("gpu", spec.name).field("op", arguments.operation).field("pattern", probe::to_text(access));
    json.field("warps", arguments.warps);
    print(json.end_object().take());
    return exit_done;
  }
  std::string text =
      fmt::format("{} {} on {}, {} warp{}: {} cycles\n", arguments.operation, probe::to_text(access), spec.name,
                  arguments.warps, arguments.warps == 1 ? "" : "s", stats::grouped(result.cycles));
  if (!arguments.quiet) {
    text += estimates_text(result, arguments.warps) + "\n";
    text += fmt::format("conflict degrees: bank {}, lock {}, position {}; iterations {}\n\n", result.bank_degree,
                        result.lock_degree, result.position_degree, result.iterations);
    if (arguments.warps > 1)
      text += fmt::format("Warp {} ends last; it starts {} cycles after the first.\n", result.last_warp,
                          stats::grouped(result.last_warp_waited));
    text += steps_table(result);
  }
  print(text);
  return exit_done;
}

}  // namespace lockstep::cli
