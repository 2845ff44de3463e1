#include "sim/experiment/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "sim/experiment/database.hpp"
#include "sim/experiment/output.hpp"

namespace lockstep::experiment {

namespace {

using Clock = std::chrono::steady_clock;

/// The threads' common state; everything behind `mutex` except `next`.
struct Shared {
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::vector<double> fraction;                  ///< Of each point to run.
  std::vector<std::uint64_t> warp_instructions;  ///< Of each point to run.
  std::size_t finished = 0;
  std::exception_ptr error;
  Clock::time_point last_report;
};

class Runner {
 public:
  Runner(const Experiment& experiment, const std::vector<Point>& points, const RunOptions& options)
      : experiment_(experiment),
        points_(points),
        options_(options),
        database_(Database::open(prepared(options.folder), experiment.name)) {}

  RunOutcome run() {
    outcome_.results.resize(points_.size());
    take_over();
    // From here on the folder holds results of this experiment, also when the run is interrupted.
    write_whole_file((std::filesystem::path(options_.folder) / "effective.yaml").string(), effective_yaml(experiment_));
    const auto start = Clock::now();
    shared_.fraction.resize(pending_.size());
    shared_.warp_instructions.resize(pending_.size());
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(std::max(1U, options_.jobs), pending_.size()));
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < workers; ++i) threads.emplace_back([this, workers] { work(workers); });
    threads.clear();
    if (shared_.error) std::rethrow_exception(shared_.error);
    outcome_.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    for (const std::uint64_t count : shared_.warp_instructions) outcome_.warp_instructions += count;
    return std::move(outcome_);
  }

 private:
  static std::string prepared(const std::string& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw ResourceError(fmt::format("{}: cannot create this folder: {}", folder, failed.message()));
    return (std::filesystem::path(folder) / "results.db").string();
  }

  /// Finds out which points are stored already; the others become `pending_`.
  void take_over() {
    std::vector<std::string> stale;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::string label = points_[i].label();
      auto stored = database_.find(label);
      const bool finished = stored && stored->result.status == Status::done;
      if (finished && stored->result.digest == point_digest(points_[i])) {
        outcome_.results[i] = std::move(stored->result);
        ++outcome_.taken_over;
        continue;
      }
      if (finished) stale.push_back(label);
      pending_.push_back(i);
    }
    if (!stale.empty() && options_.resume) {
      throw InputError(fmt::format(
          "{}: {} of {} points were computed with another configuration, workload or program, the first is {}; run "
          "without --resume to compute them anew",
          options_.folder, stale.size(), points_.size(), stale.front().empty() ? "the only one" : stale.front()));
    }
    if (options_.message && outcome_.taken_over > 0) {
      options_.message(fmt::format("{} of {} points taken over from {}/results.db", outcome_.taken_over, points_.size(),
                                   options_.folder));
    }
    if (options_.message && !stale.empty()) {
      options_.message(
          fmt::format("{} points are computed anew: configuration, workload or program changed", stale.size()));
    }
  }

  void work(unsigned workers) {
    while (!shared_.stop) {
      const std::size_t turn = shared_.next++;
      if (turn >= pending_.size()) return;
      const std::size_t index = pending_[turn];
      try {
        gpu::Options options;
        options.threads = std::max(1U, options_.jobs / workers);
        options.progress = [this, turn](std::uint64_t done, std::uint64_t all, std::uint64_t instructions) {
          report(turn, all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), instructions, false);
        };
        PointResult result = run_point(points_[index], options);
        std::uint64_t instructions = result.warp_instructions;
        for (const ReferenceResult& reference : result.references) instructions += reference.warp_instructions;
        {
          const std::lock_guard guard(shared_.mutex);
          database_.store({points_[index].label(), result});
          outcome_.results[index] = std::move(result);
        }
        report(turn, 1, instructions, true);
      } catch (...) {
        const std::lock_guard guard(shared_.mutex);
        if (!shared_.error) shared_.error = std::current_exception();
        shared_.stop = true;
      }
    }
  }

  void report(std::size_t turn, double fraction, std::uint64_t instructions, bool finished) {
    const std::lock_guard guard(shared_.mutex);
    shared_.fraction[turn] = fraction;
    shared_.warp_instructions[turn] = instructions;
    if (finished) ++shared_.finished;
    const auto now = Clock::now();
    if (!options_.progress || (!finished && now - shared_.last_report < std::chrono::milliseconds(100))) return;
    shared_.last_report = now;
    Progress progress;
    progress.points = pending_.size();
    progress.finished = shared_.finished;
    for (const double part : shared_.fraction) progress.fraction += part / static_cast<double>(pending_.size());
    for (const std::uint64_t count : shared_.warp_instructions) progress.warp_instructions += count;
    options_.progress(progress);
  }

  const Experiment& experiment_;
  const std::vector<Point>& points_;
  const RunOptions& options_;
  Database database_;
  RunOutcome outcome_;
  std::vector<std::size_t> pending_;
  Shared shared_;
};

}  // namespace

RunOutcome run(const Experiment& experiment, const std::vector<Point>& points, const RunOptions& options) {
  return Runner(experiment, points, options).run();
}

}  // namespace lockstep::experiment
