#pragma once
// What the readers of checks and figures share: they name the axes of an experiment and values of them.

#include <string_view>
#include <vector>

#include "sim/config/tree_reader.hpp"
#include "sim/experiment/checks/check_spec.hpp"
#include "sim/experiment/settings.hpp"

namespace lockstep::experiment {

/// Base of those readers. What it reads is checked against the axes.
class AxisReader : protected config::TreeReader {
 protected:
  AxisReader(const std::vector<Axis>& axes, config::ErrorList& errors) : TreeReader(errors), axes_(axes) {}

  const std::vector<Axis>& axes() const { return axes_; }
  /// Reports a name that is not an axis.
  void check_axis(const config::Value& name);
  /// A map from axes to values of them, under `key`.
  void read_where(const config::Value& map, CheckValue::Where& where, std::string_view key);

 private:
  const std::vector<Axis>& axes_;
};

}  // namespace lockstep::experiment
