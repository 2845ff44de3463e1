#pragma once
// All that results hold: the counters, as the parts of a GPU declare them (models/counter), and what is computed from them.
// Tables, JSON and `lockstep list stats` come from here.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu/counters.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::stats {

/// A raw count.
struct Statistic {
  std::string name;  ///< For example "sm.issue.slots".
  std::string unit;
  std::string text;
  std::function<std::uint64_t(const gpu::Counters&)> value;
  bool largest = false;  ///< The largest value that was seen, not a count.
};

/// All counts, in the order of results.
const std::vector<Statistic>& statistics();
/// Null when there is none of this name.
const Statistic* find_statistic(std::string_view name);

/// Something computed from the result of a replay; no value when it divides by zero.
struct Derived {
  std::string name;  ///< For example "bank_conflict_degree"; "derived.NAME" in table columns.
  std::string unit;
  std::string text;  ///< Says how it is computed.
  std::function<std::optional<double>(const gpu::GpuSpec&, const gpu::Result&)> value;
};

/// All derived statistics of a single replay, in the order of results.
const std::vector<Derived>& derived_statistics();
/// Null when there is none of this name (without "derived.").
const Derived* find_derived(std::string_view name);

}  // namespace lockstep::stats
