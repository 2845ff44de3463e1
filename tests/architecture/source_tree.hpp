#pragma once
// The source tree as its architecture sees it: which file includes which, and how the folders depend on each other by that.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace lockstep::architecture {

/// The layers, lowest first. An include points to a file of its own layer or of a lower one.
inline const std::vector<std::string> layers = {"isa", "models", "sim", "tools"};

/// `#include "target"` at `line` of `file`. Both paths count from the root of the repository.
struct Include {
  std::string file;
  std::size_t line = 0;
  std::string target;
};

/// Every include of another file of the repository below the folders.
std::vector<Include> includes_below(const std::vector<std::string>& folders);

/// "FILE:LINE includes TARGET" for each include that leaves the layers or points to a higher one.
std::vector<std::string> upward_includes(const std::vector<Include>& includes);

/// Cycles among the folders that stand side by side in one folder, files of their subfolders counting as theirs: for each,
/// its folders and an include for every step of it. A file beside the folders belongs to none.
std::vector<std::string> folder_cycles(const std::vector<Include>& includes);

/// Files that stand directly in each folder of the repository, by path.
std::map<std::string, std::size_t> files_per_folder();

}  // namespace lockstep::architecture
