#include "tools/lockstep/interruption.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

namespace lockstep::cli {

namespace {

std::atomic<const ResumeHint*> living;
static_assert(std::atomic<const ResumeHint*>::is_always_lock_free && std::atomic<std::size_t>::is_always_lock_free);

// What follows is called in signal handlers: it neither allocates nor locks.

void write_all(const char* text, std::size_t count) noexcept {
  while (count > 0) {
    const ssize_t written = ::write(STDERR_FILENO, text, count);
    if (written <= 0) return;
    text += written;
    count -= static_cast<std::size_t>(written);
  }
}

void write_number(std::size_t number) noexcept {
  std::array<char, 20> digits{};
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  write_all(digits.data() + first, digits.size() - first);
}

const char* text_of(int signal) noexcept {
  switch (signal) {
    case SIGINT: return "interrupted (SIGINT)";
    case SIGTERM: return "ended by SIGTERM";
    case SIGHUP: return "ended by SIGHUP";
    case SIGQUIT: return "ended by SIGQUIT";
    default: return "ended by a signal";
  }
}

}  // namespace

void say_interrupted(int signal) noexcept {
  const char* const start = ::isatty(STDERR_FILENO) == 1 ? "\r\033[Klockstep: " : "lockstep: ";
  write_all(start, std::strlen(start));
  write_all(text_of(signal), std::strlen(text_of(signal)));
  if (const ResumeHint* const hint = living) {
    write_all(": ", 2);
    write_number(hint->stored_);
    write_all(hint->behind_count_.data(), hint->behind_count_.size());
  }
  write_all("\n", 1);
}

ResumeHint::ResumeHint(std::size_t points, const std::string& folder, const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(shell_word(word));
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) words.emplace_back("--resume");
  behind_count_ = fmt::format(" of {} points are in {}/results.db\nlockstep: this runs the others: {}", points, folder,
                              fmt::join(words, " "));
  living = this;
}

ResumeHint::~ResumeHint() {
  living = nullptr;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace lockstep::cli
