#include "sim/validate/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/stats/catalog.hpp"
#include "sim/validate/lane_pattern.hpp"
#include "sim/validate/probe.hpp"

namespace lockstep::validate {

namespace {

const config::Value& needed(const std::map<std::string, config::Value>& values, const std::string& name,
                            const std::string& what, const SourceLocation& where) {
  const auto found = values.find(name);
  if (found == values.end()) throw InputError(where, fmt::format("there is no {}.{}", what, name));
  return found->second;
}

std::uint32_t whole(const config::Value& value, std::int64_t least, const std::string& what) {
  const std::int64_t number = value.as_integer();
  if (number < least || number > 0x7fff'ffff)
    throw InputError(value.where, fmt::format("{} is {}, but must be at least {}", what, number, least));
  return static_cast<std::uint32_t>(number);
}

std::uint32_t whole_or(const std::map<std::string, config::Value>& values, const std::string& name, std::int64_t least,
                       std::uint32_t otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : whole(found->second, least, name);
}

AccessOperation operation_of(const config::Value& value) {
  const std::string name = value.as_string();
  if (name == "ld") return AccessOperation::load;
  if (name == "st") return AccessOperation::store;
  if (name == "rmw") return AccessOperation::read_modify_write;
  if (name == "atom") return AccessOperation::atomic;
  throw InputError(value.where, fmt::format("probe.op is ld, st, rmw or atom, not '{}'", name));
}

/// A scope without names.
class NoNames final : public workload::Scope {
 public:
  workload::Number value_of(std::string_view) const override { throw workload::UnknownName{}; }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override { return {}; }
};

/// The number that an argument's text is, for example "8 KiB"; nothing when it is a name.
std::optional<double> number_of(const std::string& text) {
  try {
    const workload::Number number = workload::Expression(text).evaluate(NoNames());
    if (const auto* whole = std::get_if<std::int64_t>(&number)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&number)) return *real;
  } catch (const workload::ExpressionError&) {
    // A choice or a file.
  }
  return std::nullopt;
}

/// What the warps of the last launch that reads the clock register time.
void add_clock(Values& values, const gpu::ClockTimes& clock) {
  if (clock.warps == 0) return;
  const auto warps = static_cast<double>(clock.warps);
  values["clock"] = static_cast<double>(clock.cycles) / warps;
  values["clock_first"] = static_cast<double>(clock.first) / warps;
  values["clock_min"] = static_cast<double>(clock.least);
  values["clock_max"] = static_cast<double>(clock.most);
  values["clock_span"] = static_cast<double>(clock.span);
  values["clock_warps"] = warps;
}

}  // namespace

std::string Run::key() const {
  std::string text = fmt::format("gpu={}\n", gpu);
  for (const config::Override& given : overrides) text += fmt::format("{}={}\n", given.path, given.value.text);
  for (const auto& [name, value] : probe) text += fmt::format("probe.{}={}\n", name, value.text);
  for (const auto& [name, value] : occupancy) text += fmt::format("occupancy.{}={}\n", name, value.text);
  return text + trace_key();
}

std::string Run::trace_key() const {
  if (workload.empty()) return "";
  std::string text = fmt::format("workload={}\n", workload);
  for (const auto& [name, value] : arguments) text += fmt::format("args.{}={}\n", name, value);
  return text;
}

Run run_of(const Settings& settings, const SourceLocation& where) {
  std::map<std::string, config::Value> last;
  for (const Setting& setting : settings) last[setting.path] = setting.value;
  Run run;
  run.where = where;
  for (const auto& [path, value] : last) {
    if (path == "gpu") {
      run.gpu = value.as_string();
    } else if (path == "workload") {
      run.workload = value.as_string();
    } else if (path.starts_with("args.")) {
      run.arguments.emplace_back(path.substr(5), value.text);
    } else if (path.starts_with("probe.")) {
      run.probe.emplace(path.substr(6), value);
    } else if (path.starts_with("occupancy.")) {
      run.occupancy.emplace(path.substr(10), value);
    } else {
      run.overrides.push_back({path, value});
    }
  }
  if (run.gpu.empty()) throw InputError(where, "no GPU is named");
  if (int{!run.workload.empty()} + int{!run.probe.empty()} + int{!run.occupancy.empty()} > 1)
    throw InputError(where, "a run is a workload, a probe or an occupancy, only one of these");
  if (run.workload.empty() && !run.arguments.empty()) throw InputError(where, "there are arguments, but no workload");
  return run;
}

void add_parameters(Values& values, const gpu::GpuSpec& spec) {
  for (const config::Parameter& parameter : config::gpu_parameters()) {
    const config::Setting setting = parameter.get(spec);
    if (const auto* flag = std::get_if<bool>(&setting)) values[parameter.path] = *flag ? 1 : 0;
    if (const auto* whole = std::get_if<std::uint64_t>(&setting)) values[parameter.path] = static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&setting)) values[parameter.path] = *number;
  }
}

