#include "sim/config/nested_yaml.hpp"

#include <fmt/format.h>

#include "sim/stats/json.hpp"

namespace lockstep::config {

namespace {

/// Text that YAML reads back as the same string without quotes.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "true" || text == "false" || text == "null") return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9' && &c != text.data())) return false;
  }
  return true;
}

}  // namespace

std::string yaml_text(std::string_view text) {
  return is_plain(text) ? std::string(text) : stats::json_string(text);
}

std::string nested_yaml(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::string yaml;
  std::vector<std::string> open;  // sections that the last line was in
  for (const auto& [path, text] : lines) {
    std::vector<std::string> parts;
    std::string_view rest = path;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      parts.emplace_back(rest.substr(0, dot));
      rest.remove_prefix(dot + 1);
    }
    std::size_t same = 0;
    while (same < parts.size() && same < open.size() && parts[same] == open[same]) ++same;
    for (std::size_t level = same; level < parts.size(); ++level) {
      yaml += fmt::format("{:{}}{}:\n", "", 2 * level, parts[level]);
    }
    yaml += fmt::format("{:{}}{}: {}\n", "", 2 * parts.size(), rest, text);
    open = std::move(parts);
  }
  return yaml;
}

}  // namespace lockstep::config
