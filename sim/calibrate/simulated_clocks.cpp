#include "sim/calibrate/simulated_clocks.hpp"

#include <algorithm>

#include "sim/experiment/running/measure.hpp"

namespace lockstep::calibrate {

namespace {

experiment::Run run_of(const gpu::GpuSpec& spec, const Measurement& row) {
  experiment::Run run;
  run.gpu = spec;
  run.workload = row.workload;
  run.arguments = row.settings;
  run.where = row.where;
  return run;
}

bool has_single_blocks(const exec::Task& task) {
  return std::all_of(task.launches.begin(), task.launches.end(), [](const exec::KernelLaunch& launch) {
    return std::all_of(launch.grid.begin(), launch.grid.end(), [](std::uint32_t blocks) { return blocks == 1; });
  });
}

/// From the first read to the second by the first warp of the last launch that times something; `reads` in the order of
/// gpu::Options::clock_reads.
SimulatedClock first_interval(const std::vector<gpu::ClockRead>& reads) {
  for (std::size_t i = reads.size(); i-- > 1;) {
    if (reads[i].launch != reads.back().launch) break;
    const gpu::ClockRead &start = reads[i - 1], &stop = reads[i];
    const bool first = i == 1 || reads[i - 2].launch != start.launch;
    if (first && stop.launch == start.launch && stop.thread_block == start.thread_block && stop.warp == start.warp)
      return {static_cast<double>(stop.cycle - start.cycle), ""};
  }
  return {0, "its first warp does not read the clock twice"};
}

}  // namespace

SimulatedClocks::SimulatedClocks(unsigned jobs, const trace::TraceLimits& limits)
    : workers_(jobs), executions_(limits, false) {}

SimulatedClocks::Kept::Kept(SimulatedClocks& clocks, const gpu::GpuSpec& spec,
                            const std::vector<const Measurement*>& rows)
    : clocks_(clocks) {
  for (const Measurement* row : rows) {
    try {
      const experiment::Run run = run_of(spec, *row);
      tasks_.push_back(clocks_.executions_.task(run, run.arguments));
      const experiment::Task& task = tasks_.back();
      const auto built = clocks_.executions_.workload(task.workload).build(task.arguments, &task.fabric);
      if (has_single_blocks(*built)) clocks_.on_one_sm_.insert(row);
    } catch (const InputError&) {
      // Its simulation says what is wrong.
    }
  }
  // Two uses each, so that the execution is kept until both are done.
  for (const experiment::Task& task : tasks_)
    for (int use = 0; use < 2; ++use) clocks_.executions_.expect(task);
}

SimulatedClocks::Kept::~Kept() {
  for (const experiment::Task& task : tasks_) {
    clocks_.executions_.done(task);
    clocks_.executions_.done(task);
  }
}

std::vector<SimulatedClock> SimulatedClocks::all(const gpu::GpuSpec& spec,
                                                 const std::vector<const Measurement*>& rows) {
  std::vector<SimulatedClock> clocks(rows.size());
  workers_.for_each(rows.size(), [&](std::size_t i) { clocks[i] = one(spec, *rows[i]); });
  simulations_ += rows.size();
  return clocks;
}

SimulatedClock SimulatedClocks::one(const gpu::GpuSpec& spec, const Measurement& row) {
  std::vector<gpu::ClockRead> reads;
  experiment::MeasureOptions options;
  options.replay.clock_reads = &reads;
  options.fingerprint = false;
  experiment::Run run = run_of(spec, row);
  if (on_one_sm_.contains(&row)) run.gpu.sms = 1;
  const experiment::PointResult result = experiment::measure(run, executions_, options);
  if (result.status != experiment::Status::done) return {0, result.message};
  return first_interval(reads);
}

}  // namespace lockstep::calibrate
