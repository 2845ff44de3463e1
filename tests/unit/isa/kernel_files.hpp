#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/places.hpp"

namespace lockstep::test {

/// Every `step`-th of the committed PTX files in the order of their paths: all of them take minutes with sanitizers.
inline std::vector<std::string> kernel_files(std::size_t step) {
  std::vector<std::string> all, chosen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/traces/kernels"))
    if (entry.path().extension() == ".ptx") all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  for (std::size_t n = 0; n < all.size(); n += step) chosen.push_back(all[n]);
  return chosen;
}

}  // namespace lockstep::test
