#pragma once

#include <vector>

#include "sim/config/error_list.hpp"
#include "sim/experiment/columns/column.hpp"

namespace lockstep::experiment {

/// The columns of a 'table' in an experiment with these axes. Where none shows a swept path, all of them stand before the others:
/// rows could not be told apart. What is wrong is added to `errors`.
std::vector<TableColumn> read_columns(const config::Value& table, const std::vector<Axis>& axes,
                                      config::ErrorList& errors);
/// Those of an experiment without a table: the axes, time, and what is `compared` with.
struct Compared {
  bool reference = false, baseline = false;
};
std::vector<TableColumn> usual_columns(const std::vector<Axis>& axes, const Compared& compared);

}  // namespace lockstep::experiment
