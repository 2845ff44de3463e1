// Where the committed configurations and workloads are, and how a name finds its file there.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "isa/did_you_mean.hpp"
#include "sim/config/value.hpp"

namespace lockstep::config {

namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "configs", ignored) && fs::is_directory(folder / "traces", ignored);
}

/// The first folder from `start` upwards that is a home, or an empty path.
fs::path find_upwards(fs::path start) {
  while (!start.empty()) {
    if (is_home(start)) return start;
    if (start == start.parent_path()) break;
    start = start.parent_path();
  }
  return {};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string home_directory() {
  if (const char* named = std::getenv("LOCKSTEP_HOME"); named != nullptr && *named != '\0') {
    if (is_home(named)) return named;
    throw ResourceError(fmt::format("LOCKSTEP_HOME is '{}', which holds no folders configs and traces", named));
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    if (const fs::path home = find_upwards(program.parent_path()); !home.empty()) return home.string();
  }
  const fs::path working = fs::current_path(failed);
  if (!failed) {
    if (const fs::path home = find_upwards(working); !home.empty()) return home.string();
  }
  throw ResourceError(
      "cannot find the folders configs and traces, neither above the program nor above the working directory; name "
      "the folder that holds them in the environment variable LOCKSTEP_HOME");
}

std::vector<std::string> list_named_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(fs::path(home_directory()) / folder, failed)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_named_file(const std::string& folder, const std::string& name) {
  return find_named_file(std::vector<std::string>{folder}, name);
}

std::string find_named_file(const std::vector<std::string>& folders, const std::string& name) {
  std::error_code failed;
  const fs::file_status status = fs::status(name, failed);
  if (fs::exists(status) && !fs::is_directory(status)) return name;
  std::string wanted = lower_case(name);
  if (wanted.ends_with(".yaml")) wanted.resize(wanted.size() - 5);
  std::vector<std::string> all;
  for (const std::string& folder : folders) {
    const std::vector<std::string> names = list_named_files(folder);
    const fs::path base = fs::path(home_directory()) / folder;
    if (std::find(names.begin(), names.end(), name) != names.end()) return (base / (name + ".yaml")).string();
    for (const std::string& candidate : names) {
      if (lower_case(candidate) == wanted) return (base / (candidate + ".yaml")).string();
    }
    all.insert(all.end(), names.begin(), names.end());
  }
  const std::string hint = did_you_mean(wanted, all);
  const std::string there = all.empty() ? "nothing" : fmt::format("{}", fmt::join(all, ", "));
  throw InputError(fmt::format("'{}' is neither a file nor a name in {}{} (there is: {})", name,
                               fmt::join(folders, " or "), hint, there));
}

}  // namespace lockstep::config
