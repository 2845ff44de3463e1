#pragma once
// What is written of a replay over time: --timeline, --konata and --series.

#include <optional>

#include "sim/gpu/simulation.hpp"
#include "sim/timeline/history.hpp"
#include "sim/timeline/series.hpp"
#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

class Observation {
 public:
  /// InputError when an option asks for what there is not. Both outlive the observation.
  Observation(const ObservationArguments& arguments, const gpu::GpuSpec& spec);
  Observation(const Observation&) = delete;  // The replay keeps its address.
  Observation& operator=(const Observation&) = delete;

  /// Asks a replay to write down what is needed; the observation outlives it.
  void observe(gpu::Options& options);
  /// What the user should know of a file that shows nothing; "": nothing.
  std::string note() const;
  /// Writes the files.
  void write(const trace::Header& header, const gpu::Result& result) const;

 private:
  void take(const gpu::Sample& sample);

  const ObservationArguments& arguments_;
  const gpu::GpuSpec& spec_;
  timeline::Events events_;
  Cycle series_from_ = 0, series_to_ = never;  ///< Of the intervals.
  std::optional<timeline::Series> series_;
};

}  // namespace lockstep::cli
