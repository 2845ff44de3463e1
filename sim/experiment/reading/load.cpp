// Reading experiment files.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "isa/did_you_mean.hpp"
#include "sim/config/provenance.hpp"
#include "sim/config/tree_reader.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/reading/load_checks.hpp"
#include "sim/experiment/reading/load_columns.hpp"
#include "sim/experiment/reading/load_figures.hpp"
#include "sim/experiment/reading/load_hashes.hpp"
#include "sim/experiment/reading/load_references.hpp"
#include "sim/experiment/reading/load_slurm.hpp"
#include "sim/experiment/reading/load_sweep.hpp"

namespace lockstep::experiment {

namespace {

using config::Override;
using config::Value;

bool is_argument(std::string_view path) {
  return path.starts_with(argument_prefix);
}

std::string canonical(const std::string& path) {
  return std::filesystem::weakly_canonical(path).string();
}

/// Reads one file.
class Loader : config::TreeReader {
 public:
  explicit Loader(const std::string& path) : folder_(std::filesystem::path(path).parent_path()) {
    experiment_.file = path;
  }

  Experiment load(const Value& root, const std::vector<Override>& overrides) {
    if (root.kind != Value::Kind::map) {
      throw InputError(SourceLocation{experiment_.file, 1, 1}, "an experiment is a map of name, gpu, workload, ...");
    }
    check_keys(root,
               {"name", "title", "text", "gpu", "gpus", "reference_gpus", "workload", "workloads", "hashes", "set",
                "variants", "sweep", "repetitions", "only", "baseline", "table", "figures", "checks", "slurm"});
    experiment_.name = text_or(root, "name", std::filesystem::path(experiment_.file).stem().string());
    experiment_.title = text_or(root, "title", experiment_.name);
    experiment_.text = text_or(root, "text", "");
    if (experiment_.name.empty() || experiment_.name.find('/') != std::string::npos || experiment_.name[0] == '.') {
      note(root.find("name")->where, "an experiment's name is also a folder's: no '/', no leading '.'");
    }
    read_gpus(root);
    if (const Value* gpus = root.find("reference_gpus")) references_.read_gpus(*gpus);
    read_workloads(root);
    read_hashes(root);
    read_settings(root);
    read_variants(root);
    read_sweep(root);
    read_repetitions(root);
    read_only(root);
    read_baseline(root);
    read_table(root);
    if (const Value* figures = root.find("figures"); !is_empty(figures)) {
      part([&] { experiment_.figures = read_figures(*figures, experiment_.axes, errors()); });
    }
    if (const Value* checks = root.find("checks")) {
      part([&] { experiment_.checks = read_checks(*checks, experiment_.axes, errors()); });
    }
    if (const Value* slurm = root.find("slurm"); !is_empty(slurm)) {
      part([&] { experiment_.slurm = read_slurm(*slurm, errors()); });
    }
    apply(overrides);
    throw_if_any();
    return std::move(experiment_);
  }

 private:
  /// The one of the two keys that is there; reports when it is both or neither.
  const Value* one_of(const Value& root, std::string_view one, std::string_view many) {
    const Value* value = root.find(one);
    const Value* list = root.find(many);
    if (value != nullptr && list != nullptr) {
      note(list->where, fmt::format("give either '{}' or '{}', not both", one, many));
    } else if (value == nullptr && list == nullptr) {
      note(root.where, fmt::format("there is no '{}'", one));
    }
    return value != nullptr ? value : list;
  }

  /// A file beside the experiment, else by path or name.
  std::string find_file(const std::string& named, const std::string& folder) const {
    const std::filesystem::path beside = folder_ / named;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(beside, ignored)) return beside.string();
    try {
      // A workload may also be a graph.
      return folder == workload_folder ? workload::find_workload(named) : config::find_named_file(folder, named);
    } catch (const InputError& error) {
      // Not taken for it: an experiment is often called as its workload is.
      if (!std::filesystem::is_regular_file(beside.string() + ".yaml", ignored)) throw;
      throw InputError(fmt::format("{}; beside this file stands {}.yaml", error.what(), named));
    }
  }

