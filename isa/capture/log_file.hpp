#pragma once
// A log file: its lines, and where the records of each thread block lie. README.md of this folder draws it.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/program/static_program.hpp"
#include "isa/trace/posix_file.hpp"

namespace lockstep::capture {

/// A module before it was instrumented.
struct LogModule {
  std::string name, text;
  std::map<std::string, std::uint64_t> placed;  ///< Addresses that the trace gives its variables.
};

struct LogLaunch {
  std::uint32_t module = 0;
  std::string entry;
  program::Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0, registers_per_thread = 0;
  std::vector<std::uint64_t> header;  ///< The words that the launch's first thread has written, see device_log.hpp.
  std::uint64_t begin = 0, end = 0;   ///< Bytes of the file with the thread blocks.

  std::uint64_t thread_blocks() const { return program::volume(grid); }
  std::uint64_t threads_per_block() const { return program::volume(block); }
};

class LogFile {
 public:
  /// Reads the whole file once, to check it; keeps all but what threads have logged. InputError, with the byte, for what is
  /// no log, cut off or damaged.
  explicit LogFile(const std::string& path,
                   const std::function<void(std::uint64_t done, std::uint64_t all)>& progress = {});

  const std::string& path() const { return path_; }
  const std::string& workload() const { return workload_; }
  /// Where the log comes from: lines "NAME: TEXT".
  const std::string& origin() const { return origin_; }
  const std::vector<std::pair<std::string, std::string>>& arguments() const { return arguments_; }
  const std::vector<LogModule>& modules() const { return modules_; }
  const std::vector<LogLaunch>& launches() const { return launches_; }
  std::uint32_t call_depth() const { return call_depth_; }  ///< 0: not stated.
  std::uint64_t bytes() const { return bytes_; }

  /// Bytes [offset, offset + bytes.size()), which lie in the file.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  [[noreturn]] void fail(std::uint64_t offset, std::string_view message) const;

 private:
  void check_sum(const std::function<void(std::uint64_t, std::uint64_t)>& progress);
  std::string_view line();
  void take_line(std::string_view line, std::uint64_t offset);
  std::string bytes_of_text(std::uint64_t count);
  void take_module(std::string_view rest, std::uint64_t offset);
  void take_launch(std::string_view rest, std::uint64_t offset);
  void take_registers(std::string_view rest, std::uint64_t offset);
  void expect_line_break();

  std::string path_;
  trace::PosixFile file_;
  std::uint64_t bytes_ = 0, body_ = 0;  ///< Of the file, and without its last line.
  std::uint64_t at_ = 0;
  std::string buffer_;  ///< What is read ahead for lines, from `buffer_offset_` on.
  std::uint64_t buffer_offset_ = 0;
  std::string workload_, origin_;
  std::vector<std::pair<std::string, std::string>> arguments_;
  std::vector<LogModule> modules_;
  std::vector<LogLaunch> launches_;
  std::map<std::uint64_t, std::uint32_t> registers_;
  std::uint32_t call_depth_ = 0;
};

}  // namespace lockstep::capture
