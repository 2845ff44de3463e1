// Launches and their kernel arguments.

#include "sim/workload/reader/reader.hpp"

#include <algorithm>

namespace lockstep::workload {

namespace {

const std::vector<std::string> launch_keys{"kernel",    "graph",       "entry",      "grid",   "block", "shared",
                                           "registers", "cooperative", "parameters", "repeat", "when"};
const std::vector<std::string> group_keys{"launches", "repeat", "when", "until", "at_most"};

/// A reference has no graph, no scratchpad memory, no time and no host.
const std::vector<std::string> reference_launch_keys{"kernel", "entry", "grid", "block", "parameters", "repeat"};
const std::vector<std::string> reference_group_keys{"launches", "repeat"};

/// Whether an entry of a list of launches, or one in it, has a step of a host.
bool has_host(const config::Value& entry) {
  for (const char* key : {"read", "when", "until"})
    if (entry.find(key) != nullptr) return true;
  const config::Value* launches = entry.find("launches");
  return launches != nullptr && std::any_of(launches->items.begin(), launches->items.end(), has_host);
}

}  // namespace

std::vector<LaunchSpec> Reader::read_launches(const Value& map) {
  const Value* launches = map.find("launches");
  if (launches == nullptr) {
    if (map.find("kernel") == nullptr && map.find("graph") == nullptr) {
      spoil(map.where, "a launch descriptor needs a 'kernel', a 'graph', or 'launches'");
    }
    return {read_launch(map, map, false)};
  }
  if (launches->kind != Value::Kind::list || launches->items.empty()) {
    spoil(launches->where, "'launches' is a list of launches");
  }
  if (const Value* repeat = map.find("repeat")) note(repeat->where, "'repeat' belongs into a launch of the list");
  std::vector<LaunchSpec> result;
  refuses_elements_ = &map == &root_ && has_host(map);
  for (const Value& item : launches->items) part([&] { result.push_back(read_launch(item, map, false)); });
  refuses_elements_ = false;
  return result;
}

LaunchSpec Reader::read_launch(const Value& map, const Value& shared_by_all, bool repeated) {
  as_map(map, "a launch");
  LaunchSpec launch;
  launch.where = map.where;
  const bool in_list = &map != &shared_by_all, may_have_host = &shared_by_all == &root_;
  if (in_list && may_have_host && map.find("read") != nullptr) return read_host_step(map);
  const Value* sequence = in_list ? map.find("launches") : nullptr;
  if (in_list) {
    check_keys(map, sequence != nullptr ? (may_have_host ? group_keys : reference_group_keys)
                                        : (may_have_host ? launch_keys : reference_launch_keys));
  }
  if (const Value* when = in_list ? map.find("when") : nullptr) part([&] { launch.when = host_expression(*when); });
  if (const Value* repeat = map.find("repeat")) part([&] { launch.repeat = expression(*repeat); });
  const bool names_iteration =
      repeated || launch.repeat.has_value() || (sequence != nullptr && map.find("until") != nullptr);
  const std::size_t locals = local_.size();
  if (names_iteration) local_.emplace_back("iteration");
  part([&] {
    if (sequence != nullptr) {
      if (sequence->kind != Value::Kind::list || sequence->items.empty()) {
        spoil(sequence->where, "'launches' is a list of launches");
      }
      for (const Value& item : sequence->items) {
        part([&] { launch.sequence.push_back(read_launch(item, shared_by_all, names_iteration)); });
      }
      read_until(map, launch);
      return;
    }
    // What a launch of the list leaves out stands where the list stands.
    const auto find = [&](std::string_view key) {
      const Value* own = map.find(key);
      return own != nullptr ? own : shared_by_all.find(key);
    };
    const auto find_needed = [&](std::string_view key) -> const Value& {
      if (const Value* found = find(key)) return *found;
      spoil(map.where, fmt::format("the launch has no '{}'", key));
    };
    const auto single = [&](const Value& value) { return expression(value); };
    const auto size = [&](const Value& value) {
      if (value.kind != Value::Kind::list) return SizeSpec{selected<LocatedExpression>(value, single)};
      if (value.items.empty() || value.items.size() > 3)
        spoil(value.where, "a size is one number, or a list [x, y, z] of up to three");
      SizeSpec sizes;
      for (const Value& item : value.items) part([&] { sizes.push_back(selected<LocatedExpression>(item, single)); });
      if (sizes.size() < value.items.size()) throw Spoilt{};
      return sizes;
    };
    const Value *kernel = find("kernel"), *graph = find("graph");
    if (graph != nullptr) {
      part([&] { launch.graph = selected<GraphSpec>(*graph, [&](const Value& value) { return read_graph(value); }); });
      local_.emplace_back("copies");
    }
    part([&] {
      if (kernel == nullptr && graph != nullptr) return;
      launch.kernel = selected<FileSpec>(find_needed("kernel"), [&](const Value& value) { return file(value); });
    });
    part([&] { launch.grid = selected<SizeSpec>(find_needed("grid"), size); });
    if (kernel == nullptr && graph != nullptr) {
      for (const char* key : {"entry", "block", "parameters", "registers", "cooperative"}) {
        if (const Value* own = map.find(key)) {
          note(own->where, fmt::format("'{}' belongs to a kernel, but this launch has only a graph", key));
        }
      }
    } else {
      part([&] { launch.block = selected<SizeSpec>(find_needed("block"), size); });
    }
    if (const Value* entry = find("entry")) {
      part([&] { launch.entry = selected<std::string>(*entry, [&](const Value& value) { return text(value); }); });
    }
    if (const Value* shared = find("shared")) {
      part([&] { launch.shared = selected<LocatedExpression>(*shared, single); });
    }
    if (const Value* registers = find("registers")) {
      part([&] { launch.registers = selected<LocatedExpression>(*registers, single); });
    }
    if (const Value* cooperative = find("cooperative")) {
      part([&] {
        launch.cooperative = selected<std::string>(*cooperative, [&](const Value& value) {
          if (value.text != "true" && value.text != "false") spoil(value.where, "'cooperative' is true or false");
          return value.text;
        });
      });
    }
    const Value* parameters = find("parameters");
    if (parameters == nullptr) {
      launch.parameters.alternatives.emplace_back();
      return;
    }
    launch.where_parameters = parameters->where;
    part([&] {
      launch.parameters = selected<std::vector<Selected<ParameterSpec>>>(*parameters, [&](const Value& list) {
        if (list.kind != Value::Kind::list)
          spoil(list.where, "'parameters' is a list with one entry per kernel parameter");
        std::vector<Selected<ParameterSpec>> result;
        for (const Value& item : list.items) {
          part([&] {
            result.push_back(selected<ParameterSpec>(item, [&](const Value& value) { return read_parameter(value); }));
          });
        }
        if (result.size() < list.items.size()) throw Spoilt{};
        return result;
      });
    });
  });
  local_.resize(locals);
  return launch;
}

LaunchSpec Reader::read_host_step(const Value& map) {
  check_keys(map, {"read"});
  LaunchSpec step;
  step.where = map.where;
  const Value& values = *map.find("read");
  refuse_host_with_graph(values);
  if (values.kind != Value::Kind::map || values.entries.empty())
    spoil(values.where, "'read' is a map of names and values, such as {count: \"counters[0]\"}");
  for (const auto& entry : values.entries) {
    const std::string& name = entry.first.text;
    part([&] { step.reads.push_back({name, host_expression(entry.second)}); });
    if (std::find(host_.begin(), host_.end(), name) != host_.end()) continue;  // It is read once more.
    declare(entry.first);
    known_.pop_back();  // Known to what follows in the list, and nowhere else.
    host_.push_back(name);
  }
  if (step.reads.size() < values.entries.size()) throw Spoilt{};
  return step;
}

LocatedExpression Reader::host_expression(const Value& value) {
  refuse_host_with_graph(value);
  refuses_elements_ = false;
  std::optional<LocatedExpression> read;
  part([&] { read = expression(value); });
  refuses_elements_ = true;
  if (!read) throw Spoilt{};
  return std::move(*read);
}

void Reader::refuse_host_with_graph(const Value& value) {
  if (has_graph_)
    spoil(value.where, "a workload with a graph has no host that decides on launches ('read', 'when', 'until')");
}

void Reader::read_until(const Value& map, LaunchSpec& group) {
  const Value *until = map.find("until"), *at_most = map.find("at_most");
  if (until == nullptr) {
    if (at_most != nullptr) note(at_most->where, "'at_most' is the largest number of rounds of 'until'");
    return;
  }
  if (const Value* repeat = map.find("repeat"))
    note(repeat->where,
         "a group is repeated a number of times ('repeat') or until a condition holds ('until'), not both");
  part([&] { group.until = host_expression(*until); });
  if (at_most == nullptr) spoil(until->where, "'until' needs 'at_most', a number of rounds after which it is an error");
  part([&] { group.at_most = expression(*at_most); });
}

ParameterSpec Reader::read_parameter(const Value& value) {
  ParameterSpec parameter;
  parameter.where = value.where;
  switch (value.kind) {
    case Value::Kind::map: read_members(value, parameter); break;
    case Value::Kind::list:
      for (const Value& item : value.items) read_members(as_map(item, "a member of a structure"), parameter);
      break;
    default:
      for (std::size_t i = 0; i < result_.textures.size(); ++i) {
        if (result_.textures[i].name == value.text) parameter.texture = i;
      }
      if (!parameter.texture) parameter.value = expression(value);
  }
  return parameter;
}

void Reader::read_members(const Value& map, ParameterSpec& parameter) {
  if (map.entries.size() != 1) {
    spoil(map.where,
          "a structure is {TYPE: VALUE}, {TYPE: [VALUE, ...]}, or a list of those, such as {f32: [1, 2, 1]}");
  }
  const ElementType type = type_named(map.entries.front().first);
  for (LocatedExpression& value : expressions(map.entries.front().second)) {
    parameter.members.push_back({type, std::move(value)});
  }
}

}  // namespace lockstep::workload
