#pragma once
// What the user is told when a signal ends the program.

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::cli {

/// While it lives, a signal that ends the program says how many points of a run are stored, and what resumes it. One at a
/// time.
class ResumeHint {
 public:
  /// `command`: the words of the command line, to which --resume is added where it is not among them.
  ResumeHint(std::size_t points, const std::string& folder, const std::vector<std::string>& command);
  ~ResumeHint();
  ResumeHint(const ResumeHint&) = delete;
  ResumeHint& operator=(const ResumeHint&) = delete;

  void stored(std::size_t points) { stored_ = points; }

 private:
  friend void say_interrupted(int signal) noexcept;
  std::atomic<std::size_t> stored_ = 0;
  std::string behind_count_;
};

/// For a signal handler: writes which signal ends the program, and the hint that lives.
void say_interrupted(int signal) noexcept;

/// Text as one word of a shell, in quotes where it needs them.
std::string shell_word(const std::string& text);

}  // namespace lockstep::cli
