// Buffers and variables.

#include "isa/did_you_mean.hpp"
#include "sim/workload/reader/kinds.hpp"
#include "sim/workload/reader/reader.hpp"

namespace lockstep::workload {

namespace {

struct ContentsKind {
  std::string_view key;
  BufferContents::Kind kind;
  std::vector<std::string> options;  ///< Besides "type".
};
const std::vector<ContentsKind>& contents_kinds() {
  using Kind = BufferContents::Kind;
  static const std::vector<ContentsKind> kinds{
      {"image", Kind::image, {"bits", "width", "height"}},
      {"raw", Kind::raw, {"length", "skip"}},
      {"zero", Kind::zero, {}},
      {"constant", Kind::constant, {"value"}},
      {"iota", Kind::iota, {"start", "step"}},
      {"random", Kind::random, {"seed", "min", "max"}},
      {"degenerate", Kind::degenerate, {"seed", "min", "max"}},
      {"equal_neighbours", Kind::equal_neighbours, {"run", "seed", "min", "max"}},
      {"values", Kind::values, {}},
      {"each", Kind::each, {"value"}},
      {"edge_points", Kind::edge_points, {"threshold", "bits", "width", "height"}},
  };
  return kinds;
}

}  // namespace

void Reader::declare_buffers(const Value& map) {
  for (const auto& entry : as_map(map, "'buffers'").entries) {
    declare(entry.first);
    for (const char* property : {".count", ".width", ".height"}) known_.push_back(entry.first.text + property);
    result_.buffers.push_back({entry.first.text, entry.first.where, {}});
  }
}

void Reader::read_buffer_contents(const Value& map, std::size_t first) {
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    part([&] {
      result_.buffers[first + i].contents =
          selected<BufferContents>(map.entries[i].second, [&](const Value& v) { return read_contents(v); });
    });
  }
}

BufferContents Reader::read_contents(const Value& value) {
  as_map(value, "a buffer");
  const ContentsKind* kind = kind_of(contents_kinds(), value);
  if (kind == nullptr) {
    spoil(value.where, fmt::format("a buffer needs exactly one of: {}", keys_of(contents_kinds())));
  }
  BufferContents contents;
  contents.kind = kind->kind;
  contents.where = value.where;
  std::vector<std::string> known = kind->options;
  known.emplace_back(kind->key);
  known.emplace_back("type");
  check_keys(value, known);
  const Value& main = *value.find(kind->key);
  if (kind->kind == BufferContents::Kind::each) {
    const Value& each = needed(value, "value");
    local_.emplace_back("i");
    part([&] { contents.values.push_back(expression(each)); });
    local_.pop_back();
    part([&] { contents.options.emplace("length", expression(main)); });
    if (const Value* type = value.find("type")) contents.type = type_named(*type);
    return contents;
  }
  contents.options = read_options(value, kind->options);
  switch (kind->kind) {
    case BufferContents::Kind::image:
      contents.type = ElementType::u16;
      contents.file = file(main);
      break;
    case BufferContents::Kind::raw: contents.file = file(main); break;
    case BufferContents::Kind::edge_points:
      contents.file = file(main);
      needed(value, "threshold");
      break;
    case BufferContents::Kind::values: contents.values = expressions(main); break;
    default: contents.options.emplace("length", expression(main));
  }
  if (kind->kind == BufferContents::Kind::constant || kind->kind == BufferContents::Kind::equal_neighbours) {
    needed(value, kind->options.front());
  }
  if (const Value* type = value.find("type")) contents.type = type_named(*type);
  return contents;
}

BufferContents Reader::read_variable(const Value& value) {
  const bool is_word = value.kind == Value::Kind::scalar && value.text == "initial";
  if (value.kind != Value::Kind::map && !is_word) {
    spoil(value.where,
          fmt::format("a variable is 'initial', or a map with exactly one of: initial, {}", keys_of(contents_kinds())));
  }
  if (is_word || value.find("initial") != nullptr) {
    BufferContents contents;
    contents.kind = BufferContents::Kind::initial;
    contents.where = value.where;
    if (!is_word) {
      check_keys(value, {"initial"});
      contents.type = type_named(*value.find("initial"));
    }
    return contents;
  }
  return read_contents(value);
}

Options Reader::read_options(const Value& map, const std::vector<std::string>& names) {
  Options options;
  for (const std::string& name : names) {
    if (const Value* option = map.find(name)) part([&] { options.emplace(name, expression(*option)); });
  }
  return options;
}

ElementType Reader::type_named(const Value& value) {
  if (const std::optional<ElementType> type = element_type_named(text(value))) return *type;
  spoil(value.where,
        fmt::format("'{}' is not an element type; there is: {}", value.text, fmt::join(element_type_names(), ", ")));
}

std::size_t Reader::buffer_index(const Value& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < result_.buffers.size(); ++i) {
    if (result_.buffers[i].name == name.text) return i;
    names.push_back(result_.buffers[i].name);
  }
  spoil(name.where, fmt::format("there is no buffer '{}'{}", name.text, did_you_mean(name.text, names)));
}

std::size_t Reader::memory_index(const Value& name) {
  for (std::size_t i = 0; i < result_.variables.size(); ++i) {
    if (result_.variables[i].name == name.text) return result_.buffers.size() + i;
  }
  return buffer_index(name);
}

}  // namespace lockstep::workload
