#include "sim/config/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/did_you_mean.hpp"
#include "sim/config/layers.hpp"

namespace lockstep::config {

namespace {

using Kind = Provenance::Kind;

constexpr std::array words{std::pair{std::string_view("published"), Kind::published},
                           std::pair{std::string_view("calibrated"), Kind::calibrated},
                           std::pair{std::string_view("assumed"), Kind::assumed}};

/// Whether a value of the section takes its provenance from the section.
bool is_covered(const Value::Entry& entry, const std::string& path) {
  return !is_provenance_word(entry.first.text) && path != "name" && entry.second.kind != Value::Kind::list;
}

/// `outer` is what an outer section says, or null. Returns how many values an outer section's statement covers.
std::size_t distribute(Value& map, const std::string& prefix, const Value::Entry* outer) {
  const auto is_statement = [](const Value::Entry& entry) { return is_provenance_word(entry.first.text); };
  const auto own = std::find_if(map.entries.begin(), map.entries.end(), is_statement);
  const bool one = std::count_if(map.entries.begin(), map.entries.end(), is_statement) == 1;
  const Value::Entry statement = one ? *own : Value::Entry{};
  const Value::Entry* covering = one ? &statement : outer;
  std::size_t covered = 0;
  for (Value::Entry& entry : map.entries) {
    const std::string path = prefix + entry.first.text;
    if (gpu_sections().contains(path)) {
      if (entry.second.kind == Value::Kind::map) covered += distribute(entry.second, path + ".", covering);
    } else if (covering != nullptr && is_covered(entry, path)) {
      Value said;
      said.kind = Value::Kind::map;
      said.where = covering->first.where;
      said.entries.push_back(*covering);
      Value both;
      both.kind = Value::Kind::list;
      both.where = entry.second.where;
      both.items = {std::move(entry.second), std::move(said)};
      entry.second = std::move(both);
      ++covered;
    }
  }
  if (one && covered > 0) map.entries.erase(std::find_if(map.entries.begin(), map.entries.end(), is_statement));
  return one ? 0 : covered;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::published: return "published";
    case Kind::calibrated: return "calibrated";
    case Kind::assumed: return "assumed";
    case Kind::unstated: return "unstated";
    case Kind::overridden: return "set on the command line";
    case Kind::default_value: return "default";
  }
  throw Bug("provenance without a name");
}

std::vector<std::string> provenance_words() {
  std::vector<std::string> all;
  for (const auto& [word, kind] : words) all.emplace_back(word);
  return all;
}

bool is_provenance_word(std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](const auto& known) { return known.first == word; });
}

void distribute_provenance(Value& root) {
  if (root.kind == Value::Kind::map) distribute(root, "", nullptr);
}

std::pair<Value, Provenance> split_provenance(const Value& value) {
  if (value.kind != Value::Kind::list) return {value, {Kind::unstated, "", value.where}};
  const std::string all = fmt::format("{}", fmt::join(provenance_words(), ", "));
  if (value.items.size() != 2 || value.items[1].kind != Value::Kind::map || value.items[1].entries.size() != 1)
    throw InputError(value.where,
                     fmt::format("a value with its provenance is [VALUE, WORD: TEXT], where WORD is one of {}", all));
  const auto& [word, text] = value.items[1].entries.front();
  const auto known = std::find_if(words.begin(), words.end(),
                                  [&named = word.text](const auto& candidate) { return candidate.first == named; });
  if (known == words.end())
    throw InputError(word.where, fmt::format("unknown provenance '{}'{}; it is one of {}", word.text,
                                             did_you_mean_aside(word.text, provenance_words()), all));
  if (text.kind != Value::Kind::scalar || text.text.find_first_not_of(' ') == std::string::npos)
    throw InputError(word.where, fmt::format("'{}' needs a text: the {}", word.text,
                                             known->second == Kind::published    ? "source"
                                             : known->second == Kind::calibrated ? "measurement"
                                                                                 : "reason"));
  return {value.items.front(), {known->second, text.text, value.items.front().where}};
}

Value load_gpu_tree(const std::string& path) {
  Value tree;
  for (Value& layer : load_layers(path)) {
    distribute_provenance(layer);
    merge(tree, std::move(layer));
  }
  return tree;
}

}  // namespace lockstep::config
