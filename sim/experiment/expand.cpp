// From an experiment to its points, and back to a file.

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/experiment.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::experiment {

namespace {

using config::Override;
using config::Value;

constexpr std::string_view argument_prefix = "args.", hash_prefix = "hashes.";

/// A point's arguments as the names of a condition.
class ArgumentScope final : public workload::Scope {
 public:
  explicit ArgumentScope(const workload::ArgumentOverrides& arguments) : arguments_(arguments) {}
  workload::Number value_of(std::string_view name) const override {
    for (const auto& [argument, text] : arguments_) {
      if (argument != name) continue;
      try {
        return workload::Expression(text).evaluate(*this);
      } catch (const workload::ExpressionError&) {
        throw workload::NoValue{fmt::format("args.{} is {}, no number", name, text)};
      }
    }
    throw workload::UnknownName{};
  }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [argument, text] : arguments_) names.push_back(argument);
    return names;
  }

 private:
  const workload::ArgumentOverrides& arguments_;
};

bool belongs(const Experiment& experiment, const Point& point) {
  if (!experiment.only) return true;
  try {
    const workload::Number number = experiment.only->holds.evaluate(ArgumentScope(point.arguments));
    if (const auto* whole = std::get_if<std::int64_t>(&number)) return *whole != 0;
    if (const auto* real = std::get_if<double>(&number)) return *real != 0;
  } catch (const workload::ExpressionError& error) {
    throw InputError(experiment.only->where, fmt::format("\"{}\": {}", experiment.only->holds.text(), error.what()));
  }
  throw Bug("a condition of points yields an address");
}

/// A later setting of a path replaces an earlier one.
void set(std::vector<Override>& settings, const Override& one) {
  std::erase_if(settings, [&one](const Override& earlier) { return earlier.path == one.path; });
  settings.push_back(one);
}

/// Puts what "hashes.NAME" comes to at this workload into the point; `given` then names the stated SPEC.
void use_hash(const Experiment& experiment, const std::string& workload, Override& given, Point& point) {
  const auto named = std::find_if(
      experiment.hashes.begin(), experiment.hashes.end(),
      [name = given.value.text.substr(hash_prefix.size())](const NamedHash& hash) { return hash.name == name; });
  if (named == experiment.hashes.end()) throw Bug(fmt::format("{} was not looked for", given.value.text));
  given.value.quoted = true;
  if (named->search) {
    point.hashes.push_back({given.path, "", named->search});
    given.value.text = "mod";
    return;
  }
  const auto stated = std::find_if(named->of_workload.begin(), named->of_workload.end(),
                                   [&](const auto& entry) { return entry.first == workload; });
  given.value.text = stated != named->of_workload.end() ? stated->second : named->otherwise;
  if (given.value.text.empty())
    throw InputError(given.value.where, fmt::format("hashes.{} says nothing about the workload '{}', and has no "
                                                    "'otherwise'",
                                                    named->name, workload));
  point.hashes.push_back({given.path, given.value.text, std::nullopt});
}

const Variant& named_variant(const Experiment& experiment, const Value& name) {
  for (const Variant& variant : experiment.variants)
    if (variant.name == name.text) return variant;
  throw InputError(name.where, fmt::format("there is no variant '{}'", name.text));
}

/// The GPU's own overrides among settings and swept values; the rest are arguments.
struct Split {
  std::vector<Override> gpu;
  workload::ArgumentOverrides arguments;
  void add(const std::string& path, const Value& value) {
    if (path.starts_with(argument_prefix)) {
      arguments.emplace_back(path.substr(argument_prefix.size()), value.text);
    } else {
      gpu.push_back({path, value});
    }
  }
};

