#pragma once
// Standard output and standard error. What has no glyph in a text, such as a terminal's escape sequences in the name of a
// kernel, is written as \xNN. Terminals get headers of tables and the marks of messages in colour, unless NO_COLOR is set.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::cli {

/// Of the terminal that standard output is; none: it is no terminal.
std::optional<std::size_t> terminal_columns();

/// Writes to standard output. A reader that went away (a closed pipe) is not an error; any other failure is a
/// ResourceError.
void print(std::string_view text);
/// A line on standard error. That nobody can read messages is never an error.
void note(std::string_view text);
/// Every line of `message` as `lockstep: error: ...` on standard error.
void print_error(std::string_view message);

/// "3.21 M warp instructions/s".
std::string rate_text(std::uint64_t warp_instructions, double seconds);

/// A progress line on standard error that overwrites itself; only on a terminal, and not when quiet.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `fraction` of the work done, 0 to 1; the time left is that of work that goes on as since the stage began. Without
  /// instructions no rate is shown. Shows at most ten times a second.
  void update(std::string_view what, double fraction, std::uint64_t warp_instructions);
  /// The same with a time left that the caller knows better; nothing: it is not known yet.
  void update(std::string_view what, double fraction, std::uint64_t warp_instructions, double seconds,
              std::optional<double> seconds_left);
  /// Work of another kind begins.
  void begin_stage() { start_ = Clock::now(); }
  /// Erases the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_, shown_ = false;
  Clock::time_point start_ = Clock::now(), last_;
};

/// Shows what kernels print with printf, a line at a time: on standard output, or on standard error where the JSON result
/// stands there. `progress` must live as long. That a line cannot be written does not end the execution, whose results are
/// kept; throw_if_lines_were_lost() says it at the end.
std::function<void(std::string_view line)> show_printed(bool json, ProgressLine& progress);
/// ResourceError when a line of a kernel could not be written to standard output.
void throw_if_lines_were_lost();

}  // namespace lockstep::cli
