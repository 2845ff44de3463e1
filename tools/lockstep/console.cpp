#include "tools/lockstep/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "isa/error.hpp"
#include "sim/stats/utf8.hpp"

namespace lockstep::cli {

namespace {

/// Whoever reads messages may be gone, or never have been there: that stops nothing.
void write_message(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void print(std::string_view raw) {
  const std::string text = stats::printable(raw);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) return;
  throw ResourceError(fmt::format("standard output: {}", std::strerror(errno)));
}

void note(std::string_view text) {
  write_message(stats::printable(text) + "\n");
}

void print_error(std::string_view message) {
  while (true) {
    const std::size_t end = message.find('\n');
    write_message(fmt::format("lockstep: error: {}\n", stats::printable(message.substr(0, end))));
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
    json ? note(line) : print(fmt::format("{}\n", line));
  };
}

}  // namespace lockstep::cli