/// What a point is compared with: the same settings at the reference's workload and GPU, arguments as far as that workload
/// has them, then its own.
Point reference_point(const Experiment& experiment, const Reference& reference, const GpuChoice& gpu,
                      const std::vector<Override>& of_point, const std::vector<Override>& own) {
  Point point;
  point.workload = reference.path;
  Value name;
  name.kind = Value::Kind::scalar;
  name.text = reference.name;
  name.quoted = true;
  point.swept.emplace_back("workload", name);
  std::vector<Override> given;
  for (const Override& one : of_point) {
    const bool argument = one.path.starts_with(argument_prefix);
    const auto& known = reference.arguments;
    if (argument && std::find(known.begin(), known.end(), one.path.substr(argument_prefix.size())) == known.end())
      continue;
    set(given, one);
  }
  for (const Override& one : own) {
    set(given, one);
    point.swept.emplace_back(one.path, one.value);
  }
  Split split;
  for (Override& one : given) {
    if (one.value.text.starts_with(hash_prefix)) use_hash(experiment, reference.name, one, point);
    split.add(one.path, one.value);
  }
  point.arguments = std::move(split.arguments);
  try {
    point.gpu = config::read_gpu(gpu.root, split.gpu, gpu.default_name);
  } catch (const InputError& error) {
    throw InputError(fmt::format("reference {}: {}", reference_name(point), error.what()));
  }
  return point;
}

void add_reference(Point& point, Point reference) {
  const std::string name = reference_name(reference);
  for (const Point& other : point.references)
    if (reference_name(other) == name && other.gpu.name == reference.gpu.name)
      throw InputError(fmt::format("two references of {} are {} on a {}", point.workload, name, reference.gpu.name));
  point.references.push_back(std::move(reference));
}

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

