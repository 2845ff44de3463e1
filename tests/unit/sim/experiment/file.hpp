#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/experiment/experiment.hpp"

namespace lockstep::test {

/// An experiment file in a folder of its own, since tests run at the same time; names are found in the source tree.
class File {
 public:
  explicit File(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(path()) << text;
    setenv("LOCKSTEP_HOME", LOCKSTEP_SOURCE_DIR, 1);
  }
  ~File() {
    unsetenv("LOCKSTEP_HOME");
    std::filesystem::remove_all(folder_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return (folder_ / "own.yaml").string(); }

 private:
  std::filesystem::path folder_;
};

/// What loading and expanding an experiment of this text complains about; "" when it does not.
inline std::string mistake(const std::string& text) {
  const File file(text);
  try {
    experiment::expand(experiment::load_experiment(file.path()));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace lockstep::test
