#pragma once
// A check as an experiment file states it; the format is described in configs/experiments/README.md.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/workload/expression/expression.hpp"

namespace lockstep::experiment {

/// A number picked from the points that match; of those that repeat each other, from their means.
struct CheckValue {
  enum class Pick : std::uint8_t {
    only,
    minimum,
    maximum,
    mean,
    geometric_mean,
    at_minimum,
    at_maximum,
    standard_deviation,  ///< Over the repetitions.
    computed
  };
  /// An axis and the values of it that belong.
  using Where = std::vector<std::pair<std::string, std::vector<std::string>>>;

  std::string name;
  Pick pick = Pick::only;
  Column column;   ///< Left out when computed.
  std::string of;  ///< Of at_minimum, at_maximum: the axis whose value is wanted.
  Where where;
  std::optional<workload::Expression> expression;  ///< Of computed: over the values before it.
  std::optional<double> published;
};

struct Check {
  std::string says, source;
  /// Axes: the condition must hold for each combination of their values; of those named, where there are any.
  CheckValue::Where for_each;
  std::vector<CheckValue> values;
  workload::Expression holds;
  SourceLocation holds_at;
  std::string deviates;  ///< Why it is known not to hold: then it is no failure that it does not.
  std::string yaml;      ///< The check as flow YAML, for effective.yaml.
};

}  // namespace lockstep::experiment
