#pragma once
// How long a sweep still takes, from what its runs and executions have taken so far.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::experiment {

/// Runs of one execution take about as long as each other; of one that none has ended of, as long as those of the execution
/// that was timed last, since values that are swept grow more often than not. Times are seconds of any clock. Not for use by
/// several threads at once.
class TimeLeft {
 public:
  /// The execution of each run, by any text that is equal for equal ones, and on how many threads they run.
  TimeLeft(const std::vector<std::string>& execution_of_run, unsigned workers);

  /// An execution that several runs wait for; it is announced before anything begins.
  void expect_execution(const std::string& execution);
  void begin_execution(const std::string& execution, double now);
  void end_execution(const std::string& execution, double now);

  void begin(std::size_t run, double now);
  void advance(std::size_t run, double fraction);
  void end(std::size_t run, double now);

  /// Nothing before there is anything to judge by.
  std::optional<double> seconds_left(double now) const;

 private:
  /// Seconds that pieces of work took.
  struct Timed {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  struct Execution {
    std::size_t waiting_runs = 0;
    bool expected = false;  ///< And not begun.
    Timed runs;
  };
  struct UnderWay {
    double since = 0, fraction = 0;
  };

  std::optional<double> expected_run(const Execution& of) const;
  /// Of a run that has begun.
  std::optional<double> left_of(std::size_t run, const UnderWay& run_state, double now) const;

  std::vector<std::size_t> execution_of_run_;
  unsigned workers_;
  std::map<std::string, std::size_t> index_;
  std::vector<Execution> executions_;
  std::map<std::size_t, UnderWay> runs_, executing_;  ///< By run and by execution.
  std::optional<double> last_run_, last_execution_;   ///< Mean of the runs that were timed last; and its execution.
};

}  // namespace lockstep::experiment
