#include "sim/config/tree_reader.hpp"

#include <fmt/format.h>

namespace lockstep::config {

void TreeReader::note(const SourceLocation& where, std::string_view message) {
  errors_.add(where, message);
}

void TreeReader::spoil(const SourceLocation& where, std::string_view message) {
  note(where, message);
  throw Spoilt{};
}

const Value& TreeReader::needed(const Value& map, std::string_view key, std::string_view what) {
  if (const Value* value = map.find(key)) return *value;
  spoil(map.where, fmt::format("there is no '{}'{}{}", key, what.empty() ? "" : ": ", what));
}

const Value& TreeReader::as_map(const Value& value, std::string_view what) {
  if (value.kind != Value::Kind::map) spoil(value.where, fmt::format("{} is a map of keys and values", what));
  return value;
}

std::string TreeReader::text(const Value& value) {
  if (value.kind != Value::Kind::scalar) spoil(value.where, "expected a single value");
  return value.text;
}

std::string TreeReader::text_or(const Value& map, std::string_view key, std::string otherwise) {
  if (const Value* value = map.find(key); !is_empty(value)) part([&] { otherwise = value->as_string(); });
  return otherwise;
}

void TreeReader::check_keys(const Value& map, const std::vector<std::string>& known) {
  config::check_keys(map, known, diagnostics());
}

std::vector<Value> TreeReader::items_of(const Value& value) {
  return value.kind == Value::Kind::list ? value.items : std::vector<Value>{value};
}

}  // namespace lockstep::config
