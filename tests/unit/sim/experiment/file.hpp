#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/experiment/experiment.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::test {

/// An experiment file in a folder of its own, since tests run at the same time; names are found in the source tree.
class File {
 public:
  explicit File(const std::string& text) {
    folder_.write("own.yaml", text);
    setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  }
  ~File() { unsetenv("LOCKSTEP_HOME"); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return folder_ / "own.yaml"; }

 private:
  TemporaryFolder folder_;
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
