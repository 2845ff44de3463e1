#pragma once
// Maps of which exactly one key says what they are. Internal to sim/workload.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/value.hpp"

namespace lockstep::workload {

/// The keys, for messages.
template <typename Kinds>
std::string keys_of(const Kinds& kinds) {
  std::vector<std::string_view> keys;
  for (const auto& kind : kinds) keys.push_back(kind.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

/// The one kind whose key `map` has; null when there is none or more than one.
template <typename Kinds>
auto kind_of(const Kinds& kinds, const config::Value& map) -> decltype(&kinds.front()) {
  decltype(&kinds.front()) found = nullptr;
  for (const auto& kind : kinds) {
    if (map.find(kind.key) == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = &kind;
  }
  return found;
}

}  // namespace lockstep::workload
