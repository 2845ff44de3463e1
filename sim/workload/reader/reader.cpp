#include "sim/workload/reader/reader.hpp"

#include <cctype>
#include <filesystem>

#include "isa/did_you_mean.hpp"

namespace lockstep::workload {

namespace {

/// A Scope without names: for values that must be constant.
class NoNames final : public Scope {
 public:
  Number value_of(std::string_view name) const override {
    throw NoValue{fmt::format("'{}' is a name; expected a constant", name)};
  }
  Number element(std::string_view name, std::int64_t) const override { return value_of(name); }
  std::vector<std::string> names() const override { return {}; }
};

bool is_identifier(const std::string& text, std::string_view extra) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || extra.find(c) != std::string_view::npos;
  });
}

std::string shown(const Number& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  return fmt::format("{}", std::get<double>(value));
}

bool below(const Number& a, const Number& b) {
  if (std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b)) {
    return std::get<std::int64_t>(a) < std::get<std::int64_t>(b);
  }
  const auto real = [](const Number& n) {
    const std::int64_t* whole = std::get_if<std::int64_t>(&n);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(n);
  };
  return real(a) < real(b);
}

/// Whether a launch, or what several launches share, has a graph.
bool names_graph(const config::Value& map) {
  if (map.find("graph") != nullptr) return true;
  const config::Value* launches = map.find("launches");
  return launches != nullptr && std::any_of(launches->items.begin(), launches->items.end(), names_graph);
}