  void read_gpus(const Value& root) {
    const Value* value = one_of(root, "gpu", "gpus");
    if (value == nullptr) return;
    Axis axis{"gpu", {}};
    std::set<std::string> names;
    for (const Value& item : items_of(*value)) {
      part([&] {
        GpuChoice choice{item, "gpu"};
        if (item.kind != Value::Kind::map) {
          const std::string named = item.as_string();
          choice = named_at(item.where, [&] {
            const std::string path = find_file(named, "configs/gpus");
            return GpuChoice{config::load_gpu_tree(path), std::filesystem::path(path).stem().string()};
          });
        }
        Value name = item;
        name.kind = Value::Kind::scalar;
        name.text = choice.name();
        name.quoted = true;
        if (!names.insert(name.text).second) {
          note(item.where, fmt::format("two GPUs are named '{}'", name.text));
        }
        axis.values.push_back(std::move(name));
        experiment_.gpus.push_back(std::move(choice));
      });
    }
    if (experiment_.gpus.size() > 1) experiment_.axes.push_back(std::move(axis));
  }

  void read_workloads(const Value& root) {
    const Value* value = one_of(root, "workload", "workloads");
    if (value == nullptr) return;
    Axis axis{"workload", {}};
    std::set<std::string> names;
    for (const Value& item : items_of(*value)) {
      part([&] { read_workload(item, axis, names); });
    }
    if (experiment_.workloads.size() > 1) experiment_.axes.push_back(std::move(axis));
  }

  /// `axis` and `names` take the workload's name.
  void read_workload(const Value& item, Axis& axis, std::set<std::string>& names) {
    const bool described = item.kind == Value::Kind::map;
    if (described) check_keys(item, {"workload", "name", "set", "reference"});
    const Value& named = described ? needed(item, "workload", "a name or a file") : item;
    std::string path = named.as_string();
    const workload::Workload workload = named_at(named.where, [&] {
      path = find_file(path, workload_folder);
      return workload::Workload::load(path);
    });
    Value name = named;
    name.text = described ? text_or(item, "name", workload.name()) : workload.name();
    name.quoted = true;
    if (!names.insert(name.text).second) note(item.where, fmt::format("two workloads are named '{}'", name.text));
    experiment_.workloads.push_back({canonical(path), name.text, {}, {}});
    axis.values.push_back(std::move(name));
    for (const workload::ArgumentInfo& argument : workload.arguments()) arguments_.insert(argument.name);
    if (!described) return;
    for (const auto& [key, own] : entries_of(item, "set")) {
      check_path(key.text, key.where);
      check_scalar(own, key.text);
      experiment_.workloads.back().settings.push_back({key.text, own});
    }
    if (const Value* reference = item.find("reference")) read_references(*reference);
  }

  /// What the workload read last is compared with.
  void read_references(const Value& reference) {
    experiment_.workloads.back().references = references_.read(reference);
    if (!reference_at_) reference_at_ = reference.where;
  }

  /// Reports a path that is neither a GPU parameter nor an argument of the workload.
  void check_path(const std::string& path, const SourceLocation& where) {
    if (config::find_gpu_parameter(path) != nullptr) return;
    for (const std::string_view list : {"gpus", "workloads"})
      if (path == list || path + 's' == list) {
        note(where,
             fmt::format("'{}' has no path; several stand in a list, '{}: [...]', at the top of the file", path, list));
        return;
      }
    std::vector<std::string> known;
    for (const config::Parameter& parameter : config::gpu_parameters()) known.push_back(parameter.path);
    if (is_argument(path)) {
      if (experiment_.workloads.empty() || arguments_.contains(path.substr(argument_prefix.size()))) return;
      known.clear();
    }
    for (const std::string& argument : arguments_) known.push_back(fmt::format("{}{}", argument_prefix, argument));
    const std::string_view what = is_argument(path) ? "an argument of the workload" : "a GPU parameter or argument";
    note(where, fmt::format("'{}' is not {}{}", path, what, did_you_mean(path, known)));
  }

