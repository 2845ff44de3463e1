#include "sim/experiment/running/memory_budget.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace lockstep::experiment {

namespace {

/// The first number of a file; nothing where there is none, as in "max".
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
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
  const auto most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most && used) left = std::min(left, *most - std::min(*most, *used));
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
