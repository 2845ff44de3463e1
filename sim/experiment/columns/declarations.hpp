#pragma once
// Where columns are declared. Internal to this folder.

#include <vector>

#include "sim/experiment/columns/column.hpp"

namespace lockstep::experiment {

/// All of columns(), made once.
std::vector<Column> declared_columns();

}  // namespace lockstep::experiment
