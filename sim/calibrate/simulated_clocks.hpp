#pragma once
// What the first warp of a workload times itself, simulated; each workload is executed once for many GPUs.

#include <set>
#include <string>
#include <vector>

#include "sim/engine/worker_pool.hpp"
#include "sim/experiment/running/executions.hpp"
#include "sim/measurements/measurements.hpp"

namespace lockstep::calibrate {

using measurements::Measurement;

struct SimulatedClock {
  double cycles = 0;
  std::string problem;  ///< Why there is none.
};

class SimulatedClocks {
 public:
  SimulatedClocks(unsigned jobs, const trace::TraceLimits& limits);

  /// Keeps the executions of these measurements' workloads while it lives.
  class Kept {
   public:
    Kept(SimulatedClocks& clocks, const gpu::GpuSpec& spec, const std::vector<const Measurement*>& rows);
    ~Kept();
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

   private:
    SimulatedClocks& clocks_;
    std::vector<experiment::Task> tasks_;
  };

  std::vector<SimulatedClock> all(const gpu::GpuSpec& spec, const std::vector<const Measurement*>& rows);

  std::uint64_t simulations() const { return simulations_; }
  std::uint64_t executions() const { return executions_.executed(); }

 private:
  SimulatedClock one(const gpu::GpuSpec& spec, const Measurement& row);

  engine::WorkerPool workers_;
  /// Launches that have one thread block each: the other SMs have no part in them.
  std::set<const Measurement*> on_one_sm_;
  experiment::Executions executions_;
  std::uint64_t simulations_ = 0;
};

}  // namespace lockstep::calibrate
