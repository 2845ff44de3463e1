#pragma once
// Parameters with their texts, written as the nested maps of a GPU's file.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::config {

/// A line for each path, in the order given, below the lines of its sections; what follows the name is as it is given.
std::string nested_yaml(const std::vector<std::pair<std::string, std::string>>& lines);
/// A text as YAML reads it back, in quotes where it needs them.
std::string yaml_text(std::string_view text);

}  // namespace lockstep::config