  void check_scalar(const Value& value, const std::string& path) {
    if (value.kind != Value::Kind::scalar) note(value.where, fmt::format("{} needs a single value", path));
    if (!value.text.starts_with(named_hash_prefix)) return;
    if (!takes_named_hash(path))
      note(value.where, fmt::format("{} takes no named hash; {} do", path, fmt::join(named_hash_paths, ", ")));
    std::vector<std::string> names;
    for (const NamedHash& hash : experiment_.hashes) names.push_back(hash.name);
    if (std::find(names.begin(), names.end(), value.text.substr(named_hash_prefix.size())) == names.end())
      note(value.where, fmt::format("{} is not among the 'hashes' of this file: {}", value.text,
                                    names.empty() ? "there are none" : fmt::format("{}", fmt::join(names, ", "))));
  }

  void read_hashes(const Value& root) {
    const Value* hashes = root.find("hashes");
    if (is_empty(hashes)) return;
    std::vector<std::string> workloads;
    for (const WorkloadChoice& workload : experiment_.workloads) workloads.push_back(workload.name);
    part([&] {
      experiment_.hashes = read_named_hashes(*hashes, workloads, {arguments_.begin(), arguments_.end()}, errors());
    });
  }

  void read_only(const Value& root) {
    const Value* only = root.find("only");
    if (is_empty(only)) {
      if (!together_.empty())
        experiment_.only.emplace(
            PointCondition{workload::Expression(fmt::format("{}", fmt::join(together_, " && "))), together_at_});
      return;
    }
    try {
      experiment_.only.emplace(PointCondition{workload::Expression(only->as_string()), only->where});
    } catch (const workload::ExpressionError& error) {
      note(only->where, fmt::format("\"{}\": {}", only->text, error.what()));
      return;
    }
    // What is swept together is one more condition.
    if (!together_.empty())
      experiment_.only->holds =
          workload::Expression(fmt::format("({}) && {}", only->as_string(), fmt::join(together_, " && ")));
    for (const workload::Expression::Use& use : experiment_.only->holds.uses()) {
      const std::string path = fmt::format("{}{}", argument_prefix, use.name);
      if (setting(path) != nullptr || axis_of(path) != nullptr || in_variants(path)) continue;
      note(only->where, fmt::format("'{}' is not an argument of the workload that is set or swept", use.name));
    }
  }

  /// `key` as a map from paths to values.
  const std::vector<Value::Entry>& entries_of(const Value& root, std::string_view key) {
    static const std::vector<Value::Entry> none;
    const Value* value = root.find(key);
    if (is_empty(value)) return none;
    if (value->kind != Value::Kind::map) {
      note(value->where, fmt::format("'{}' is a map from parameters and args.NAME to values", key));
      return none;
    }
    return value->entries;
  }

  void read_settings(const Value& root) {
    for (const auto& [key, value] : entries_of(root, "set")) {
      check_path(key.text, key.where);
      check_scalar(value, key.text);
      experiment_.settings.push_back({key.text, value});
    }
  }

  void read_variants(const Value& root) {
    Axis axis{"variant", {}};
    for (const auto& [name, settings] : entries_of(root, "variants")) {
      Variant variant{name.text, {}, {}};
      if (settings.kind != Value::Kind::map && settings.kind != Value::Kind::null)
        note(settings.where, "a variant is a map from parameters and args.NAME to values");
      for (const auto& [path, value] : settings.entries) {
        if (path.text == "at") {
          read_variant_at(value, variant);
        } else {
          variant.settings.push_back(read_setting_of_variant(path, value));
        }
      }
      Value value = name;
      value.quoted = true;
      axis.values.push_back(std::move(value));
      experiment_.variants.push_back(std::move(variant));
    }
    if (!axis.values.empty()) experiment_.axes.push_back(std::move(axis));
  }

