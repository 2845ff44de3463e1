#include "sim/experiment/runner.hpp"
#include "isa/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "sim/experiment/results/database.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/experiment/results/picture_files.hpp"
#include "sim/experiment/results/run_cache.hpp"
#include "sim/experiment/results/summary.hpp"
#include "sim/experiment/running/digest.hpp"
#include "sim/experiment/running/measure.hpp"

namespace lockstep::experiment {

namespace {

using Clock = std::chrono::steady_clock;

/// A point on its way: its runs among the distinct ones of all points, and those that are still to end.
struct Pending {
  std::size_t point = 0;
  std::vector<std::size_t> runs;  ///< Its own, then its references.
  std::size_t missing = 0;
};

class Runner {
 public:
  Runner(const Experiment& experiment, const std::vector<Point>& points, const RunOptions& options)
      : experiment_(experiment),
        points_(points),
        options_(options),
        executions_(options.traces),
        database_(Database::open(prepared(options.folder), experiment.name)),
        pictures_(options.folder, options.shard_of == nullptr ? points : *options.shard_of, executions_) {
    if (!options.cache.empty()) cache_.emplace(options.cache);
    executions_.when_executed([this](const Task& task, const workload::Workload& workload,
                                     const exec::Machine& machine) { write_pictures(task, workload, machine); });
  }

  RunOutcome run() {
    outcome_.results.resize(points_.size());
    take_over();
    store_plan(database_, experiment_, points_);
    done_ = outcome_.taken_over;
    tell_stored();
    // From here on the folder holds results of this experiment, also when the run is interrupted.
    write_whole_file((std::filesystem::path(options_.folder) / "effective.yaml").string(), effective_yaml(experiment_),
                     OutputFile::of_program);
    const auto start = Clock::now();
    SweepOptions sweeping;
    sweeping.jobs = options_.jobs;
    sweeping.memory_bytes = options_.memory_bytes;
    sweeping.progress = options_.progress;
    const std::vector<std::size_t> open = not_cached();
    std::vector<const Run*> to_run;
    for (const std::size_t run : open) to_run.push_back(runs_[run]);
    outcome_.warp_instructions = sweep(to_run, executions_, sweeping, [&](std::size_t index, PointResult result) {
      if (cache_) cache_->store(*to_run[index], result);
      finish(open[index], std::move(result));
    });
    if (cache_) cache_->trim(options_.cache_bytes);
    outcome_.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    outcome_.executions = executions_.executed();
    outcome_.pictures = pictures_.existing();
    if (options_.shard_of == nullptr) store_conclusions(database_, experiment_, points_, outcome_.results);
    return std::move(outcome_);
  }

 private:
  static std::string prepared(const std::string& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw ResourceError(fmt::format("{}: cannot create this folder: {}", folder, failed.message()));
    return (std::filesystem::path(folder) / "results.db").string();
  }

  /// Those of the points' own workloads, not of what they are compared with.
  void write_pictures(const Task& task, const workload::Workload& workload, const exec::Machine& machine) {
    if (!pictures_.has(task, workload)) return;
    for (const workload::Picture& picture : workload.pictures(task.arguments, machine, &task.fabric)) {
      const std::string path = pictures_.file(task, workload, picture.name);
      std::error_code failed;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
      if (failed) throw ResourceError(fmt::format("{}: cannot create its folder: {}", path, failed.message()));
      write_whole_file(path, workload::png_of(picture), OutputFile::of_program);
    }
  }

  /// Finds out which points are stored already; the others are planned.
  void take_over() {
    for (const std::string& damage : database_.remove_damaged())
      if (options_.message) options_.message(damage);
    std::vector<std::string> stale;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::string label = points_[i].label();
      auto stored = database_.find(label);
      const bool finished = stored && stored->result.status == Status::done;
      if (finished && stored->result.digest == point_digest(points_[i], executions_)) {
        outcome_.results[i] = std::move(stored->result);
        ++outcome_.taken_over;
        continue;
      }
      if (finished) stale.push_back(label);
      plan(i);
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

  /// The runs that the cache has not; the others end.
  std::vector<std::size_t> not_cached() {
    std::vector<std::size_t> open;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      auto found = cache_ && !leaves_pictures(*runs_[run]) ? cache_->find(*runs_[run], executions_) : std::nullopt;
      if (!found) {
        open.push_back(run);
        continue;
      }
      ++outcome_.cached_runs;
      finish(run, std::move(*found));
    }
    if (options_.message && outcome_.cached_runs > 0)
      options_.message(fmt::format("{} of {} runs taken from the cache {}; --no-cache computes them again",
                                   outcome_.cached_runs, runs_.size(), options_.cache));
    return open;
  }

  /// Then it is executed for them.
  bool leaves_pictures(const Run& run) {
    return run.workload.empty() || !executions_.workload(run.workload).picture_names().empty();
  }

  void plan(std::size_t point) {
    Pending pending;
    pending.point = point;
    pending.runs.push_back(index_of(points_[point]));
    for (const Point& reference : points_[point].references) pending.runs.push_back(index_of(reference));
    std::vector<std::size_t> distinct = pending.runs;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    pending.missing = distinct.size();
    for (const std::size_t run : distinct) waiting_[run].push_back(pending_.size());
    pending_.push_back(std::move(pending));
  }

  /// Among the distinct runs; equal ones are run once.
  std::size_t index_of(const Run& run) {
    const auto [place, is_new] = index_by_identity_.emplace(identity(run), runs_.size());
    if (is_new) {
      runs_.push_back(&run);
      waiting_.emplace_back();
      ended_.emplace_back();
    }
    return place->second;
  }

  /// A run has ended: points that have all of theirs are stored.
  void finish(std::size_t run, PointResult result) {
    ended_[run] = std::move(result);
    for (const std::size_t waiting : waiting_[run]) {
      Pending& pending = pending_[waiting];
      if (--pending.missing > 0) continue;
      std::vector<PointResult> references;
      for (std::size_t i = 1; i < pending.runs.size(); ++i) references.push_back(ended_[pending.runs[i]]);
      const Point& point = points_[pending.point];
      outcome_.results[pending.point] = with_references(point, ended_[pending.runs[0]], std::move(references));
      database_.store({point.label(), outcome_.results[pending.point], point.swept, program_digest()});
      if (outcome_.results[pending.point].status == Status::done) ++done_;
    }
    tell_stored();
  }

  void tell_stored() const {
    if (options_.stored) options_.stored(done_);
  }

  const Experiment& experiment_;
  const std::vector<Point>& points_;
  const RunOptions& options_;
  Executions executions_;
  Database database_;
  PictureFiles pictures_;
  std::optional<RunCache> cache_;
  RunOutcome outcome_;
  std::size_t done_ = 0;  ///< Of the points.
  std::vector<Pending> pending_;
  std::vector<const Run*> runs_;  ///< Distinct ones.
  std::map<std::string, std::size_t> index_by_identity_;
  std::vector<std::vector<std::size_t>> waiting_;  ///< Per run: points that need it, among pending_.
  std::vector<PointResult> ended_;                 ///< Per run.
};

}  // namespace

RunOutcome run(const Experiment& experiment, const std::vector<Point>& points, const RunOptions& options) {
  return Runner(experiment, points, options).run();
}

}  // namespace lockstep::experiment
