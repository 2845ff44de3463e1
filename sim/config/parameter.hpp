#pragma once
// The parameters of a GPU. Each is declared once, in gpu_parameters.cpp; reading YAML, `-s PATH=VALUE`, the effective
// configuration and `lockstep list params` all come from that declaration.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/config/value.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::config {

/// A parameter's value: flag, whole number, number, or text (also the name of a choice).
using Setting = std::variant<bool, std::uint64_t, double, std::string>;
/// As it is written in YAML and on the command line; a number is the shortest text that reads back as the same number.
std::string to_text(const Setting& setting);

struct Parameter {
  enum class Type : std::uint8_t { flag, whole, number, choice, text };
  std::string path;  ///< For example "sm.scratchpad.banks": nested maps in YAML.
  std::string unit;  ///< "" for plain counts and names.
  std::string text;  ///< One line: what it is.
  Type type = Type::whole;
  Setting default_value;
  std::uint64_t minimum = 0, maximum = 0;         ///< Of a whole number, both allowed.
  double number_minimum = 0, number_maximum = 0;  ///< Of a number, both allowed.
  struct Choice {
    std::string name, text;
  };
  std::vector<Choice> choices;  ///< Of a choice.
  /// Of a text: "TEXT" for all kernels, "KERNEL=TEXT ... TEXT", or the same as a map {KERNEL: TEXT, otherwise: TEXT}.
  bool by_kernel = false;
  /// Of a text, beyond what `type` says: throws InputError when it is wrong; none: any text will do.
  std::function<void(const std::string&)> check;
  std::function<Setting(const gpu::GpuSpec&)> get;  ///< Always holds the alternative that `type` says.
  std::function<void(gpu::GpuSpec&, const Setting&)> set;

  /// Converts and checks against the range; InputError says what would be right.
  Setting read(const Value& value) const;
  /// "1 to 64", "per_warp, per_block", ... for tables and messages.
  std::string range() const;
  std::vector<std::string> choice_names() const;
};

/// All parameters, in the order of the documentation.
const std::vector<Parameter>& gpu_parameters();
/// The paths of the sections that parameters lie in, such as "sm.scratchpad".
const std::set<std::string, std::less<>>& gpu_sections();
/// Null when there is none of this path.
const Parameter* find_gpu_parameter(std::string_view path);

/// A parameter that the user sets in addition to the file, by its whole path.
struct Override {
  std::string path;
  Value value;
};
/// From the text of one `-s PATH=VALUE`; messages about it name the option.
Override parse_override(const std::string& text);

/// Every parameter at its default.
gpu::GpuSpec default_gpu();
/// Reads configs/gpus/NAME.yaml or a file, then applies the overrides. All errors are reported together.
gpu::GpuSpec load_gpu(const std::string& name_or_path, const std::vector<Override>& overrides = {});
/// The same from a tree; `default_name` names the GPU when the tree does not.
gpu::GpuSpec read_gpu(const Value& root, const std::vector<Override>& overrides, const std::string& default_name);

/// Every parameter with its value, as a YAML file that load_gpu reads back to the same specification.
std::string effective_yaml(const gpu::GpuSpec& spec);
/// Path and value of every parameter, in order.
std::vector<std::pair<std::string, std::string>> effective_settings(const gpu::GpuSpec& spec);

/// Rules between parameters; `place` gives the location of a parameter's value for the messages.
void check_rules(const gpu::GpuSpec& spec, const std::function<SourceLocation(std::string_view path)>& place,
                 Diagnostics& diagnostics);

}  // namespace lockstep::config
