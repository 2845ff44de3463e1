#pragma once
// What could make a kernel faster: one limit of the machine lifted, or one thing about the kernel or its launch changed, each
// as a replay of the same trace on another machine.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"
#include "sim/explain/line_costs.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::explain {

/// A replay with one thing changed.
struct Remedy {
  enum class Kind : std::uint8_t {
    change,  ///< Of the kernel, its launch or a setting: can be made.
    limit    ///< Of the machine, lifted: what it costs at most.
  };
  std::string name;  ///< For example "no-bank-conflicts".
  Kind kind = Kind::limit;
  std::string text;  ///< A line for people.
  gpu::GpuSpec spec;
  /// The trace of the changed kernel; null: the same trace.
  std::function<std::unique_ptr<trace::Source>(std::unique_ptr<trace::Source>)> source = nullptr;
};

/// Those that could have an effect on what the replay `result` on `spec` has counted. `hashes`: SPECs of bank hashes to try
/// besides the usual ones.
std::vector<Remedy> remedies(const gpu::GpuSpec& spec, const trace::Header& header, const gpu::Result& result,
                             const std::vector<LineCosts>& lines, const std::vector<std::string>& hashes);

}  // namespace lockstep::explain
