#include "sim/config/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "isa/did_you_mean.hpp"

namespace lockstep::config {

std::string to_text(const Setting& setting) {
  if (const auto* text = std::get_if<std::string>(&setting)) return *text;
  if (const auto* whole = std::get_if<std::uint64_t>(&setting)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&setting)) return fmt::format("{}", *number);
  return std::get<bool>(setting) ? "true" : "false";
}

std::string Parameter::range() const {
  switch (type) {
    case Type::flag: return "true, false";
    case Type::whole: return fmt::format("{} to {}", minimum, maximum);
    case Type::number: return fmt::format("{} to {}", number_minimum, number_maximum);
    case Type::choice: return fmt::format("{}", fmt::join(choice_names(), ", "));
    case Type::text: return "text";
  }
  return "";
}

std::vector<std::string> Parameter::choice_names() const {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.push_back(choice.name);
  return names;
}

namespace {

/// {KERNEL: TEXT, otherwise: TEXT} as "KERNEL=TEXT TEXT".
std::string by_kernel_text(const Parameter& parameter, const Value& map) {
  constexpr std::string_view separators = " \t\n";
  std::string text, otherwise;
  for (const auto& [key, value] : map.entries) {
    const std::string& kernel = key.text;
    if (kernel.find_first_of(" \t\n=:") != std::string::npos)
      throw InputError(key.where, fmt::format("{}: '{}' is not a kernel's name", parameter.path, kernel));
    if (value.kind != Value::Kind::scalar || value.text.empty() ||
        value.text.find_first_of(separators) != std::string::npos)
      throw InputError(key.where, fmt::format("{}: '{}' needs one SPEC; a map here is {{KERNEL: SPEC, otherwise: "
                                              "SPEC}}, and within braces a SPEC with commas needs quotes",
                                              parameter.path, kernel));
    if (kernel == "otherwise") {
      otherwise = value.text;
    } else {
      text += fmt::format("{}={} ", kernel, value.text);
    }
  }
  text += otherwise;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

Setting Parameter::read(const Value& value) const {
  const auto refuse = [&] {
    const std::string measure = unit.empty() ? "" : " " + unit;
    return InputError(value.where, fmt::format("{} is {}, but must be {}{}", path, value.text, range(), measure));
  };
  switch (type) {
    case Type::flag: return value.as_bool();
    case Type::whole: {
      const std::int64_t whole = value.as_integer();
      if (whole < 0 || static_cast<std::uint64_t>(whole) < minimum || static_cast<std::uint64_t>(whole) > maximum) {
        throw refuse();
      }
      return static_cast<std::uint64_t>(whole);
    }
    case Type::number: {
      const double number = value.as_number();
      if (!(number >= number_minimum && number <= number_maximum)) throw refuse();
      return number;
    }
    case Type::choice: {
      const std::string name = value.as_string();
      const std::vector<std::string> names = choice_names();
      if (std::find(names.begin(), names.end(), name) != names.end()) return name;
      throw InputError(value.where, fmt::format("{} cannot be '{}'; it is one of {}{}", path, name, range(),
                                                did_you_mean_aside(name, names)));
    }
    case Type::text:
      if (by_kernel && value.kind == Value::Kind::map) return by_kernel_text(*this, value);
      if (by_kernel && value.text.starts_with('{'))
        return by_kernel_text(*this, parse_yaml(value.text, value.where.file));
      if (check) {
        try {
          check(value.as_string());
        } catch (const InputError& error) {
          throw InputError(value.where, fmt::format("{}: {}", path, error.text()));
        }
      }
      return value.as_string();
  }
  throw Bug("parameter without a type");
}

const std::set<std::string, std::less<>>& gpu_sections() {
  static const std::set<std::string, std::less<>> all = [] {
    std::set<std::string, std::less<>> paths;
    for (const Parameter& parameter : gpu_parameters()) {
      for (std::size_t dot = parameter.path.find('.'); dot != std::string::npos;
           dot = parameter.path.find('.', dot + 1)) {
        paths.insert(parameter.path.substr(0, dot));
      }
    }
    return paths;
  }();
  return all;
}

const Parameter* find_gpu_parameter(std::string_view path) {
  static const std::unordered_map<std::string_view, const Parameter*> all = [] {
    std::unordered_map<std::string_view, const Parameter*> by_path;
    for (const Parameter& parameter : gpu_parameters()) by_path.emplace(parameter.path, &parameter);
    return by_path;
  }();
  const auto found = all.find(path);
  return found == all.end() ? nullptr : found->second;
}

Override parse_override(const std::string& text) {
  Override result;
  result.value.where.file = "-s " + text;
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw InputError(result.value.where, "an override is written PATH=VALUE, for example sm.scratchpad.banks=16");
  }
  result.path = text.substr(0, equals);
  result.value.text = text.substr(equals + 1);
  result.value.kind = Value::Kind::scalar;
  return result;
}

}  // namespace lockstep::config
