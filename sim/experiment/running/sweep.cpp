#include "sim/experiment/running/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "sim/engine/worker_pool.hpp"
#include "sim/experiment/running/measure.hpp"
#include "sim/experiment/running/memory_budget.hpp"
#include "sim/experiment/running/settle_hashes.hpp"
#include "sim/experiment/running/time_left.hpp"

namespace lockstep::experiment {

namespace {

using Clock = std::chrono::steady_clock;

/// One thing for a thread to do.
struct Piece {
  std::optional<Task> execute = {};  ///< For the runs that need it; or
  std::size_t run = 0;               ///< a run.
  std::size_t number = 0;            ///< Of those taken.
};

/// Runs whose hashes in software may come to the same one, so that they share an execution which is known only then.
struct Siblings {
  std::size_t unsettled = 0;
  std::map<std::string, Task> held;  ///< Kept for those that are not settled.
};

/// A run in the sweep.
struct State {
  std::vector<Task> tasks;  ///< Announced uses, known from the start; a task may be there twice.
  std::size_t waiting = 0;  ///< Of the shared ones: not executed yet.
  Siblings* siblings = nullptr;
  double fraction = 0;
  std::uint64_t warp_instructions = 0;
};

class Sweep {
 public:
  Sweep(const std::vector<const Run*>& runs, Executions& executions, const SweepOptions& options,
        const Finished& finished)
      : runs_(runs),
        executions_(executions),
        options_(options),
        finished_call_(finished),
        states_(runs.size()),
        budget_(options.memory_bytes) {}

  std::uint64_t run() {
    for (std::size_t i = 0; i < runs_.size(); ++i) announce(i);
    for (std::size_t i = 0; i < runs_.size(); ++i) plan(i);
    workers_ = static_cast<unsigned>(std::min<std::size_t>(std::max(1U, options_.jobs), runs_.size()));
    expect_time();
    engine::WorkerPool(workers_).for_each(workers_, [this](std::size_t) { work(); });
    if (error_) std::rethrow_exception(error_);
    std::uint64_t instructions = 0;
    for (const State& state : states_) instructions += state.warp_instructions;
    return instructions;
  }

 private:
  /// Tells the executions what the run will need.
  void announce(std::size_t index) {
    const Run& run = *runs_[index];
    State& state = states_[index];
    if (run.workload.empty()) return;
    try {
      state.tasks = tasks_of_hashes(run, executions_);
      if (!arguments_wait_for_hash(run)) {
        state.tasks.push_back(executions_.task(run, run.arguments));
      } else {
        state.siblings = &siblings_[sibling_key(run)];
        ++state.siblings->unsettled;
      }
    } catch (const InputError&) {
      state.tasks.clear();  // The run itself meets it again, and says so.
    }
    for (const Task& task : state.tasks) executions_.expect(task);
  }

  /// Workload, and arguments with any hash in software left out.
  std::string sibling_key(const Run& run) {
    workload::ArgumentOverrides plain;
    for (const auto& argument : run.arguments)
      if (argument.first != workload::software_hash_argument) plain.push_back(argument);
    return executions_.task(run, plain).key;
  }

  void expect_time() {
    std::vector<std::string> executions;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      executions.push_back(states_[i].tasks.empty() ? runs_[i]->workload : states_[i].tasks.back().key);
    time_left_.emplace(executions, workers_);
    for (const Piece& piece : pieces_)
      if (piece.execute) time_left_->expect_execution(piece.execute->key);
  }

  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Puts the run, or what it waits for, into the order of work.
  void plan(std::size_t index) {
    State& state = states_[index];
    std::set<std::string> own;
    for (const Task& task : state.tasks) {
      if (!own.insert(task.key).second || !executions_.shared(task)) continue;
      const auto [waiting, is_new] = waiting_.try_emplace(task.key);
      if (is_new) pieces_.push_back({task});
      waiting->second.push_back(index);
      ++state.waiting;
    }
    if (state.waiting == 0) pieces_.push_back({std::nullopt, index});
  }

  /// The next piece of work: runs whose executions are there come first. Nothing when all is done or under way.
  std::optional<Piece> next() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (stop_) return std::nullopt;
      const bool any = !ready_.empty() || !pieces_.empty();
      if (!any && executing_ == 0) return std::nullopt;
      if (any && budget_.allows_one_more(under_way_.size())) return taken();
      changed_.wait(lock);
    }
  }

  Piece taken() {
    Piece piece;
    if (!ready_.empty()) {
      piece.run = ready_.front();
      ready_.pop_front();
    } else {
      piece = std::move(pieces_.front());
      pieces_.pop_front();
    }
    if (piece.execute) ++executing_;
    piece.number = pieces_taken_++;
    under_way_.insert(piece.number);
    return piece;
  }

  void work() {
    while (const std::optional<Piece> piece = next()) {
      try {
        piece->execute ? execute(*piece->execute) : run_one(*piece);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stop_ = true;
      }
      {
        const std::scoped_lock lock(mutex_);
        under_way_.erase(piece->number);
      }
      changed_.notify_all();
    }
  }

