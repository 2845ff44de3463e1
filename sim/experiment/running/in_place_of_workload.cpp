#include "sim/experiment/running/in_place_of_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/probe/lane_pattern.hpp"

namespace lockstep::experiment {

namespace {

using Described = std::map<std::string, config::Value>;  ///< By the name behind the dot.

const config::Value& needed(const Described& values, const std::string& name, const std::string& what,
                            const SourceLocation& where) {
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

std::uint32_t whole_or(const Described& values, const std::string& name, std::int64_t least, std::uint32_t otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : whole(found->second, least, name);
}

probe::AccessOperation operation_of(const config::Value& value) {
  const std::string name = value.as_string();
  if (name == "ld") return probe::AccessOperation::load;
  if (name == "st") return probe::AccessOperation::store;
  if (name == "rmw") return probe::AccessOperation::read_modify_write;
  if (name == "atom") return probe::AccessOperation::atomic;
  throw InputError(value.where, fmt::format("probe.op is ld, st, rmw or atom, not '{}'", name));
}

/// Patterns with `;` between them.
std::vector<analytic::WarpAccess> patterns_of(const config::Value& pattern, std::uint64_t words) {
  std::vector<analytic::WarpAccess> accesses;
  try {
    for (std::size_t begin = 0; begin <= pattern.text.size();) {
      const std::size_t end = std::min(pattern.text.find(';', begin), pattern.text.size());
      accesses.push_back(probe::parse_lane_pattern(pattern.text.substr(begin, end - begin), words));
      begin = end + 1;
    }
  } catch (const InputError& error) {
    throw InputError(pattern.where, error.what());
  }
  return accesses;
}

void measure_pattern(const Run& run, PointResult& outcome) {
  const config::Value& pattern = needed(run.probe, "pattern", "probe", run.where);
  const std::vector<analytic::WarpAccess> accesses = patterns_of(pattern, probe::scratchpad_words(run.gpu));
  const std::uint32_t warps = whole_or(run.probe, "warps", 1, 1);
  outcome.probe = probe::measure(run.gpu, operation_of(needed(run.probe, "op", "probe", run.where)), accesses, warps);
  outcome.cycles = outcome.probe->cycles;
  outcome.arguments = {{"warps", std::to_string(warps)}};
}

void compute_occupancy(const Run& run, PointResult& outcome) {
  program::Kernel kernel;
  kernel.name = "occupancy";
  kernel.live_registers = whole_or(run.occupancy, "registers", 1, 1);
  trace::Launch launch;
  launch.registers_per_thread = kernel.live_registers;
  launch.block = {whole(needed(run.occupancy, "threads", "occupancy", run.where), 1, "threads"), 1, 1};
  launch.dynamic_shared_bytes = whole_or(run.occupancy, "scratchpad_bytes", 0, 0);
  gpu::LaunchResult result;
  result.kernel = kernel.name;
  try {
    result.occupancy = gpu::occupancy(run.gpu.sm.occupancy, kernel, launch);
  } catch (const InputError&) {
    // Not even one thread block fits: none is resident.
  }
  outcome.launches.push_back(std::move(result));
  outcome.arguments = {{"threads", std::to_string(launch.block[0])},
                       {"registers", std::to_string(launch.registers_per_thread)},
                       {"scratchpad_bytes", std::to_string(launch.dynamic_shared_bytes)}};
}

}  // namespace

PointResult in_place_of_workload(const Run& run) {
  PointResult outcome;
  outcome.gpu = run.gpu.name;
  outcome.status = Status::done;
  if (!run.probe.empty()) measure_pattern(run, outcome);
  if (!run.occupancy.empty()) compute_occupancy(run, outcome);
  return outcome;
}

}  // namespace lockstep::experiment
