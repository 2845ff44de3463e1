#include "tools/lockstep/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "isa/error.hpp"
#include "sim/stats/utf8.hpp"

namespace lockstep::cli {

namespace {

constexpr std::string_view bold = "\033[1m", red = "\033[1;31m", yellow = "\033[1;33m", dim = "\033[2m",
                           plain = "\033[0m";

/// Whether a stream shows colours: a terminal that can, and the user has not said no (no-color.org).
bool has_colours(int stream) {
  const char* const no = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (no != nullptr && *no != '\0') return false;
  return isatty(stream) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string coloured(std::string_view colour, std::string_view text) {
  return fmt::format("{}{}{}", colour, text, plain);
}

/// Headers of tables in bold: the lines above a rule, up to an empty one.
std::string with_bold_headers(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t header = 0;  // The first line behind the last empty one.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
    if (lines.back().empty()) header = lines.size();
    if (lines.back().size() < 3 || lines.back().find_first_not_of('-') != std::string::npos) continue;
    for (; header + 1 < lines.size(); ++header) lines[header] = coloured(bold, lines[header]);
    lines.back() = coloured(dim, lines.back());
  }
  return fmt::format("{}{}", fmt::join(lines, "\n"), text.ends_with('\n') ? "\n" : "");
}

/// What a failure to write lines of kernels was, of several the first; 0: there was none.
std::atomic<int> lost_lines = 0;

/// The number of the error, 0 where there is none; that the reader of a pipe went away is none.
int write_output(std::string_view raw) {
  std::string text = stats::printable(raw);
  if (has_colours(STDOUT_FILENO)) text = with_bold_headers(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
  return errno == EPIPE ? 0 : errno;
}

void throw_if(int error) {
  if (error != 0) throw ResourceError(fmt::format("standard output: {}", std::strerror(error)));
}

/// Whoever reads messages may be gone, or never have been there: that stops nothing.
void write_message(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// A line that quotes a text of any length, such as an expression, with its middle left out.
std::string shortened(std::string_view line) {
  constexpr std::size_t first = 1500, last = 500;
  if (line.size() <= first + last) return std::string(line);
  return fmt::format("{} ... ({} bytes) ... {}", line.substr(0, first), line.size() - first - last,
                     line.substr(line.size() - last));
}

}  // namespace

std::optional<std::size_t> terminal_columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

void print(std::string_view text) {
  throw_if(write_output(text));
}

void throw_if_lines_were_lost() {
  throw_if(lost_lines);
}

void note(std::string_view text) {
  constexpr std::string_view mark = "note:";
  const std::string shown = stats::printable(text);
  const bool marked = shown.starts_with(mark) && has_colours(STDERR_FILENO);
  write_message((marked ? coloured(yellow, mark) + shown.substr(mark.size()) : shown) + "\n");
}

void print_error(std::string_view message) {
  const std::string mark = has_colours(STDERR_FILENO) ? coloured(red, "lockstep: error:") : "lockstep: error:";
  while (true) {
    const std::size_t end = message.find('\n');
    write_message(fmt::format("{} {}\n", mark, stats::printable(shortened(message.substr(0, end)))));
    if (end == std::string_view::npos) return;
    message.remove_prefix(end + 1);
  }
}

std::string rate_text(std::uint64_t warp_instructions, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(warp_instructions) / seconds : 0;
  if (rate >= 1e6) return fmt::format("{:.2f} M warp instructions/s", rate / 1e6);
  return fmt::format("{:.1f} k warp instructions/s", rate / 1e3);
}

ProgressLine::ProgressLine(bool quiet) : enabled_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::update(std::string_view what, double fraction, std::uint64_t warp_instructions) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const bool known = fraction > 0.001 && seconds > 0.5;
  update(what, fraction, warp_instructions, seconds,
         known ? std::optional(seconds * (1 - fraction) / fraction) : std::nullopt);
}

void ProgressLine::update(std::string_view what, double fraction, std::uint64_t warp_instructions, double seconds,
                          std::optional<double> seconds_left) {
  const auto now = Clock::now();
  if (!enabled_ || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  shown_ = true;
  std::string text = fmt::format("\r\033[K{}: {:.0f} %", what, 100 * fraction);
  if (warp_instructions > 0) text += ", " + rate_text(warp_instructions, seconds);
  if (seconds_left) {
    const auto left = static_cast<std::uint64_t>(*seconds_left + 0.5);
    text += left < 3600 ? fmt::format(", {}:{:02} left", left / 60, left % 60)
                        : fmt::format(", {} h {:02} min left", left / 3600, left / 60 % 60);
  }
  write_message(text);
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_message("\r\033[K");
  shown_ = false;
}

std::function<void(std::string_view line)> show_printed(bool json, ProgressLine& progress) {
  return [json, &progress](std::string_view line) {
    progress.clear();
    if (json) {
      note(line);
    } else if (const int error = write_output(fmt::format("{}\n", line)); error != 0) {
      int none = 0;
      lost_lines.compare_exchange_strong(none, error);
    }
  };
}

}  // namespace lockstep::cli
