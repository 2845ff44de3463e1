#include "isa/exec/print_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::exec {

void PrintLog::print(std::uint64_t block, std::uint32_t thread, std::string_view text,
                     const std::function<std::string()>& prefix) {
  while (!text.empty()) {
    if (kept_ == most_lines) {
      left_out_ += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
      return;
    }
    std::string& line = unfinished_[{block, thread}];
    if (line.empty()) line = prefix();
    const std::size_t end = text.find('\n');
    const std::size_t taken = std::min({end, text.size(), longest_line - line.size()});
    line += text.substr(0, taken);
    text.remove_prefix(taken);
    const bool ends = !text.empty() && text.front() == '\n';
    if (ends) text.remove_prefix(1);
    if (!ends && line.size() < longest_line) continue;
    add_line(block, std::move(line));
    unfinished_.erase({block, thread});
  }
}

void PrintLog::add_line(std::uint64_t block, std::string line) {
  if (kept_ == most_lines) {
    ++left_out_;
    return;
  }
  ++kept_;
  lines_[block].push_back(std::move(line));
  if (block == next_) show(block);
}

void PrintLog::show(std::uint64_t block) {
  const auto found = lines_.find(block);
  if (found == lines_.end()) return;
  const std::vector<std::string> lines = std::move(found->second);
  lines_.erase(found);
  for (const std::string& line : lines) show_(line);
}

void PrintLog::end_block(std::uint64_t block) {
  const auto first = unfinished_.lower_bound({block, 0});
  auto last = first;
  for (; last != unfinished_.end() && last->first.first == block; ++last) add_line(block, std::move(last->second));
  unfinished_.erase(first, last);
  ended_.insert(block);
  while (ended_.erase(next_) != 0) {
    show(next_);
    show(++next_);
  }
}

void PrintLog::end_launch() {
  while (!unfinished_.empty()) end_block(unfinished_.begin()->first.first);
  while (!lines_.empty()) show(lines_.begin()->first);
  ended_.clear();
  next_ = 0;
}

void PrintLog::end() {
  if (left_out_ == 0) return;
  show_(fmt::format("... and {} more lines: printf shows the first {} of a task", left_out_, most_lines));
  left_out_ = 0;
}

}  // namespace lockstep::exec
