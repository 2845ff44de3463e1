#include "sim/config/tree_reader.hpp"

#include <fmt/format.h>

namespace lockstep::config {

void TreeReader::note(const SourceLocation& where, std::string_view message) {
  if (noted_.insert(fmt::format("{} {}", to_string(where), message)).second) diagnostics_.add(where, message);
}

void TreeReader::spoil(const SourceLocation& where, std::string_view message) {
  note(where, message);
  throw Spoilt{};
}

const Value& TreeReader::needed(const Value& map, std::string_view key) {
  if (const Value* value = map.find(key)) return *value;
  spoil(map.where, fmt::format("'{}' is missing here", key));
}

const Value& TreeReader::as_map(const Value& value, std::string_view what) {
  if (value.kind != Value::Kind::map) spoil(value.where, fmt::format("{} is a map of keys and values", what));
  return value;
}

std::string TreeReader::text(const Value& value) {
  if (value.kind != Value::Kind::scalar) spoil(value.where, "expected a single value");
  return value.text;
}

void TreeReader::check_keys(const Value& map, const std::vector<std::string>& known) {
  config::check_keys(map, known, diagnostics_);
}

std::vector<Value> TreeReader::items_of(const Value& value) {
  return value.kind == Value::Kind::list ? value.items : std::vector<Value>{value};
}

}  // namespace lockstep::config
