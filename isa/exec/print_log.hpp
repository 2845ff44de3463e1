#pragma once
// What kernels print, in the order in which it is shown.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::exec {

/// The lines of all launches of a task: launch by launch, thread block by thread block, within a block in the order of
/// execution. What a thread prints without a newline is continued by what it prints next. The first `most_lines` that are
/// executed are shown; one more line counts the others.
class PrintLog {
 public:
  static constexpr std::uint64_t most_lines = 10'000;
  static constexpr std::size_t longest_line = 4096;  ///< A longer one is broken.

  explicit PrintLog(std::function<void(std::string_view)> show) : show_(std::move(show)) {}

  /// A thread of a thread block prints; `prefix` makes the mark in front of its lines, which must leave room in them.
  void print(std::uint64_t block, std::uint32_t thread, std::string_view text,
             const std::function<std::string()>& prefix);
  /// Nothing more comes from this thread block: its lines are shown as soon as those of all before it are.
  void end_block(std::uint64_t block);
  /// All thread blocks of a launch have ended, or never will: shows what is left.
  void end_launch();
  /// Says how many lines were left out, if any.
  void end();

 private:
  void add_line(std::uint64_t block, std::string line);
  void show(std::uint64_t block);

  std::function<void(std::string_view)> show_;
  std::map<std::uint64_t, std::vector<std::string>> lines_;  ///< By thread block.
  /// The unfinished line of a thread of a thread block, with its mark.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::string> unfinished_;
  std::set<std::uint64_t> ended_;  ///< Thread blocks that wait for earlier ones.
  std::uint64_t next_ = 0;         ///< The first thread block that has not ended.
  std::uint64_t kept_ = 0, left_out_ = 0;
};

}  // namespace lockstep::exec