/// Whether a name means something in the expressions of files with a graph.
bool is_name_of_graphs(std::string_view name) {
  constexpr std::string_view names[] = {"block", "copy", "copies", "scratchpad", "data_fifo", "address_fifo"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The files that parts of a tree stand in.
void add_files(const config::Value& value, std::vector<std::string>& files) {
  if (std::find(files.begin(), files.end(), value.where.file) == files.end()) files.push_back(value.where.file);
  for (const config::Value& item : value.items) add_files(item, files);
  for (const auto& entry : value.entries) add_files(entry.second, files);
}

}  // namespace

Number constant_of(const std::string& text) {
  try {
    const Number value = Expression(text).evaluate(NoNames());
    return value;
  } catch (const ExpressionError& error) {
    throw InputError(fmt::format("'{}' is not a number: {}", text, error.what()));
  }
}

Number number_argument(const ArgumentSpec& argument, const std::string& text) {
  const Number value = constant_of(text);
  if (std::holds_alternative<std::int64_t>(argument.default_value) && std::holds_alternative<double>(value)) {
    throw InputError(fmt::format("'{}' is {}; expected a whole number", text, shown(value)));
  }
  if (argument.minimum && below(value, *argument.minimum)) {
    throw InputError(fmt::format("{} is below the smallest value {}", text, shown(*argument.minimum)));
  }
  if (argument.maximum && below(*argument.maximum, value)) {
    throw InputError(fmt::format("{} is above the largest value {}", text, shown(*argument.maximum)));
  }
  return value;
}

Reader::Reader(const config::Value& root, std::string path) : root_(root), path_(std::move(path)) {}

Descriptor Reader::read() {
  part([&] {
    as_map(root_, "a launch descriptor");
    check_keys(root_, {"name",
                       "description",
                       "arguments",
                       "let",
                       "require",
                       "buffers",
                       "variables",
                       "textures",
                       "kernel",
                       "graph",
                       "entry",
                       "grid",
                       "block",
                       "shared",
                       "registers",
                       "parameters",
                       "repeat",
                       "launches",
                       "expect",
                       "pictures",
                       "instruction_limit",
                       "resident_blocks",
                       "cooperative",
                       "call_depth"});
    has_graph_ = names_graph(root_);
    result_.path = path_;
    add_files(root_, result_.files);
    result_.name = std::filesystem::path(path_).stem().string();
    if (const Value* name = root_.find("name")) part([&] { result_.name = text(*name); });
    if (const Value* description = root_.find("description")) part([&] { result_.description = text(*description); });

    // Names first: expressions may use those that stand further down.
    const Value* values = root_.find("let");
    const Value* buffers = root_.find("buffers");
    const Value* variables = root_.find("variables");
    const Value* textures = root_.find("textures");
    if (const Value* arguments = root_.find("arguments")) part([&] { read_arguments(*arguments); });
    add_built_in_arguments();
    if (has_graph_) known_.insert(known_.end(), {"data_fifo", "address_fifo"});
    if (values != nullptr) {
      part([&] {
        for (const auto& entry : as_map(*values, "'let'").entries) declare(entry.first);
      });
    }
    if (buffers != nullptr) {
      part([&] { declare_buffers(*buffers); });
    }
    if (variables != nullptr) {
      part([&] {
        for (const auto& entry : as_map(*variables, "'variables'").entries) {
          declare(entry.first, "$");
          known_.push_back(entry.first.text + ".count");
          result_.variables.push_back({entry.first.text, entry.first.where, {}});
        }
      });
    }
    if (textures != nullptr) {
      part([&] {
        for (const auto& entry : as_map(*textures, "'textures'").entries) {
          declare(entry.first);
          result_.textures.emplace_back();
          result_.textures.back().name = entry.first.text;
          result_.textures.back().where = entry.first.where;
        }
      });
    }

    if (values != nullptr && values->kind == Value::Kind::map) {
      for (const auto& entry : values->entries) {
        part([&] {
          result_.values.emplace_back(entry.first.text, selected<LocatedExpression>(entry.second, [&](const Value& v) {
                                        return expression(v);
                                      }));
        });
      }
    }
    if (const Value* requirements = root_.find("require")) {
      part([&] {
        if (requirements->kind != Value::Kind::list) {
          spoil(requirements->where, "'require' is a list of entries {that: CONDITION, message: TEXT}");
        }
        for (const Value& entry : requirements->items) {
          part([&] {
            check_keys(as_map(entry, "a requirement"), {"that", "message"});
            LocatedExpression condition = expression(needed(entry, "that"));
            result_.requirements.push_back({std::move(condition), text(needed(entry, "message"))});
          });
        }
      });
    }
    if (buffers != nullptr && buffers->kind == Value::Kind::map) read_buffer_contents(*buffers, 0);
    if (variables != nullptr && variables->kind == Value::Kind::map) {
      for (std::size_t i = 0; i < variables->entries.size(); ++i) {
        part([&] {
          result_.variables[i].contents =
              selected<BufferContents>(variables->entries[i].second, [&](const Value& v) { return read_variable(v); });
        });
      }
    }
    if (textures != nullptr && textures->kind == Value::Kind::map) {
      for (std::size_t i = 0; i < result_.textures.size(); ++i) {
        part([&] { read_texture(textures->entries[i].second, result_.textures[i]); });
      }
    }
    const auto read_number = [&](std::string_view key, std::optional<Selected<LocatedExpression>>& to) {
      const Value* given = root_.find(key);
      if (given == nullptr) return;
      part([&] { to = selected<LocatedExpression>(*given, [&](const Value& v) { return expression(v); }); });
    };
    read_number("instruction_limit", result_.instruction_limit);
    read_number("resident_blocks", result_.resident_blocks);
    read_number("call_depth", result_.call_depth);
    part([&] { result_.launches = read_launches(root_); });
    host_.clear();
    if (const Value* expect = root_.find("expect")) {
      part([&] {
        for (const auto& entry : as_map(*expect, "'expect'").entries) {
          part([&] { result_.expectations.push_back(read_expected_memory(entry.first, entry.second)); });
        }
      });
    }
    if (const Value* pictures = root_.find("pictures")) {
      part([&] {
        for (const auto& entry : as_map(*pictures, "'pictures'").entries) {
          part([&] { result_.pictures.push_back(read_picture(entry.first, entry.second)); });
        }
      });
    }
  });
  throw_if_any();
  return std::move(result_);
}

void Reader::declare(const Value& key, std::string_view extra) {
  if (!is_identifier(key.text, extra)) {
    note(key.where, fmt::format("'{}' is not a name: letters, digits and _ are possible, a letter first", key.text));
  } else if (key.text == "i" || key.text == "iteration" || (has_graph_ && is_name_of_graphs(key.text))) {
    note(key.where, fmt::format("the name '{}' has a meaning of its own in expressions", key.text));
  } else if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) {
    note(
        key.where,
        fmt::format("the name '{}' is used twice; arguments, values, buffers, variables and textures share their names",
                    key.text));
  }
  known_.push_back(key.text);
}

