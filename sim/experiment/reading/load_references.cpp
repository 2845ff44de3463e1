#include "sim/experiment/reading/load_references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/did_you_mean.hpp"
#include "sim/config/provenance.hpp"

namespace lockstep::experiment {

using config::Value;

std::size_t ReferenceReader::add_gpu(GpuChoice choice, const Value& value, const std::string& source) {
  const std::string name = choice.name();
  for (std::size_t i = 0; i < gpu_names_.size(); ++i) {
    if (gpu_names_[i] != name) continue;
    if (gpu_sources_[i] != source) note(value.where, fmt::format("two GPUs are named '{}'", name));
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
  return named_at(value.where, [&] {
    const std::string path = find_file_(value.as_string(), "configs/gpus");
    return add_gpu({config::load_gpu_tree(path), std::filesystem::path(path).stem().string()}, value, path);
  });
}

void ReferenceReader::read_gpus(const Value& list) {
  for (const Value& item : items_of(list)) part([&] { gpu(item); });
}

void ReferenceReader::read_settings(const Value& map, Reference& reference) {
  if (map.kind == Value::Kind::null) return;
  if (map.kind != Value::Kind::map)
    spoil(map.where, "'set' is a map from parameters and args.NAME to values, or to lists of them");
  std::vector<std::string> known;
  for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
  for (const std::string& argument : reference.arguments)
    known.push_back(fmt::format("{}{}", argument_prefix, argument));
  std::size_t count = 1;
  for (const auto& [path, value] : map.entries) {
    if (std::find(known.begin(), known.end(), path.text) == known.end()) {
      note(path.where, fmt::format("'{}' is not a GPU parameter or argument of the workload {}{}", path.text,
                                   reference.name, did_you_mean(path.text, known)));
    }
    const std::vector<Value> values = items_of(value);
    if (values.empty()) note(value.where, fmt::format("{} has no values", path.text));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].kind != Value::Kind::scalar)
        note(values[i].where, fmt::format("{} needs a single value, or a list of them", path.text));
      for (std::size_t before = 0; before < i; ++before)
        if (values[before].text == values[i].text)
          note(values[i].where, fmt::format("the value '{}' appears twice", values[i].text));
      if (values[i].text.starts_with(named_hash_prefix))
        note(values[i].where, "a reference takes no named hash; give its SPEC");
    }
    count *= std::max<std::size_t>(1, values.size());
    if (count > 10'000) spoil(map.where, "more than 10000 combinations to compare a point with");
    reference.settings.push_back({path.text, values});
  }
}

Reference ReferenceReader::read_one(const Value& item) {
  const bool described = item.kind == Value::Kind::map;
  if (described) check_keys(item, {"workload", "gpu", "set"});
  const Value& named = described ? needed(item, "workload", "what the point is compared with") : item;
  const std::string name = named.as_string();
  Reference reference;
  const workload::Workload workload = named_at(named.where, [&] {
    reference.path = find_file_(name, workload_folder);
    return workload::Workload::load(reference.path);
  });
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
  if (items.empty()) note(value.where, "'reference' has no workloads to compare with");
  for (const Value& item : items) part([&] { references.push_back(read_one(item)); });
  return references;
}

}  // namespace lockstep::experiment
