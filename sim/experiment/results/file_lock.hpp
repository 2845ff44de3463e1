#pragma once

#include <string>

namespace lockstep::experiment {

/// An advisory lock on a file beside a database; the system releases it when the process ends in any way.
class FileLock {
 public:
  /// ResourceError when another process has it, or the file cannot be opened.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace lockstep::experiment
