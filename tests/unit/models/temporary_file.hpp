#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::test {

/// A file with this content, removed at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    close(descriptor);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lockstep::test