void Reader::read_arguments(const Value& map) {
  for (const auto& entry : as_map(map, "'arguments'").entries) {
    declare(entry.first);
    part([&] { result_.arguments.push_back(read_argument(entry.first, entry.second)); });
  }
}

void Reader::add_built_in_arguments() {
  ArgumentSpec hash;
  hash.name = software_hash_argument;
  hash.kind = ArgumentSpec::Kind::hash;
  hash.default_text = "mod";
  hash.text = "hash that the kernels themselves compute for every scratchpad address: a SPEC, or KERNEL=SPEC ... SPEC";
  ArgumentSpec banks;
  banks.name = software_hash_banks_argument;
  banks.default_text = "32";
  banks.default_value = std::int64_t{32};
  banks.minimum = std::int64_t{1};
  banks.maximum = std::int64_t{1024};
  banks.text = "banks that this hash is for, a power of two";
  for (ArgumentSpec& one : {std::ref(hash), std::ref(banks)}) {
    one.built_in = true;
    const auto declared = std::find_if(result_.arguments.begin(), result_.arguments.end(),
                                       [&](const ArgumentSpec& argument) { return argument.name == one.name; });
    if (declared == result_.arguments.end()) {
      if (std::find(known_.begin(), known_.end(), one.name) == known_.end()) known_.push_back(one.name);
      result_.arguments.push_back(std::move(one));
      continue;
    }
    note(declared->where,
         fmt::format("every workload has an argument '{}' already; -s args.{}=... sets it", one.name, one.name));
  }
}

ArgumentSpec Reader::read_argument(const Value& key, const Value& value) {
  ArgumentSpec argument;
  argument.name = key.text;
  argument.where = key.where;
  const bool is_short = value.kind == Value::Kind::scalar;
  if (!is_short) {
    check_keys(as_map(value, "an argument"), {"default", "text", "choices", "min", "max", "folder"});
    if (const Value* described = value.find("text")) argument.text = text(*described);
  }
  const Value& standard = is_short ? value : needed(value, "default");
  argument.default_text = text(standard);
  if (const Value* folder = value.find("folder")) {
    argument.kind = ArgumentSpec::Kind::file;
    argument.folder = beside(*folder);
  } else if (const Value* choices = value.find("choices")) {
    argument.kind = ArgumentSpec::Kind::choice;
    for (const Value& choice : choices->items) {
      argument.choices.emplace_back(text(choice), static_cast<std::int64_t>(argument.choices.size()));
    }
    for (const auto& choice : choices->entries)
      argument.choices.emplace_back(choice.first.text, choice.second.as_integer());
    if (argument.choices.empty()) spoil(choices->where, "'choices' is a list of names, or a map of names and numbers");
    std::vector<std::string> names;
    for (const auto& choice : argument.choices) {
      if (choice.first == "choose" || choice.first == "otherwise") {
        note(choices->where, fmt::format("no choice can be named '{}'", choice.first));
      }
      if (std::find(names.begin(), names.end(), choice.first) != names.end()) {
        note(choices->where, fmt::format("the choice '{}' appears twice", choice.first));
      }
      names.push_back(choice.first);
    }
    if (std::find(names.begin(), names.end(), argument.default_text) == names.end()) {
      note(standard.where,
           fmt::format("'{}' is not one of the choices {}", argument.default_text, fmt::join(names, ", ")));
    }
  } else {
    try {
      argument.default_value = constant_of(argument.default_text);
      if (const Value* minimum = value.find("min")) argument.minimum = constant_of(text(*minimum));
      if (const Value* maximum = value.find("max")) argument.maximum = constant_of(text(*maximum));
      number_argument(argument, argument.default_text);
    } catch (const InputError& error) {
      note(standard.where, fmt::format("argument {}: {}", argument.name, error.what()));
    }
  }
  if (argument.kind != ArgumentSpec::Kind::number) {
    for (const char* limit : {"min", "max"}) {
      if (const Value* found = value.find(limit)) note(found->where, "only a number has limits");
    }
  }
  return argument;
}

