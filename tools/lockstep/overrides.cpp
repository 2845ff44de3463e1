#include "tools/lockstep/commands.hpp"

namespace lockstep::cli {

std::vector<config::Override> parse_overrides(const Common& common) {
  std::vector<config::Override> overrides;
  Diagnostics diagnostics;
  for (const std::string& text : common.overrides) {
    try {
      overrides.push_back(config::parse_override(text));
    } catch (const InputError& error) {
      diagnostics.add(error);
    }
  }
  diagnostics.throw_if_any();
  return overrides;
}

DividedOverrides divide_overrides(const Common& common) {
  constexpr std::string_view prefix = "args.";
  DividedOverrides divided;
  for (config::Override& one : parse_overrides(common)) {
    if (one.path.starts_with(prefix)) {
      divided.arguments.emplace_back(one.path.substr(prefix.size()), one.value.text);
    } else {
      divided.parameters.push_back(std::move(one));
    }
  }
  return divided;
}

void refuse_overrides(const Common& common, const std::string& reason) {
  Diagnostics diagnostics;
  for (const std::string& text : common.overrides) diagnostics.add({"-s " + text, 0, 0}, reason);
  diagnostics.throw_if_any();
}

}  // namespace lockstep::cli