  void execute(const Task& task) {
    {
      const std::scoped_lock lock(mutex_);
      time_left_->begin_execution(task.key, now());
    }
    executions_.execution(task);
    const std::scoped_lock lock(mutex_);
    time_left_->end_execution(task.key, now());
    --executing_;
    for (const std::size_t index : waiting_.at(task.key))
      if (--states_[index].waiting == 0) ready_.push_back(index);
  }

  /// Keeps a piece from going on while the process is over its budget, unless it is the first of those under way.
  void wait_for_memory(std::size_t number) {
    if (options_.memory_bytes == 0) return;
    std::unique_lock lock(mutex_);
    const auto time = Clock::now();
    if (time - last_memory_check_ < std::chrono::milliseconds(50)) return;  // Each reads a file of the system.
    last_memory_check_ = time;
    while (!stop_ && *under_way_.begin() != number && !budget_.allows(under_way_.size())) changed_.wait(lock);
  }

  void run_one(const Piece& piece) {
    const std::size_t index = piece.run;
    {
      const std::scoped_lock lock(mutex_);
      time_left_->begin(index, now());
    }
    MeasureOptions measuring;
    measuring.fingerprint = options_.fingerprints;
    measuring.replay.threads = std::max(1U, options_.jobs / workers_);
    if (options_.progress || options_.memory_bytes != 0)
      measuring.replay.progress = [this, index, number = piece.number](std::uint64_t done, std::uint64_t all,
                                                                       std::uint64_t instructions) {
        report(index, all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), instructions, false);
        wait_for_memory(number);
      };
    std::optional<Task> known_late;
    measuring.settled = [&](const Task& task) {
      executions_.expect(task);
      known_late = task;
      settled(*states_[index].siblings, task);
      states_[index].siblings = nullptr;
    };
    PointResult result = measured(*runs_[index], measuring);
    if (known_late) executions_.done(*known_late);
    if (states_[index].siblings != nullptr) settled(*states_[index].siblings, std::nullopt);
    for (const Task& task : states_[index].tasks) executions_.done(task);
    report(index, 1, result.warp_instructions, true);
    const std::scoped_lock lock(finished_mutex_);
    finished_call_(index, std::move(result));
  }

  PointResult measured(const Run& run, const MeasureOptions& measuring) {
    if (!options_.bugs_are_results) return measure(run, executions_, measuring);
    try {
      return measure(run, executions_, measuring);
    } catch (const Bug& bug) {
      PointResult result;
      result.status = Status::bug;
      result.gpu = run.gpu.name;
      result.message = bug.what();
      return result;
    }
  }

  /// One of the siblings has come to its task, or to none: the execution is held until all have.
  void settled(Siblings& siblings, const std::optional<Task>& task) {
    std::map<std::string, Task> released;
    {
      const std::scoped_lock lock(mutex_);
      --siblings.unsettled;
      if (siblings.unsettled > 0 && task && siblings.held.emplace(task->key, *task).second) executions_.expect(*task);
      if (siblings.unsettled == 0) released.swap(siblings.held);
    }
    for (const auto& [key, held] : released) executions_.done(held);
  }

  void report(std::size_t index, double fraction, std::uint64_t instructions, bool finished) {
    const std::scoped_lock lock(mutex_);
    states_[index].fraction = fraction;
    states_[index].warp_instructions = instructions;
    if (finished) {
      ++finished_;
      time_left_->end(index, now());
    } else {
      time_left_->advance(index, fraction);
    }
    const auto time = Clock::now();
    if (!options_.progress || (!finished && time - last_report_ < std::chrono::milliseconds(100))) return;
    last_report_ = time;
    Progress progress;
    progress.runs = runs_.size();
    progress.finished = finished_;
    progress.seconds = now();
    progress.seconds_left = time_left_->seconds_left(progress.seconds);
    for (const State& state : states_) {
      progress.fraction += state.fraction / static_cast<double>(runs_.size());
      progress.warp_instructions += state.warp_instructions;
    }
    options_.progress(progress);
  }

  const std::vector<const Run*>& runs_;
  Executions& executions_;
  const SweepOptions& options_;
  const Finished& finished_call_;
  unsigned workers_ = 1;
  std::mutex finished_mutex_;  ///< Held while a run's end is told.

  std::mutex mutex_;  ///< Of what follows.
  std::condition_variable changed_;
  std::vector<State> states_;
  std::map<std::string, Siblings> siblings_;
  std::map<std::string, std::vector<std::size_t>> waiting_;  ///< Runs by the key of a shared task.
  std::deque<Piece> pieces_;
  std::deque<std::size_t> ready_;
  std::size_t executing_ = 0, finished_ = 0;
  MemoryBudget budget_;
  std::size_t pieces_taken_ = 0;
  std::set<std::size_t> under_way_;  ///< Numbers of pieces.
  bool stop_ = false;
  std::exception_ptr error_;
  Clock::time_point last_report_, last_memory_check_;
  std::optional<TimeLeft> time_left_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

std::uint64_t sweep(const std::vector<const Run*>& runs, Executions& executions, const SweepOptions& options,
                    const Finished& finished) {
  return Sweep(runs, executions, options, finished).run();
}

}  // namespace lockstep::experiment
