// An experiment as a file again, with every GPU parameter written out.

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/experiment.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;

/// A YAML scalar that reads back as the same Value.
std::string scalar_yaml(const Value& value) {
  const bool plain = !value.quoted && !value.text.empty() &&
                     std::all_of(value.text.begin(), value.text.end(),
                                 [](char c) {
                                   return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                          c == '_' || c == '.' || c == '-' || c == '/';
                                 }) &&
                     value.text[0] != '-' && value.text != "null";
  const bool number =
      !value.quoted && !value.text.empty() && value.text.find_first_not_of("0123456789-") == std::string::npos;
  return plain || number ? value.text : stats::json_string(value.text);
}

bool has_value(const Experiment& experiment, std::string_view path, std::string_view text) {
  for (const Axis& axis : experiment.axes)
    if (axis.path == path)
      return std::any_of(axis.values.begin(), axis.values.end(),
                         [&](const Value& value) { return value.text == text; });
  return false;
}

std::string settings_yaml(const Settings& settings) {
  std::vector<std::string> texts;
  for (const Setting& given : settings) texts.push_back(fmt::format("{}: {}", given.path, scalar_yaml(given.value)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string reference_yaml(const Experiment& experiment, const Reference& reference) {
  std::string yaml = fmt::format("{{workload: {}", stats::json_string(reference.path));
  if (reference.gpu)
    yaml += fmt::format(", gpu: {}", stats::json_string(experiment.reference_gpus[*reference.gpu].name()));
  std::vector<std::string> settings;
  for (const Axis& axis : reference.settings) {
    std::vector<std::string> texts;
    for (const Value& value : axis.values) texts.push_back(scalar_yaml(value));
    settings.push_back(fmt::format("{}: [{}]", axis.path, fmt::join(texts, ", ")));
  }
  if (!settings.empty()) yaml += fmt::format(", set: {{{}}}", fmt::join(settings, ", "));
  return yaml + "}";
}

std::string workload_yaml(const Experiment& experiment, const WorkloadChoice& workload) {
  std::string yaml =
      fmt::format("{{workload: {}, name: {}", stats::json_string(workload.path), stats::json_string(workload.name));
  if (!workload.settings.empty()) yaml += fmt::format(", set: {{{}}}", settings_yaml(workload.settings));
  std::vector<std::string> references;
  for (const Reference& reference : workload.references) references.push_back(reference_yaml(experiment, reference));
  if (!references.empty())
    yaml += fmt::format(",\n     reference: [{}]", fmt::join(references, ",\n                 "));
  return yaml + "}";
}

std::string named_hash_yaml(const NamedHash& hash) {
  std::vector<std::string> entries;
  if (hash.search) {
    entries.push_back("family: " + stats::json_string(hash.search->family));
    entries.push_back("method: " + stats::json_string(hash.search->method));
    if (hash.search->steps != 0) entries.push_back(fmt::format("steps: {}", hash.search->steps));
    std::vector<std::string> train;
    for (const auto& [name, value] : hash.search->train)
      train.push_back(fmt::format("{}{}: {}", argument_prefix, name, stats::json_string(value)));
    if (!train.empty()) entries.push_back(fmt::format("train: {{{}}}", fmt::join(train, ", ")));
  }
  for (const auto& [workload, spec] : hash.of_workload)
    entries.push_back(fmt::format("{}: {}", stats::json_string(workload), stats::json_string(spec)));
  if (!hash.otherwise.empty()) entries.push_back("otherwise: " + stats::json_string(hash.otherwise));
  return fmt::format("{}", fmt::join(entries, ", "));
}

std::string slurm_yaml(const SlurmSettings& slurm) {
  std::string yaml = "slurm:\n";
  for (const auto& [key, text] :
       {std::pair("partition", &slurm.partition), std::pair("time", &slurm.time), std::pair("memory", &slurm.memory)})
    if (!text->empty()) yaml += fmt::format("  {}: {}\n", key, stats::json_string(*text));
  if (slurm.cpus) yaml += fmt::format("  cpus: {}\n", *slurm.cpus);
  if (slurm.shards) yaml += fmt::format("  shards: {}\n", *slurm.shards);
  std::vector<std::string> options;
  for (const std::string& option : slurm.options) options.push_back(stats::json_string(option));
  if (!options.empty()) yaml += fmt::format("  options: [{}]\n", fmt::join(options, ", "));
  return yaml;
}

std::string indented(const std::string& yaml, const std::string& first, const std::string& rest) {
  std::string result;
  bool at_start = true;
  for (std::size_t begin = 0; begin < yaml.size();) {
    const std::size_t end = yaml.find('\n', begin) + 1;
    result += (at_start ? first : rest) + yaml.substr(begin, end - begin);
    at_start = false;
    begin = end;
  }
  return result;
}

}  // namespace

std::string GpuChoice::name() const {
  const Value* stated = root.find("name");
  return stated != nullptr ? stated->as_string() : default_name;
}

std::string effective_yaml(const Experiment& experiment) {
  std::string yaml =
      fmt::format("name: {}\ntitle: {}\n", stats::json_string(experiment.name), stats::json_string(experiment.title));
  if (!experiment.text.empty()) yaml += fmt::format("text: {}\n", stats::json_string(experiment.text));
  const auto swept = [&](std::string_view path) {
    return std::any_of(experiment.axes.begin(), experiment.axes.end(), [&](const Axis& a) { return a.path == path; });
  };
  Settings stated;
  for (const Setting& given : experiment.settings)
    if (!given.value.text.starts_with(named_hash_prefix)) stated.push_back(given);
  const std::vector<config::Override> of_gpus = divided(stated).gpu;
  yaml += "gpus:\n";
  for (const GpuChoice& choice : experiment.gpus) {
    const gpu::GpuSpec spec = config::read_gpu(choice.root, of_gpus, choice.default_name);
    yaml += indented(config::effective_yaml(spec), "  - ", "    ");
  }
  if (!experiment.reference_gpus.empty()) yaml += "reference_gpus:\n";
  for (const GpuChoice& choice : experiment.reference_gpus)
    yaml +=
        indented(config::effective_yaml(config::read_gpu(choice.root, of_gpus, choice.default_name)), "  - ", "    ");
  yaml += "workloads:\n";
  for (const WorkloadChoice& workload : experiment.workloads)
    yaml += fmt::format("  - {}\n", workload_yaml(experiment, workload));
  const auto stays = [](const Setting& given) {
    return given.path.starts_with(argument_prefix) || given.value.text.starts_with(named_hash_prefix);
  };
  if (std::any_of(experiment.settings.begin(), experiment.settings.end(), stays)) yaml += "set:\n";
  for (const Setting& given : experiment.settings) {
    if (stays(given)) yaml += fmt::format("  {}: {}\n", given.path, scalar_yaml(given.value));
  }
  if (!experiment.hashes.empty()) yaml += "hashes:\n";
  for (const NamedHash& hash : experiment.hashes)
    yaml += fmt::format("  {}: {{{}}}\n", stats::json_string(hash.name), named_hash_yaml(hash));
  if (!experiment.variants.empty()) yaml += "variants:\n";
  for (const Variant& variant : experiment.variants) {
    if (swept("variant") && !has_value(experiment, "variant", variant.name)) continue;
    std::string settings = settings_yaml(variant.settings);
    std::vector<std::string> at;
    for (const auto& [workload, own] : variant.at)
      at.push_back(fmt::format("{}: {{{}}}", stats::json_string(workload), settings_yaml(own)));
    if (!at.empty()) settings += fmt::format("{}at: {{{}}}", settings.empty() ? "" : ", ", fmt::join(at, ", "));
    yaml += fmt::format("  {}: {{{}}}\n", stats::json_string(variant.name), settings);
  }
  if (experiment.only) yaml += fmt::format("only: {}\n", stats::json_string(experiment.only->holds.text()));
  for (const bool repeated : {false, true}) {
    bool first = true;
    for (const Axis& axis : experiment.axes) {
      if (axis.path == "gpu" || axis.path == "workload" || axis.path == "variant" || axis.repeated != repeated)
        continue;
      if (first) yaml += repeated ? "repetitions:\n" : "sweep:\n";
      first = false;
      std::vector<std::string> values;
      for (const Value& value : axis.values) values.push_back(scalar_yaml(value));
      yaml += fmt::format("  {}: [{}]\n", axis.path, fmt::join(values, ", "));
    }
  }
  bool baseline = false;
  for (const Setting& base : experiment.baseline) {
    if (!has_value(experiment, base.path, base.value.text)) continue;  // Overrides left no such points.
    yaml += fmt::format("{}  {}: {}\n", baseline ? "" : "baseline:\n", base.path, scalar_yaml(base.value));
    baseline = true;
  }
  yaml += "table:\n";
  for (const TableColumn& column : experiment.columns) {
    yaml += fmt::format("  - {{column: {}, header: {}", column.column.name, stats::json_string(column.header));
    if (column.decimals) yaml += fmt::format(", decimals: {}", *column.decimals);
    if (column.percent) yaml += ", percent: true";
    yaml += "}\n";
  }
  std::string figures;
  for (const Figure& figure : experiment.figures)
    if (const std::string one = figure_yaml(experiment, figure); !one.empty()) figures += fmt::format("  - {}\n", one);
  if (!figures.empty()) yaml += "figures:\n" + figures;
  if (!experiment.checks.empty()) yaml += "checks:\n";
  for (const Check& check : experiment.checks) yaml += fmt::format("  - {}\n", check.yaml);
  if (experiment.slurm != SlurmSettings()) yaml += slurm_yaml(experiment.slurm);
  return yaml;
}

}  // namespace lockstep::experiment