std::string settings_yaml(const std::vector<Override>& settings) {
  std::vector<std::string> texts;
  for (const Override& given : settings) texts.push_back(fmt::format("{}: {}", given.path, scalar_yaml(given.value)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string gpu_name(const GpuChoice& gpu) {
  const Value* stated = gpu.root.find("name");
  return stated != nullptr ? stated->as_string() : gpu.default_name;
}

std::string reference_yaml(const Experiment& experiment, const Reference& reference) {
  std::string yaml = fmt::format("{{workload: {}", stats::json_string(reference.path));
  if (reference.gpu)
    yaml += fmt::format(", gpu: {}", stats::json_string(gpu_name(experiment.reference_gpus[*reference.gpu])));
  std::vector<std::string> settings;
  for (const auto& [path, values] : reference.settings) {
    std::vector<std::string> texts;
    for (const Value& value : values) texts.push_back(scalar_yaml(value));
    settings.push_back(fmt::format("{}: [{}]", path, fmt::join(texts, ", ")));
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

std::string Point::label() const {
  std::string text;
  for (const auto& [path, value] : swept) {
    if (!text.empty()) text += ' ';
    text += path + '=' + value.text;
  }
  return text;
}

std::vector<Point> expand(const Experiment& experiment) {
  std::size_t count = 1;
  for (const Axis& axis : experiment.axes) {
    count *= axis.values.size();
    if (count > 1'000'000) throw InputError(SourceLocation{experiment.file, 0, 0}, "more than a million points");
  }
  std::vector<Point> points;
  for (std::size_t index = 0; index < count; ++index) {
    Point point;
    std::vector<Override> by_axes;
    bool excluded = false;
    std::size_t gpu = 0, workload = 0, remaining = index, block = count;
    for (const Axis& axis : experiment.axes) {
      block /= axis.values.size();
      const std::size_t choice = remaining / block;
      remaining %= block;
      point.swept.emplace_back(axis.path, axis.values[choice]);
      if (axis.path == "gpu") {
        gpu = choice;
      } else if (axis.path == "workload") {
        workload = choice;
      } else if (axis.path == "variant") {
        const Variant& variant = named_variant(experiment, axis.values[choice]);
        by_axes.insert(by_axes.end(), variant.settings.begin(), variant.settings.end());
        if (variant.at.empty()) continue;
        const auto own = std::find_if(variant.at.begin(), variant.at.end(), [&](const auto& entry) {
          return entry.first == experiment.workloads[workload].name;
        });
        excluded = own == variant.at.end();
        if (!excluded) by_axes.insert(by_axes.end(), own->second.begin(), own->second.end());
      } else {
        by_axes.push_back({axis.path, axis.values[choice]});
      }
    }
    const WorkloadChoice& chosen_workload = experiment.workloads[workload];
    std::vector<Override> given;
    for (const Override& one : experiment.settings) set(given, one);
    for (const Override& one : chosen_workload.settings) set(given, one);
    for (const Override& one : by_axes) set(given, one);
    const std::vector<Override> of_point = given;
    Split split;
    for (Override& one : given) {
      if (one.value.text.starts_with(hash_prefix)) use_hash(experiment, chosen_workload.name, one, point);
      split.add(one.path, one.value);
    }
    point.arguments = std::move(split.arguments);
    if (excluded || !belongs(experiment, point)) continue;
    const GpuChoice& chosen = experiment.gpus[gpu];
    try {
      point.gpu = config::read_gpu(chosen.root, split.gpu, chosen.default_name);
    } catch (const InputError& error) {
      const std::string where = point.swept.empty() ? "" : fmt::format("point {}: ", point.label());
      throw InputError(where + error.what());
    }
    point.workload = chosen_workload.path;
    for (const Reference& reference : chosen_workload.references)
      for (const std::vector<Override>& own : reference.combinations())
        add_reference(
            point, reference_point(experiment, reference,
                                   reference.gpu ? experiment.reference_gpus[*reference.gpu] : chosen, of_point, own));
    points.push_back(std::move(point));
  }
  if (points.empty() && experiment.only)
    throw InputError(experiment.only->where, "no combination of the swept values meets this");
  if (points.empty()) throw InputError(SourceLocation{experiment.file, 0, 0}, "no variant has points at this workload");
  return points;
}

std::string effective_yaml(const Experiment& experiment) {
  std::string yaml =
      fmt::format("name: {}\ntitle: {}\n", stats::json_string(experiment.name), stats::json_string(experiment.title));
  if (!experiment.text.empty()) yaml += fmt::format("text: {}\n", stats::json_string(experiment.text));
  const auto swept = [&](std::string_view path) {
    return std::any_of(experiment.axes.begin(), experiment.axes.end(), [&](const Axis& a) { return a.path == path; });
  };
  Split split;
  for (const Override& given : experiment.settings)
    if (!given.value.text.starts_with(hash_prefix)) split.add(given.path, given.value);
  yaml += "gpus:\n";
  for (const GpuChoice& choice : experiment.gpus) {
    const gpu::GpuSpec spec = config::read_gpu(choice.root, split.gpu, choice.default_name);
    yaml += indented(config::effective_yaml(spec), "  - ", "    ");
  }
  if (!experiment.reference_gpus.empty()) yaml += "reference_gpus:\n";
  for (const GpuChoice& choice : experiment.reference_gpus)
    yaml +=
        indented(config::effective_yaml(config::read_gpu(choice.root, split.gpu, choice.default_name)), "  - ", "    ");
  yaml += "workloads:\n";
  for (const WorkloadChoice& workload : experiment.workloads)
    yaml += fmt::format("  - {}\n", workload_yaml(experiment, workload));
  const auto stays = [](const Override& given) {
    return given.path.starts_with(argument_prefix) || given.value.text.starts_with(hash_prefix);
  };
  if (std::any_of(experiment.settings.begin(), experiment.settings.end(), stays)) yaml += "set:\n";
  for (const Override& given : experiment.settings) {
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
  bool first = true;
  for (const Axis& axis : experiment.axes) {
    if (axis.path == "gpu" || axis.path == "workload" || axis.path == "variant") continue;
    if (first) yaml += "sweep:\n";
    first = false;
    std::vector<std::string> values;
    for (const Value& value : axis.values) values.push_back(scalar_yaml(value));
    yaml += fmt::format("  {}: [{}]\n", axis.path, fmt::join(values, ", "));
  }
  bool baseline = false;
  for (const Override& base : experiment.baseline) {
    if (!has_value(experiment, base.path, base.value.text)) continue;  // Overrides left no such points.
    yaml += fmt::format("{}  {}: {}\n", baseline ? "" : "baseline:\n", base.path, scalar_yaml(base.value));
    baseline = true;
  }
  yaml += "table:\n";
  for (const Column& column : experiment.columns) {
    yaml += fmt::format("  - {{column: {}, header: {}", column.name, stats::json_string(column.header));
    if (column.decimals) yaml += fmt::format(", decimals: {}", *column.decimals);
    if (column.percent) yaml += ", percent: true";
    yaml += "}\n";
  }
  if (!experiment.checks.empty()) yaml += "checks:\n";
  for (const Check& check : experiment.checks) yaml += fmt::format("  - {}\n", check.yaml);
  return yaml;
}

}  // namespace lockstep::experiment
