#include "sim/experiment/running/memory_budget.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::experiment {

namespace {

/// The first number of a file; nothing where there is none, as in "max".
std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number behind a word of a file with a word and a number on each line, 0 where it is not there.
std::uint64_t number_of(const std::filesystem::path& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string word;
  for (std::uint64_t number = 0; file >> word >> number;)
    if (word == wanted) return number;
  return 0;
}

/// What a control group (version 2) has left: its limit without what it occupies, of which files that were read could go.
std::optional<std::uint64_t> left_in(const std::filesystem::path& group) {
  const auto most = number_in(group / "memory.max"), used = number_in(group / "memory.current");
  if (!most || !used) return std::nullopt;
  const std::filesystem::path parts = group / "memory.stat";
  const std::uint64_t files = number_of(parts, "active_file") + number_of(parts, "inactive_file");
  return *most - std::min(*most, *used - std::min(*used, files));
}

/// The least that the control group of this process and those around it have left; nothing where none has a limit.
std::optional<std::uint64_t> left_in_groups() {
  const std::filesystem::path all = "/sys/fs/cgroup";
  std::ifstream file("/proc/self/cgroup");
  std::optional<std::uint64_t> least;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::filesystem::path group = all / line.substr(4);; group = group.parent_path()) {
      if (const auto left = left_in(group); left && (!least || *left < *least)) least = left;
      if (group == all || group == group.root_path()) break;
    }
  }
  if (const auto left = left_in(all); left && (!least || *left < *least)) least = left;
  return least;
}

std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) << 10;
  return 0;
}

}  // namespace

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  if (!(file >> size >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t usual_memory_budget() {
  std::uint64_t left = available_bytes();
  if (const auto in_groups = left_in_groups()) left = std::min(left, *in_groups);
  return left == 0 ? 0 : (resident_bytes() + left) / 5 * 4;
}

std::uint64_t MemoryBudget::measure(std::size_t running) {
  const std::uint64_t now = resident_();
  if (running == 0) {
    base_ = now;
  } else {
    base_ = std::min(base_, now);
    largest_ = std::max(largest_, (now - base_) / running);
  }
  return now;
}

bool MemoryBudget::allows_one_more(std::size_t running) {
  if (bytes_ == 0) return true;
  const std::uint64_t now = measure(running);
  return running == 0 || std::max(now, base_ + running * largest_) + largest_ <= bytes_;
}

bool MemoryBudget::allows(std::size_t running) {
  return bytes_ == 0 || measure(running) <= bytes_ || running <= 1;
}

}  // namespace lockstep::experiment