  Override read_setting_of_variant(const Value& path, const Value& value) {
    check_path(path.text, path.where);
    check_scalar(value, path.text);
    if (setting(path.text) != nullptr) note(path.where, fmt::format("{} is set for all variants already", path.text));
    return {path.text, value};
  }

  /// Settings of a variant that hold at some workloads.
  void read_variant_at(const Value& map, Variant& variant) {
    if (map.kind != Value::Kind::map)
      note(map.where, "'at' is a map from workloads to maps of parameters and args.NAME");
    for (const auto& [workload, settings] : map.entries) {
      const bool known = std::any_of(experiment_.workloads.begin(), experiment_.workloads.end(),
                                     [&name = workload.text](const WorkloadChoice& one) { return one.name == name; });
      if (!known) note(workload.where, fmt::format("'{}' is not a workload of this experiment", workload.text));
      Settings own;
      for (const auto& [path, value] : settings.entries) own.push_back(read_setting_of_variant(path, value));
      variant.at.emplace_back(workload.text, std::move(own));
    }
  }

  bool in_variants(const std::string& path) const {
    const auto sets = [&path](const Settings& settings) {
      return std::any_of(settings.begin(), settings.end(),
                         [&path](const Override& given) { return given.path == path; });
    };
    return std::any_of(experiment_.variants.begin(), experiment_.variants.end(), [&sets](const Variant& variant) {
      return sets(variant.settings) || std::any_of(variant.at.begin(), variant.at.end(),
                                                   [&sets](const auto& entry) { return sets(entry.second); });
    });
  }

  bool in_workloads(const std::string& path) const {
    for (const WorkloadChoice& workload : experiment_.workloads)
      for (const Override& given : workload.settings)
        if (given.path == path) return true;
    return false;
  }

  void check_variant(const Value& name) {
    std::vector<std::string> names;
    for (const Variant& variant : experiment_.variants) names.push_back(variant.name);
    if (std::find(names.begin(), names.end(), name.text) == names.end())
      note(name.where, fmt::format("'{}' is not a variant; there are: {}", name.text, fmt::join(names, ", ")));
  }

  void read_sweep(const Value& root) {
    for (const auto& [key, value] : entries_of(root, "sweep")) {
      part([&, &key = key, &value = value] {
        if (!is_zipped(key.text)) return add_axis({key.text, swept_values(value)}, key.where, value.where);
        const ZippedPaths zipped = zipped_paths(key, value);
        for (const auto& [path, values] : zipped.axes) add_axis({path, values}, key.where, value.where);
        together_.push_back(fmt::format("({})", zipped.condition));
        together_at_ = key.where;
      });
    }
  }

  void read_repetitions(const Value& root) {
    for (const auto& [key, value] : entries_of(root, "repetitions"))
      part([&, &key = key, &value = value] {
        add_axis({key.text, swept_values(value), true}, key.where, value.where);
      });
  }

  void add_axis(Axis axis, const SourceLocation& where, const SourceLocation& values) {
    check_path(axis.path, where);
    if (axis_of(axis.path) != nullptr) note(where, fmt::format("{} is swept twice", axis.path));
    if (setting(axis.path) != nullptr) note(where, fmt::format("{} is both set and swept", axis.path));
    if (in_workloads(axis.path)) note(where, fmt::format("{} is swept, and set for a workload", axis.path));
    if (in_variants(axis.path)) note(where, fmt::format("{} is swept, and a variant sets it", axis.path));
    if (axis.values.empty()) note(values, fmt::format("{} has no values to sweep", axis.path));
    std::set<std::string> texts;
    for (const Value& item : axis.values) {
      check_scalar(item, axis.path);
      if (!texts.insert(item.text).second) note(item.where, fmt::format("the value '{}' appears twice", item.text));
    }
    experiment_.axes.push_back(std::move(axis));
  }

  Override* setting(const std::string& path) {
    for (Override& given : experiment_.settings) {
      if (given.path == path) return &given;
    }
    return nullptr;
  }

