// From an experiment to its points.

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;

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
        throw workload::NoValue{fmt::format("args.{} is {}, which is not a number", name, text)};
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

/// Puts what "hashes.NAME" comes to at this workload into the point; `given` then names the stated SPEC.
void use_hash(const Experiment& experiment, const std::string& workload, Setting& given, Point& point) {
  const auto named = std::find_if(
      experiment.hashes.begin(), experiment.hashes.end(),
      [name = given.value.text.substr(named_hash_prefix.size())](const NamedHash& hash) { return hash.name == name; });
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

/// What settings say of a point, with named hashes resolved; the point gets those and its arguments.
std::vector<config::Override> resolve(const Experiment& experiment, const std::string& workload, Settings given,
                                      Point& point) {
  for (Setting& one : given)
    if (one.value.text.starts_with(named_hash_prefix)) use_hash(experiment, workload, one, point);
  DividedSettings parts = divided(given);
  point.arguments = std::move(parts.arguments);
  return std::move(parts.gpu);
}

/// What a point is compared with: the same settings at the reference's workload and GPU, arguments as far as that workload
/// has them, then its own.
Point reference_point(const Experiment& experiment, const Reference& reference, const GpuChoice& gpu,
                      const Settings& of_point, const Settings& own) {
  Point point;
  point.workload = reference.path;
  Value name;
  name.kind = Value::Kind::scalar;
  name.text = reference.name;
  name.quoted = true;
  point.swept.emplace_back("workload", name);
  Settings given;
  for (const Setting& one : of_point) {
    const bool argument = one.path.starts_with(argument_prefix);
    const auto& known = reference.arguments;
    if (argument && std::find(known.begin(), known.end(), one.path.substr(argument_prefix.size())) == known.end())
      continue;
    set(given, one);
  }
  for (const Setting& one : own) {
    set(given, one);
    point.swept.emplace_back(one.path, one.value);
  }
  const std::vector<config::Override> of_gpu = resolve(experiment, reference.name, std::move(given), point);
  try {
    point.gpu = config::read_gpu(gpu.root, of_gpu, gpu.default_name);
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

std::size_t position(const Experiment& experiment, std::string_view path, const std::string& text) {
  for (const Axis& axis : experiment.axes) {
    if (axis.path != path) continue;
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      if (axis.values[i].text == text) return i;
  }
  return 0;
}

/// What the axes say of a point: a GPU, a workload, and settings; none where the variant has no points at the workload.
struct Choice {
  std::size_t gpu = 0, workload = 0;
  Settings settings;
  bool excluded = false;
};

Choice choice_of(const Experiment& experiment, const Settings& swept) {
  Choice choice;
  for (const auto& [path, value] : swept) {
    if (path == "gpu") {
      choice.gpu = position(experiment, path, value.text);
    } else if (path == "workload") {
      choice.workload = position(experiment, path, value.text);
    } else if (path == "variant") {
      const Variant& variant = named_variant(experiment, value);
      choice.settings.insert(choice.settings.end(), variant.settings.begin(), variant.settings.end());
      if (variant.at.empty()) continue;
      const auto own = std::find_if(variant.at.begin(), variant.at.end(), [&](const auto& entry) {
        return entry.first == experiment.workloads[choice.workload].name;
      });
      choice.excluded = own == variant.at.end();
      if (!choice.excluded) choice.settings.insert(choice.settings.end(), own->second.begin(), own->second.end());
    } else {
      choice.settings.push_back({path, value});
    }
  }
  return choice;
}

/// The point at these values of the axes; nothing when the experiment excludes it.
std::optional<Point> point_at(const Experiment& experiment, const Settings& swept) {
  Point point;
  for (const auto& [path, value] : swept) point.swept.emplace_back(path, value);
  const Choice choice = choice_of(experiment, swept);
  const WorkloadChoice& workload = experiment.workloads[choice.workload];
  const GpuChoice& gpu = experiment.gpus[choice.gpu];
  Settings given;
  for (const Settings* part : {&experiment.settings, &workload.settings, &choice.settings})
    for (const Setting& one : *part) set(given, one);
  const std::vector<config::Override> of_gpu = resolve(experiment, workload.name, given, point);
  if (choice.excluded || !belongs(experiment, point)) return std::nullopt;
  try {
    point.gpu = config::read_gpu(gpu.root, of_gpu, gpu.default_name);
  } catch (const InputError& error) {
    const std::string where = point.swept.empty() ? "" : fmt::format("point {}: ", point.label());
    throw InputError(where + error.what());
  }
  point.workload = workload.path;
  for (const Reference& reference : workload.references)
    for (const Settings& own : combinations(reference.settings))
      add_reference(
          point, reference_point(experiment, reference, reference.gpu ? experiment.reference_gpus[*reference.gpu] : gpu,
                                 given, own));
  return point;
}

}  // namespace

std::vector<Point> expand(const Experiment& experiment) {
  std::size_t count = 1;
  for (const Axis& axis : experiment.axes) {
    count *= axis.values.size();
    if (count > 1'000'000) throw InputError(SourceLocation{experiment.file, 0, 0}, "more than a million points");
  }
  std::vector<Point> points;
  for (const Settings& swept : combinations(experiment.axes))
    if (auto point = point_at(experiment, swept)) points.push_back(std::move(*point));
  if (points.empty() && experiment.only)
    throw InputError(experiment.only->where, "no combination of the swept values meets this");
  if (points.empty()) throw InputError(SourceLocation{experiment.file, 0, 0}, "no variant has points at this workload");
  return points;
}

}  // namespace lockstep::experiment