void add_replay(Values& values, const gpu::GpuSpec& spec, const trace::Header& header, const gpu::Result& result) {
  for (const auto& [name, text] : header.arguments)
    if (const auto number = number_of(text)) values[name] = *number;
  values["cycles"] = static_cast<double>(result.cycles);
  values["time_s"] = result.time_ms(spec) / 1e3;
  values["warp_instructions"] = static_cast<double>(result.warp_instructions);
  const gpu::Occupancy& resident = result.launches.back().occupancy;
  values["resident.blocks"] = resident.blocks;
  values["resident.warps"] = resident.warps;
  for (const stats::Statistic& statistic : stats::statistics())
    values[statistic.name] = static_cast<double>(statistic.value(result.counters));
  for (const stats::Derived& derived : stats::derived_statistics())
    if (const auto value = derived.value(spec, result)) values["derived." + derived.name] = *value;
  add_clock(values, result.clock);
}

void add_probe(Values& values, const Run& run, const gpu::GpuSpec& spec) {
  const config::Value& pattern = needed(run.probe, "pattern", "probe", run.where);
  std::vector<analytic::WarpAccess> accesses;
  try {
    for (std::size_t begin = 0; begin <= pattern.text.size();) {
      const std::size_t end = std::min(pattern.text.find(';', begin), pattern.text.size());
      accesses.push_back(parse_lane_pattern(pattern.text.substr(begin, end - begin), scratchpad_words(spec)));
      begin = end + 1;
    }
  } catch (const InputError& error) {
    throw InputError(pattern.where, error.what());
  }
  const std::uint32_t warps = whole_or(run.probe, "warps", 1, 1);
  const ProbeResult result = probe(spec, operation_of(needed(run.probe, "op", "probe", run.where)), accesses, warps);
  values["cycles"] = static_cast<double>(result.cycles);
  values["iterations"] = result.iterations;
  values["bank_degree"] = result.bank_degree;
  values["lock_degree"] = result.lock_degree;
  values["position_degree"] = result.position_degree;
  values["warps"] = warps;
  if (result.analytic_cycles) values["analytic_cycles"] = static_cast<double>(*result.analytic_cycles);
}

void add_occupancy(Values& values, const Run& run, const gpu::GpuSpec& spec) {
  program::Kernel kernel;
  kernel.name = "occupancy";
  kernel.live_registers = whole_or(run.occupancy, "registers", 1, 1);
  trace::Launch launch;
  launch.registers_per_thread = kernel.live_registers;
  launch.block = {whole(needed(run.occupancy, "threads", "occupancy", run.where), 1, "threads"), 1, 1};
  launch.dynamic_shared_bytes = whole_or(run.occupancy, "scratchpad_bytes", 0, 0);
  gpu::Occupancy result;
  try {
    result = gpu::occupancy(spec.sm.occupancy, kernel, launch);
  } catch (const InputError&) {
    // Not even one thread block fits: none is resident.
  }
  values["resident.blocks"] = result.blocks;
  values["resident.warps"] = result.warps;
  values["threads"] = launch.block[0];
  values["registers"] = launch.registers_per_thread;
  values["scratchpad_bytes"] = launch.dynamic_shared_bytes;
}

}  // namespace lockstep::validate
