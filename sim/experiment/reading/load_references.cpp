#include "sim/experiment/reading/load_references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace lockstep::experiment {

namespace {

using config::Value;

std::vector<Value> items_of(const Value& value) {
  return value.kind == Value::Kind::list ? value.items : std::vector<Value>{value};
}

}  // namespace

std::string ReferenceReader::found(const Value& named, const std::string& folder) const {
  try {
    return find_file_(named.as_string(), folder);
  } catch (const InputError& error) {
    throw InputError(named.where, error.what());
  }
}

std::size_t ReferenceReader::add_gpu(GpuChoice choice, const Value& value, const std::string& source) {
  const std::string name = choice.name();
  for (std::size_t i = 0; i < gpu_names_.size(); ++i) {
    if (gpu_names_[i] != name) continue;
    if (gpu_sources_[i] != source) diagnostics_.add(value.where, fmt::format("two GPUs are named '{}'", name));
    return i;
  }
  gpu_names_.push_back(name);
  gpu_sources_.push_back(source);
  experiment_.reference_gpus.push_back(std::move(choice));
  return gpu_names_.size() - 1;
}

std::size_t ReferenceReader::gpu(const Value& value) {
  if (value.kind == Value::Kind::map) return add_gpu({value, "gpu"}, value, to_string(value.where));
  const auto named = std::find(gpu_names_.begin(), gpu_names_.end(), value.as_string());
  if (named != gpu_names_.end()) return static_cast<std::size_t>(named - gpu_names_.begin());
  const std::string path = found(value, "configs/gpus");
  return add_gpu({config::load_yaml(path), std::filesystem::path(path).stem().string()}, value, path);
}

void ReferenceReader::read_gpus(const Value& list) {
  for (const Value& item : items_of(list)) {
    try {
      gpu(item);
    } catch (const InputError& error) {
      diagnostics_.add(error);
    }
  }
}

void ReferenceReader::read_settings(const Value& map, Reference& reference) {
  if (map.kind == Value::Kind::null) return;
  if (map.kind != Value::Kind::map)
    throw InputError(map.where, "'set' is a map from parameters and args.NAME to values, or to lists of them");
  std::vector<std::string> known;
  for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
  for (const std::string& argument : reference.arguments)
    known.push_back(fmt::format("{}{}", argument_prefix, argument));
  std::size_t count = 1;
  for (const auto& [path, value] : map.entries) {
    if (std::find(known.begin(), known.end(), path.text) == known.end()) {
      const std::string near = nearest_name(path.text, known);
      diagnostics_.add(path.where,
                       fmt::format("'{}' is not a GPU parameter or argument of the workload {}{}", path.text,
                                   reference.name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    const std::vector<Value> values = items_of(value);
    if (values.empty()) diagnostics_.add(value.where, fmt::format("{} has no values", path.text));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].kind != Value::Kind::scalar)
        diagnostics_.add(values[i].where, fmt::format("{} needs a single value, or a list of them", path.text));
      for (std::size_t before = 0; before < i; ++before)
        if (values[before].text == values[i].text)
          diagnostics_.add(values[i].where, fmt::format("the value '{}' appears twice", values[i].text));
      if (values[i].text.starts_with("hashes."))
        diagnostics_.add(values[i].where, "a reference takes no named hash; give its SPEC");
    }
    count *= std::max<std::size_t>(1, values.size());
    if (count > 10'000) throw InputError(map.where, "more than 10000 combinations to compare a point with");
    reference.settings.push_back({path.text, values});
  }
}

Reference ReferenceReader::read_one(const Value& item) {
  const bool described = item.kind == Value::Kind::map;
  if (described) config::check_keys(item, {"workload", "gpu", "set"}, diagnostics_);
  const Value* named = described ? item.find("workload") : &item;
  if (named == nullptr) throw InputError(item.where, "there is no 'workload': what the point is compared with");
  Reference reference;
  reference.path = found(*named, workload_folder);
  const workload::Workload workload = workload::Workload::load(reference.path);
  reference.path = std::filesystem::weakly_canonical(reference.path).string();
  reference.name = workload.name();
  for (const workload::ArgumentInfo& argument : workload.arguments()) reference.arguments.push_back(argument.name);
  if (!described) return reference;
  if (const Value* on = item.find("gpu")) reference.gpu = gpu(*on);
  if (const Value* set = item.find("set")) read_settings(*set, reference);
  return reference;
}

std::vector<Reference> ReferenceReader::read(const Value& value) {
  std::vector<Reference> references;
  const std::vector<Value> items = items_of(value);
  if (items.empty()) diagnostics_.add(value.where, "'reference' has no workloads to compare with");
  for (const Value& item : items) {
    try {
      references.push_back(read_one(item));
    } catch (const InputError& error) {
      diagnostics_.add(error);
    }
  }
  return references;
}

}  // namespace lockstep::experiment
