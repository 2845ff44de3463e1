#pragma once
// What `replay --sample` says of itself.

#include <string>

#include "sim/gpu/simulation.hpp"
#include "sim/stats/json.hpp"
#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

/// InputError when what is asked for needs every thread block to be replayed.
void check_sampling(const ReplayArguments& arguments);
/// A line; "" when nothing was asked to be sampled.
std::string sampling_text(const gpu::Result& result);
/// The field "sampling", where something was asked to be sampled.
void add_sampling(stats::JsonWriter& json, const gpu::Result& result);

}  // namespace lockstep::cli
