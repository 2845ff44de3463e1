#pragma once
// The values of swept paths.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/value.hpp"

namespace lockstep::experiment {

/// The values that a path takes: a list, one value, or a range {from: A, to: B}, with `step: S` (1 where it is not said) or
/// `times: F`, both ends included where they are reached. InputError.
std::vector<config::Value> swept_values(const config::Value& value);

/// Several paths that take values together: "args.width, args.height: [[256, 64], [512, 32]]".
struct ZippedPaths {
  /// Of each path the different values, in order.
  std::vector<std::pair<std::string, std::vector<config::Value>>> axes;
  std::string condition;  ///< That holds for the listed combinations alone, over names of arguments.
};
inline bool is_zipped(std::string_view key) {
  return key.find(',') != std::string_view::npos;
}
/// InputError: it is no list of lists with a number for each path, or a path is no argument.
ZippedPaths zipped_paths(const config::Value& key, const config::Value& rows);

}  // namespace lockstep::experiment
