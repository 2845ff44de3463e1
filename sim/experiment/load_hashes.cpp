#include "sim/experiment/load_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::experiment {

namespace {

using config::Value;

NamedHash read_one(const std::string& name, const Value& value, const std::vector<std::string>& workloads,
                   Diagnostics& diagnostics) {
  NamedHash hash;
  hash.name = name;
  if (value.kind == Value::Kind::scalar) {
    hash.otherwise = value.as_string();
    return hash;
  }
  if (value.kind != Value::Kind::map)
    throw InputError(value.where, "a named hash is a SPEC, or a map from workloads (or 'otherwise') to SPECs");
  for (const auto& [workload, spec] : value.entries) {
    if (workload.text == "otherwise") {
      hash.otherwise = spec.as_string();
      continue;
    }
    if (std::find(workloads.begin(), workloads.end(), workload.text) == workloads.end())
      diagnostics.add(workload.where, fmt::format("'{}' is no workload of this experiment; there are: {}",
                                                  workload.text, fmt::join(workloads, ", ")));
    hash.of_workload.emplace_back(workload.text, spec.as_string());
  }
  return hash;
}

}  // namespace

std::vector<NamedHash> read_named_hashes(const Value& map, const std::vector<std::string>& workloads,
                                         Diagnostics& diagnostics) {
  if (map.kind != Value::Kind::map) throw InputError(map.where, "'hashes' is a map from names to hash functions");
  std::vector<NamedHash> hashes;
  for (const auto& [name, value] : map.entries) {
    try {
      hashes.push_back(read_one(name.text, value, workloads, diagnostics));
    } catch (const InputError& error) {
      diagnostics.add(error);
    }
  }
  return hashes;
}

}  // namespace lockstep::experiment
