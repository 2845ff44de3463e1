#pragma once
// An expression with its place in the descriptor. Internal to sim/workload.

#include <map>
#include <string>

#include "isa/error.hpp"
#include "sim/workload/expression/expression.hpp"

namespace lockstep::workload {

struct LocatedExpression {
  Expression expression;
  SourceLocation where;
};

/// Expressions by the key that they stand behind.
using Options = std::map<std::string, LocatedExpression, std::less<>>;

}  // namespace lockstep::workload