LocatedExpression Reader::expression(const Value& value) {
  if (value.kind != Value::Kind::scalar) spoil(value.where, "expected an expression, such as 4 * (bins + 1)");
  try {
    Expression parsed(value.text);
    for (const Expression::Use& use : parsed.uses()) {
      const auto is_used = [&](const BufferSpec& memory) { return memory.name == use.name; };
      const bool is_buffer = std::any_of(result_.buffers.begin(), result_.buffers.end(), is_used) ||
                             std::any_of(result_.variables.begin(), result_.variables.end(), is_used);
      std::vector<std::string> names = known_;
      names.insert(names.end(), local_.begin(), local_.end());
      names.insert(names.end(), host_.begin(), host_.end());
      if (std::find(names.begin(), names.end(), use.name) == names.end()) {
        if (std::find(nodes_.begin(), nodes_.end(), use.name) != nodes_.end()) {
          throw ExpressionError(use.position, fmt::format("'{}' is a node; expressions are evaluated before it has any "
                                                          "result",
                                                          use.name));
        }
        throw ExpressionError(use.position,
                              fmt::format("nothing is named '{}'{}", use.name, did_you_mean(use.name, names)));
      }
      if (use.indexed && !is_buffer) {
        throw ExpressionError(use.position, fmt::format("'{}' is not a buffer and has no elements", use.name));
      }
      if (use.indexed && refuses_elements_) {
        throw ExpressionError(use.position,
                              fmt::format("which value of {0}[...] is meant? Where a host decides on launches, "
                                          "they take names: {{read: {{NAME: \"{0}[...]\"}}}} before them",
                                          use.name));
      }
    }
    return {std::move(parsed), value.where};
  } catch (const ExpressionError& error) {
    spoil(value.where, fmt::format("\"{}\", character {}: {}", value.text, error.position() + 1, error.what()));
  }
}

std::vector<LocatedExpression> Reader::expressions(const Value& value) {
  std::vector<LocatedExpression> result;
  if (value.kind != Value::Kind::list) {
    result.push_back(expression(value));
    return result;
  }
  for (const Value& item : value.items) part([&] { result.push_back(expression(item)); });
  if (result.size() < value.items.size()) throw Spoilt{};
  return result;
}

FileSpec Reader::file(const Value& value) {
  FileSpec result;
  result.where = value.where;
  const std::string name = text(value);
  for (std::size_t i = 0; i < result_.arguments.size(); ++i) {
    const ArgumentSpec& argument = result_.arguments[i];
    if (argument.name == name && argument.kind == ArgumentSpec::Kind::file) {
      result.argument = i;
      return result;
    }
  }
  result.path = beside(value);
  return result;
}

std::string Reader::beside(const Value& value) {
  return (std::filesystem::path(value.where.file).parent_path() / text(value)).lexically_normal().string();
}

std::size_t Reader::choice_argument(const Value& name) {
  std::vector<std::string> possible;
  for (std::size_t i = 0; i < result_.arguments.size(); ++i) {
    if (result_.arguments[i].kind != ArgumentSpec::Kind::choice) continue;
    if (result_.arguments[i].name == name.text) return i;
    possible.push_back(result_.arguments[i].name);
  }
  spoil(name.where, fmt::format("expected an argument that has choices, found '{}'{}", name.text,
                                did_you_mean(name.text, possible)));
}

void Reader::check_choices(const Value& choose, std::size_t index) {
  const ArgumentSpec& argument = result_.arguments[index];
  std::vector<std::string> known{"choose", "otherwise"};
  for (const auto& choice : argument.choices) known.push_back(choice.first);
  check_keys(choose, known);
  if (choose.find("otherwise") != nullptr) return;
  for (const auto& choice : argument.choices) {
    if (choose.find(choice.first) == nullptr) {
      spoil(choose.where,
            fmt::format("there is nothing for {} = {}; add it, or 'otherwise'", argument.name, choice.first));
    }
  }
}

Descriptor read_descriptor(const std::string& path) {
  const config::Value root = config::load_yaml(path);
  return Reader(root, path).read();
}

}  // namespace lockstep::workload
