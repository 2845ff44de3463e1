// Reading a GPU from YAML and overrides, and writing it back.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "isa/did_you_mean.hpp"
#include "isa/meant_name.hpp"
#include "sim/config/nested_yaml.hpp"
#include "sim/config/provenance.hpp"
#include "sim/config/tree_reader.hpp"

namespace lockstep::config {

namespace {

/// Where the values that were given come from, by path.
using Provenances = std::map<std::string, Provenance, std::less<>>;

/// Of every parameter, in their order.
const std::vector<std::string>& parameter_paths() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> paths;
    for (const Parameter& parameter : gpu_parameters()) paths.push_back(parameter.path);
    return paths;
  }();
  return all;
}

/// What may stand in a section ("" or one with a dot behind it): parameters, sections, words of provenance; each once.
const std::vector<std::string>& names_in(const std::string& section) {
  static const std::map<std::string, std::vector<std::string>> all = [] {
    std::map<std::string, std::vector<std::string>> names;
    const auto add = [&names](const std::string& above, std::string name) {
      std::vector<std::string>& there = names[above];
      if (std::find(there.begin(), there.end(), name) == there.end()) there.push_back(std::move(name));
    };
    for (const std::string& path : parameter_paths()) {
      std::size_t begin = 0;
      for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
        add(path.substr(0, begin), path.substr(begin, dot - begin));
        begin = dot + 1;
      }
      add(path.substr(0, begin), path.substr(begin));
    }
    for (auto& [above, there] : names)
      for (std::string& word : provenance_words()) there.push_back(std::move(word));
    return names;
  }();
  static const std::vector<std::string> words = provenance_words();
  const auto found = all.find(section);
  return found == all.end() ? words : found->second;
}

class Reader : TreeReader {
 public:
  explicit Reader(gpu::GpuSpec& spec) : spec_(spec) {}

  void section(const Value& map, const std::string& prefix) {
    if (map.kind == Value::Kind::null) return;
    if (map.kind != Value::Kind::map) {
      return note(map.where, fmt::format("{} is a section; expected a map of parameters",
                                         prefix.empty() ? "a GPU" : prefix.substr(0, prefix.size() - 1)));
    }
    for (const auto& [key, value] : map.entries) {
      if (errors().full()) return;
      const std::string path = prefix + key.text;
      if (gpu_sections().contains(path)) {
        section(value, path + ".");
      } else if (is_provenance_word(key.text)) {
        note(key.where, fmt::format("'{}' covers no value, or is not the only word of its section; a section gives the "
                                    "provenance of all its values once, [VALUE, WORD: TEXT] that of one",
                                    key.text));
      } else {
        assign(path, value, key.where, key.text);
      }
    }
  }

  /// `shown` is the name as the user wrote it.
  void assign(const std::string& path, const Value& value, const SourceLocation& where, const std::string& shown) {
    const Parameter* parameter = find_gpu_parameter(path);
    if (parameter == nullptr) return note(where, unknown(path, shown));
    part([&] {
      auto [plain, provenance] = split_provenance(value);
      parameter->set(spec_, parameter->read(plain));
      provenances_[path] = std::move(provenance);
    });
  }

  void overrides(const std::vector<Override>& all) {
    std::set<std::string> seen;
    for (const Override& given : all) {
      if (!seen.insert(given.path).second) note(given.value.where, fmt::format("{} is set twice", given.path));
      assign(given.path, given.value, given.value.where, given.path);
      if (const auto found = provenances_.find(given.path); found != provenances_.end())
        found->second = {Provenance::Kind::overridden, "", given.value.where};
    }
  }

  /// Checks the rules between parameters, if each is right; InputError with every error.
  void finish() {
    if (diagnostics().empty())
      check_rules(
          spec_, [&](std::string_view path) { return place(path); }, diagnostics());
    throw_if_any();
  }

  /// Of every parameter, in their order.
  std::vector<Provenance> provenance() const {
    std::vector<Provenance> all;
    for (const std::string& path : parameter_paths()) {
      const auto found = provenances_.find(path);
      all.push_back(found == provenances_.end() ? Provenance{} : found->second);
    }
    return all;
  }

 private:
  SourceLocation place(std::string_view path) const {
    const auto found = provenances_.find(path);
    return found == provenances_.end() ? SourceLocation{} : found->second.where;
  }

  std::string unknown(const std::string& path, const std::string& shown) const {
    if (gpu_sections().contains(path)) return fmt::format("{} is a section; name one of its parameters", path);
    const std::size_t dot = path.rfind('.');
    const std::string section = dot == std::string::npos ? "" : path.substr(0, dot + 1);
    if (const std::string near = meant_name(path.substr(section.size()), names_in(section)); !near.empty()) {
      return fmt::format("unknown parameter '{}'{}", shown, did_you_mean_name(shown == path ? section + near : near));
    }
    return fmt::format("unknown parameter '{}'{}", shown,
                       did_you_mean(path, parameter_paths(), "; `lockstep list params` shows all"));
  }

  gpu::GpuSpec& spec_;
  Provenances provenances_;
};

SourcedGpu read_sourced(Value root, const std::vector<Override>& overrides, const std::string& default_name) {
  distribute_provenance(root);
  SourcedGpu gpu{default_gpu(), {}};
  Reader reader(gpu.spec);
  reader.section(root, "");
  reader.overrides(overrides);
  reader.finish();
  gpu.provenance = reader.provenance();
  if (gpu.spec.name.empty()) gpu.spec.name = default_name;
  return gpu;
}

}  // namespace

gpu::GpuSpec default_gpu() {
  static const gpu::GpuSpec all = [] {
    gpu::GpuSpec spec;
    for (const Parameter& parameter : gpu_parameters()) parameter.set(spec, parameter.default_value);
    return spec;
  }();
  return all;
}

gpu::GpuSpec read_gpu(const Value& root, const std::vector<Override>& overrides, const std::string& default_name) {
  return read_sourced(root, overrides, default_name).spec;
}

gpu::GpuSpec load_gpu(const std::string& name_or_path, const std::vector<Override>& overrides) {
  return load_sourced_gpu(name_or_path, overrides).spec;
}

SourcedGpu load_sourced_gpu(const std::string& name_or_path, const std::vector<Override>& overrides) {
  const std::string path = find_named_file("configs/gpus", name_or_path);
  return read_sourced(load_gpu_tree(path), overrides, std::filesystem::path(path).stem().string());
}

std::vector<std::pair<std::string, std::string>> effective_settings(const gpu::GpuSpec& spec) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const Parameter& parameter : gpu_parameters()) {
    settings.emplace_back(parameter.path, to_text(parameter.get(spec)));
  }
  return settings;
}

std::string effective_yaml(const gpu::GpuSpec& spec) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Parameter& parameter : gpu_parameters()) {
    const Setting setting = parameter.get(spec);
    const std::string text =
        std::holds_alternative<std::string>(setting) ? yaml_text(to_text(setting)) : to_text(setting);
    lines.emplace_back(parameter.path, parameter.unit.empty() ? text : fmt::format("{}  # {}", text, parameter.unit));
  }
  return nested_yaml(lines);
}

}  // namespace lockstep::config