  Axis* axis_of(const std::string& path) {
    for (Axis& axis : experiment_.axes) {
      if (axis.path == path) return &axis;
    }
    return nullptr;
  }

  void read_baseline(const Value& root) {
    const Value* baseline = root.find("baseline");
    if (!is_empty(baseline) && reference_at_)
      note(baseline->where,
           fmt::format("derived.speedup compares with one thing: a workload has a 'reference' already ({})",
                       to_string(*reference_at_)));
    for (const auto& [key, value] : entries_of(root, "baseline")) {
      const Axis* axis = axis_of(key.text);
      if (axis == nullptr) {
        std::vector<std::string> swept;
        for (const Axis& other : experiment_.axes) swept.push_back(other.path);
        note(key.where, fmt::format("'{}' is not swept; swept are: {}", key.text, fmt::join(swept, ", ")));
        continue;
      }
      const bool there = std::any_of(axis->values.begin(), axis->values.end(),
                                     [&text = value.text](const Value& item) { return item.text == text; });
      if (!there) note(value.where, fmt::format("'{}' is not a value of {}", value.text, key.text));
      experiment_.baseline.push_back({key.text, value});
    }
  }

  void read_table(const Value& root) {
    const Value* table = root.find("table");
    if (is_empty(table)) {
      const Compared compared{reference_at_.has_value(), !experiment_.baseline.empty()};
      experiment_.columns = usual_columns(experiment_.axes, compared);
      return;
    }
    experiment_.columns = read_columns(*table, experiment_.axes, errors());
  }

  void apply(const std::vector<Override>& overrides) {
    for (const Override& given : overrides) {
      if (given.path != "variant") check_path(given.path, given.value.where);
      if (in_workloads(given.path)) {
        note(given.value.where, fmt::format("workloads of this experiment set {}", given.path));
      } else if (in_variants(given.path)) {
        note(given.value.where,
             fmt::format("variants of this experiment set {}; choose one with -s variant=NAME", given.path));
      } else if (Axis* axis = axis_of(given.path)) {
        if (given.path == "variant") check_variant(given.value);
        axis->values = {given.value};
      } else if (Override* set = setting(given.path)) {
        set->value = given.value;
      } else {
        experiment_.settings.push_back(given);
      }
    }
  }

  std::filesystem::path folder_;
  Experiment experiment_;
  ReferenceReader references_{
      experiment_, [this](const std::string& named, const std::string& folder) { return find_file(named, folder); },
      errors()};
  std::optional<SourceLocation> reference_at_;  ///< Of the first one.
  std::vector<std::string> together_;           ///< Conditions of what is swept together,
  SourceLocation together_at_;                  ///< and the last of their places.
  std::set<std::string> arguments_;
};

}  // namespace

Experiment load_experiment(const std::string& path_or_name, const std::vector<Override>& overrides) {
  const std::string path = config::find_named_file(experiment_folder, path_or_name);
  return Loader(path).load(config::load_yaml(path), overrides);
}

Experiment experiment_of_workload(const std::string& path_or_name, const std::string& gpu,
                                  const std::vector<Override>& overrides) {
  const std::string path = workload::find_workload(path_or_name);
  const workload::Workload workload = workload::Workload::load(path);
  const SourceLocation where{path, 1, 1};
  Value root;
  root.kind = Value::Kind::map;
  root.where = where;
  const auto add = [&](const char* key, const std::string& text) {
    Value name, value;
    for (Value* one : {&name, &value}) {
      one->kind = Value::Kind::scalar;
      one->where = where;
    }
    name.text = key;
    value.text = text;
    value.quoted = true;
    root.entries.push_back({std::move(name), std::move(value)});
  };
  add("name", workload.name());
  add("title", workload.description().empty() ? workload.name() : workload.description());
  add("gpu", gpu);
  add("workload", std::filesystem::absolute(path).string());
  return Loader(path).load(root, overrides);
}

}  // namespace lockstep::experiment
