#pragma once
// A YAML file and what it extends, as one tree each.

#include <string>
#include <vector>

#include "sim/config/value.hpp"

namespace lockstep::config {

/// The file and all that it extends, the most general first, each without its `extends`. Errors as of load_yaml.
std::vector<Value> load_layers(const std::string& path);
/// Lays `over` over `base`: maps are merged key by key, anything else of `over` replaces the other's.
void merge(Value& base, Value over);

}  // namespace lockstep::config
