#pragma once
// What trace, info and replay say of kernels whose execution depended on the order of thread blocks.

#include <string>

#include "isa/trace/source.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::cli {

/// The field "order_dependences": an object per kernel, or null when the trace does not say.
void add_order_dependences(stats::JsonWriter& json, const trace::Source& source);

/// A line per kernel; empty when there is none.
std::string order_dependences_text(const trace::Source& source);

}  // namespace lockstep::cli
